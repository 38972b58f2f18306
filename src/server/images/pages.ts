// What manifests need to know of all pages of a file: read in one pass, and remembered once for all pages
// that are alike.

import {
  createLru,
  type ErrorKind,
  ImagingError,
  type Lru,
  ServiceError,
  withServiceErrors,
} from "../../base/index.ts";
import type { ImageHeader } from "../../imaging/index.ts";
import type { Slot } from "../stores/slot.ts";
import { awaitWithoutPermit, type Permit, readWithoutPermit } from "../workers/permit.ts";
import { pagesKey } from "./cache-keys.ts";
import {
  type DescribeParts,
  leastMemory,
  type Master,
  needsOf,
  probing,
  problemOfSize,
  tableVersion,
} from "./describe.ts";

/** Facts of a page of a file, or why it cannot be read. */
export type PageFacts = ReadablePage | UnreadablePage;

/** What decides on the size of a page and whether it is served. `memory`: bytes of its cheapest read. */
export interface ReadablePage
  extends Pick<ImageHeader, "width" | "height" | "orientation" | "scalable" | "unsupported" | "pageLabel"> {
  readonly memory: number;
}

interface UnreadablePage {
  readonly error: ErrorKind;
  readonly message: string;
  readonly code: string;
}

/** The facts of pages: those that many have in common are there once. */
export interface FactsOfPages {
  readonly kinds: readonly PageFacts[];
  /** Index of the kind of each page. */
  readonly kindOf: readonly number[];
}

/** Pages that are read with one permit. */
const together = 250;

/** Bytes of the facts of a file up to which they are in the info slot; longer ones are read again. */
const maxStored = 4 * 2 ** 20;

/** Limit for the facts in memory, in bytes of their JSON. */
const maxParsed = 8 * 2 ** 20;
const parsedFacts = new WeakMap<Slot, Lru<string, FactsOfPages>>();

/**
 * Returns the facts of the first `count` pages of a file, of which `first` is the header of one, from the
 * info slot, or else reads them in time proportional to their number. Throws what the source throws.
 */
export async function describePages(
  parts: DescribeParts,
  master: Master,
  first: ImageHeader,
  count: number,
  signal?: AbortSignal,
): Promise<FactsOfPages> {
  const codec = parts.codecs.decoder(first.format);
  if (!codec.probePages)
    return { kinds: [factsOf(parts, master, first)], kindOf: new Array<number>(count).fill(0) };
  const key = await pagesKey(master, count);
  let parsed = parsedFacts.get(parts.info);
  if (!parsed) parsedFacts.set(parts.info, (parsed = createLru(maxParsed)));
  const name = `${tableVersion(parts.info, master)} ${count}`;
  const known = parsed.get(name);
  if (known) return known;
  const make = async (work: AbortSignal) => encode(await readPages(parts, master, first, count, work));
  const keeps = ({ length }: Uint8Array) => length <= maxStored;
  const bytes = await parts.info.getOrMake(key.name, key.variant, make, { signal, keeps });
  const facts = decode(bytes);
  parsed.set(name, facts, bytes.length);
  return facts;
}

/** Returns the error of a page that cannot be read; undefined for any other. */
export const errorOf = (page: PageFacts): ServiceError | undefined =>
  "error" in page ? new ServiceError(page.error, page.message, { code: page.code }) : undefined;

async function readPages(
  parts: DescribeParts,
  master: Master,
  { format }: ImageHeader,
  count: number,
  signal: AbortSignal,
): Promise<FactsOfPages> {
  const codec = parts.codecs.decoder(format);
  // The bytes are read with the permit of the moment.
  const { bytes } = master.image;
  let reading = bytes;
  const source = {
    size: bytes.size,
    gap: bytes.gap,
    read: (offset: number, length: number) => reading.read(offset, length),
  };
  const pages = codec.probePages!(source, count, tableVersion(parts.info, master));
  const kinds = new Map<string, number>();
  const kindOf: number[] = [];
  /** Reads the next pages. Returns false at the end. */
  const readSome = async (): Promise<boolean> => {
    for (let n = 0; n < together; n++) {
      const { done, value } = await pages.next();
      if (done) return false;
      const facts = JSON.stringify(factsOf(parts, master, value));
      const kind = kinds.get(facts) ?? kinds.size;
      kinds.set(facts, kind);
      kindOf.push(kind);
    }
    return true;
  };
  const withPermit = (permit?: Permit) => {
    reading = permit ? readWithoutPermit(bytes, awaitWithoutPermit(permit), signal) : bytes;
    return withServiceErrors(readSome);
  };
  while (await parts.probes.run(needsOf(master, 0, probing), signal, withPermit));
  return { kinds: [...kinds.keys()].map((facts) => JSON.parse(facts)), kindOf };
}

function factsOf({ codecs }: DescribeParts, { image }: Master, page: ImageHeader | ImagingError): PageFacts {
  if (page instanceof ImagingError) return unreadable(page);
  const problem = problemOfSize(page);
  if (problem) return unreadable(problem);
  const { width, height, orientation, scalable, unsupported, pageLabel, format } = page;
  const memory =
    unsupported === undefined ? leastMemory(codecs.decoder(format), page, 1, image.bytes.size ?? 0) : 0;
  return {
    width,
    height,
    orientation,
    memory,
    ...(scalable && { scalable }),
    ...(unsupported && { unsupported }),
    ...(pageLabel !== undefined && { pageLabel }),
  };
}

const unreadable = ({ kind, message, code }: ImagingError | ServiceError): UnreadablePage => ({
  error: kind,
  message,
  code,
});

const encode = (facts: FactsOfPages) => new TextEncoder().encode(JSON.stringify(facts));
const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as FactsOfPages;
