// The parts of a text, each of which has a segment of the index of its own.
//
// Where a part ends depends on the key of its last page, not on the number of pages before: a page that is
// inserted or removed changes the part that it is in, and no other.

import { crc32, createLru, createPauses, type Lru, sha256, toHex } from "../../../base/index.ts";
import { recordVersion } from "../../../text/index.ts";
import type { TextFile } from "./text-files.ts";

/** A page that a caller may read. */
export interface TextPage {
  /** Names the page among those of its text, wherever it is in it. */
  readonly key: string;
  /** Equal for pages that the same callers may see; pages of one class share segments. */
  readonly accessClass: string;
  readonly files: readonly TextFile[];
}

/** Consecutive pages of one access class. */
export interface Part {
  readonly className: string;
  /** Bytes of the largest file that is read. */
  readonly maxBytes: number;
  readonly pages: readonly TextPage[];
  /** Name of its segment: a digest of all that this is made of. */
  readonly name: string;
}

/** Pages of a part on average: the digest of one key in these ends a part. */
const usualPages = 160;
/** Maximum number of pages of a part. */
const maxPages = 480;
/** Bytes of memory of the parts that are remembered, and of each page of them. */
const rememberedBytes = 16 * 2 ** 20;
const pageWeight = 256;

const encoder = new TextEncoder();
const endsPart = (key: string) => crc32(encoder.encode(key)) % usualPages === 0;

/** Pages of one access class from one of them on, as they were cut last. */
interface KnownPart {
  readonly part: Part;
  /** True if it ended with the text. */
  readonly isLast: boolean;
}

/** Cuts texts into parts, and remembers those whose files have not changed, since digests take time. */
export class TextParts {
  readonly #known: Lru<string, KnownPart> = createLru(rememberedBytes);

  /** Returns the parts of a text by access class, each with its pages in their order. */
  async cut(pages: readonly TextPage[], maxBytes: number): Promise<readonly Part[]> {
    const pause = createPauses();
    const parts: Part[] = [];
    for (const [className, own] of byClass(pages))
      for (let at = 0; at < own.length; ) {
        await pause();
        const part = await this.#partFrom(own, at, { className, maxBytes });
        parts.push(part);
        at += part.pages.length;
      }
    return parts;
  }

  async #partFrom(
    pages: readonly TextPage[],
    at: number,
    common: Pick<Part, "className" | "maxBytes">,
  ): Promise<Part> {
    const key = JSON.stringify([common.className, pages[at]!.key]);
    const known = this.#known.get(key);
    if (known && common.maxBytes === known.part.maxBytes && isAt(known, pages, at)) return known.part;
    let end = at + 1;
    while (end < pages.length && end - at < maxPages && !endsPart(pages[end - 1]!.key)) end++;
    const part = await namedPart({ ...common, pages: pages.slice(at, end) });
    const isLast = end === pages.length && end - at < maxPages && !endsPart(pages[end - 1]!.key);
    this.#known.set(key, { part, isLast }, part.pages.length * pageWeight);
    return part;
  }
}

function byClass(pages: readonly TextPage[]): ReadonlyMap<string, readonly TextPage[]> {
  const classes = new Map<string, TextPage[]>();
  for (const page of pages) {
    const own = classes.get(page.accessClass);
    if (own) own.push(page);
    else classes.set(page.accessClass, [page]);
  }
  return classes;
}

/** True if pages from an index on have the same files as a part, and end where it does. */
function isAt({ part, isLast }: KnownPart, pages: readonly TextPage[], at: number): boolean {
  const end = at + part.pages.length;
  if (isLast ? end !== pages.length : end > pages.length) return false;
  return part.pages.every((page, index) => areEqual(page, pages[at + index]!));
}

function areEqual(one: TextPage, other: TextPage): boolean {
  if (one.key !== other.key) return false;
  if (one.files === other.files) return true;
  if (one.files.length !== other.files.length) return false;
  return one.files.every((file, at) => {
    const { location, page, validator } = other.files[at]!;
    return (
      file.validator === validator &&
      file.page === page &&
      file.location.key === location.key &&
      file.location.source.fingerprint === location.source.fingerprint
    );
  });
}

const namedPart = async (part: Omit<Part, "name">): Promise<Part> => ({
  ...part,
  name: await nameOf(
    part,
    part.pages.map(({ files }) => files.map(({ validator }) => validator)),
  ),
});

/** Returns the name of a segment by the validators of the files of each page. */
export async function nameOf(
  { className, maxBytes, pages }: Omit<Part, "name">,
  validators: readonly (readonly (string | undefined)[])[],
): Promise<string> {
  const content = pages.map(({ key, files }, at) => [
    key,
    files.map(({ location, page }, nth) => [
      location.source.fingerprint,
      location.key,
      page,
      validators[at]?.[nth],
    ]),
  ]);
  return toHex(await sha256(JSON.stringify([recordVersion, maxBytes, className, content]))).slice(0, 32);
}

/** Returns the halves of a part of several pages. */
export function halvesOf({ pages, ...common }: Part): Promise<readonly Part[]> {
  const middle = pages.length >> 1;
  return Promise.all(
    [pages.slice(0, middle), pages.slice(middle)].map((own) => namedPart({ ...common, pages: own })),
  );
}
