// The header facts of all pages of a file, read in one pass and remembered once for all pages that are alike.

import { type ErrorKind, ServiceError } from "../errors.ts";
import type { PageRange } from "../imaging/codecs/codec.ts";
import type { ImageHeader } from "../imaging/codecs/image-header.ts";
import type { ImagingError } from "../imaging/errors.ts";
import { createLru, type Lru } from "../imaging/lib/lru.ts";
import type { Slot } from "../stores/slot.ts";
import { awaitingWithout, readingWithout } from "../workers/place.ts";
import { pagesKey } from "./cache-keys.ts";
import { type DescribeParts, demandOf, type Master, probing, tableVersion } from "./describe.ts";

/** The facts of pages: those that many have in common are there once. */
export interface PageFacts {
  /** Facts without colours, resolution, `incomplete` and positions in the file; or why a page is unreadable. */
  readonly kinds: readonly (ImageHeader | ServiceError)[];
  /** Index of the kind of each page. */
  readonly kindOf: readonly number[];
}

/** Pages that are read with one permit. */
const together = 250;

/** Bytes of the facts of a file up to which they are in the info slot; longer ones are read again. */
const mostStored = 4 * 2 ** 20;

/** Limit for the facts in memory, in bytes of their JSON. */
const parsedKept = 8 * 2 ** 20;
const parsedFacts = new WeakMap<Slot, Lru<string, PageFacts>>();

/**
 * Returns the facts of the first `count` pages of a file, whose own are `first`, from the info slot, or else
 * reads them in time proportional to their number. A damaged page is one of the kinds. Throws what the source
 * throws.
 */
export async function describePages(
  parts: DescribeParts,
  master: Master,
  first: ImageHeader,
  count: number,
  signal?: AbortSignal,
): Promise<PageFacts> {
  const codec = parts.codecs.byFormat(first.format);
  if (!codec.probePages) return { kinds: [first], kindOf: new Array(count).fill(0) };
  const key = await pagesKey(master, count);
  let parsed = parsedFacts.get(parts.info);
  if (!parsed) parsedFacts.set(parts.info, (parsed = createLru(parsedKept)));
  const name = `${tableVersion(parts.info, master)} ${key.variant}`;
  const known = parsed.get(name);
  if (known) return known;
  const make = async (work: AbortSignal) => encode(await readPages(parts, master, first, count, work));
  const options = { signal, keeps: ({ length }: Uint8Array) => length <= mostStored };
  const bytes = await parts.info.getOrMake(key.name, key.variant, make, options);
  const facts = decode(bytes);
  parsed.set(name, facts, bytes.length);
  return facts;
}

/** Kinds as they are read: facts as JSON, so that equal ones are found. */
interface ReadFacts {
  readonly kinds: readonly string[];
  readonly kindOf: readonly number[];
}

async function readPages(
  parts: DescribeParts,
  master: Master,
  { format }: ImageHeader,
  count: number,
  signal: AbortSignal,
): Promise<ReadFacts> {
  const codec = parts.codecs.byFormat(format);
  const version = tableVersion(parts.info, master);
  const kinds = new Map<string, number>();
  const kindOf: number[] = [];
  const read = (range: PageRange) =>
    parts.probes.run(demandOf(master, 0, probing), signal, async (place) => {
      const { bytes } = master.image;
      const source = place ? readingWithout(bytes, awaitingWithout(place), signal) : bytes;
      return codec.probePages!(source, range, version);
    });
  for (let from = 1; from <= count; from += together) {
    for (const page of await read({ from, to: Math.min(from + together, count + 1) })) {
      const text = JSON.stringify(storedForm(page));
      const kind = kinds.get(text) ?? kinds.size;
      kinds.set(text, kind);
      kindOf.push(kind);
    }
  }
  return { kinds: [...kinds.keys()], kindOf };
}

interface StoredError {
  readonly error: ErrorKind;
  readonly message: string;
  readonly code: string;
}

function storedForm(page: ImageHeader | ImagingError): ImageHeader | StoredError {
  if (page instanceof Error) return { error: page.kind, message: page.message, code: page.code };
  const { offset: _, ...details } = page.details ?? {};
  return { ...page, details };
}

function parse(text: string): ImageHeader | ServiceError {
  const stored = JSON.parse(text) as ImageHeader | StoredError;
  if (!("error" in stored)) return stored;
  return new ServiceError(stored.error, stored.message, { code: stored.code });
}

const encode = (facts: ReadFacts) => new TextEncoder().encode(JSON.stringify(facts));

function decode(bytes: Uint8Array): PageFacts {
  const { kinds, kindOf } = JSON.parse(new TextDecoder().decode(bytes)) as ReadFacts;
  return { kinds: kinds.map(parse), kindOf };
}
