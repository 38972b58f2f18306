// Merges segments into one, block by block: memory depends on the number of segments and pages, not on words.

import type { ByteRange } from "../../base/index.ts";
import { type Blocks, blockBytes, blockKey, entryBlockBytes, fileKinds, headKey } from "./block-files.ts";
import { type Occurrences, occurrenceCount, type TermCursor } from "./dictionary.ts";
import { decodeHead, type StreamKind } from "./head.ts";
import { type Lost, LostBlock, orLost } from "./lost-block.ts";
import { type OpenSegment, OpenSegments } from "./open-segments.ts";
import type { PageEntry } from "./page-table.ts";
import { groupsOf, maxTableBytes, type PostingGroup, pagesOfGroup } from "./postings.ts";
import { type SegmentInfo, SegmentWriter } from "./segment-writer.ts";
import { plainTerm } from "./tokens.ts";
import { ByteReader, ByteWriter } from "./varints.ts";

/** A page that is not in the result. */
const dropped = 0xffffffff;

/** Bytes of the cache for each segment: a block of each file. */
const cacheBytes = 3 * blockBytes + 8 * entryBlockBytes;

/**
 * Writes a segment `name` of the pages of others, which all have one access class; throws RangeError if they
 * do not. Of pages with one key that of the last segment remains. Pages whose keys are in `removed` are left
 * out. Returns `{ lost }` if a block of one of them is missing; nothing is then found under `name`.
 */
export function mergeSegments(
  blocks: Blocks,
  name: string,
  inputs: readonly string[],
  removed: ReadonlySet<string> = new Set(),
): Promise<SegmentInfo | Lost> {
  return orLost(async () => {
    const segments = new OpenSegments(blocks, (inputs.length + 1) * cacheBytes);
    const opened: OpenSegment[] = [];
    for (const input of inputs) opened.push(await segments.open(input));
    const classNames = [...new Set(opened.map(({ head }) => head.className))];
    if (classNames.length !== 1)
      throw new RangeError(`Expected segments of one access class; got ${classNames.join(", ") || "none"}.`);
    const writer = new SegmentWriter(blocks, name, classNames[0]!);
    const sources = opened.map((segment) => new Source(segment));
    await mergePages(sources, removed, writer);
    await mergeTerms(sources, writer);
    return writer.finish();
  });
}

/** One of the segments that are merged. */
class Source {
  readonly segment: OpenSegment;
  /** Number in the result of each page. */
  readonly numbers: Uint32Array;
  readonly #current = new Map<StreamKind, { readonly start: number; readonly bytes: Uint8Array }>();

  constructor(segment: OpenSegment) {
    this.segment = segment;
    this.numbers = new Uint32Array(segment.head.pages).fill(dropped);
  }

  /** Returns bytes of a file if they are in the block that was read last. */
  peek(kind: StreamKind, { offset, length }: ByteRange): Uint8Array | undefined {
    const current = this.#current.get(kind);
    if (!current || offset < current.start || offset + length > current.start + current.bytes.length) return;
    return current.bytes.subarray(offset - current.start, offset - current.start + length);
  }

  async read(kind: StreamKind, extent: ByteRange): Promise<Uint8Array> {
    const bytes = await this.segment.extent(kind, extent);
    const index = Math.floor((extent.offset + extent.length) / blockBytes);
    const start = index * blockBytes;
    if (start < this.segment.head.lengths[kind])
      this.#current.set(kind, { start, bytes: await this.segment.block(kind, index) });
    return bytes;
  }

  async *pages(): AsyncGenerator<readonly PageEntry[]> {
    for (let index = 0; index < this.segment.head.pageBlocks.length; index++)
      yield this.segment.pagesOfBlock(index);
  }
}

/** Iterates over the items of lists that are loaded one at a time. */
class Feed<T> {
  readonly #lists: AsyncIterator<readonly T[]>;
  #list: readonly T[] = [];
  #index = 0;

  constructor(lists: AsyncIterable<readonly T[]>) {
    this.#lists = lists[Symbol.asyncIterator]();
  }

  get current(): T | undefined {
    return this.#list[this.#index];
  }

  /** Moves to the next item. Resolves at the end too, with no current item. */
  async next(): Promise<void> {
    if (++this.#index < this.#list.length) return;
    this.#index = 0;
    do {
      const { done, value } = await this.#lists.next();
      this.#list = done ? [] : value;
      if (done) return;
    } while (this.#list.length === 0);
  }
}

async function mergePages(
  sources: readonly Source[],
  removed: ReadonlySet<string>,
  writer: SegmentWriter,
): Promise<void> {
  const feeds = sources.map((source) => new Feed(source.pages()));
  const pages = sources.map(() => 0);
  for (const feed of feeds) await feed.next();
  for (;;) {
    const keys = feeds.flatMap(({ current }) => (current ? [current.key] : []));
    if (keys.length === 0) return;
    const least = keys.reduce((one, other) => (other < one ? other : one));
    const holders = feeds.flatMap(({ current }, index) => (current?.key === least ? [index] : []));
    const last = holders.at(-1)!;
    if (!removed.has(least)) {
      const { words, wordMap } = feeds[last]!.current!;
      const source = sources[last]!;
      source.numbers[pages[last]!] = writer.pages;
      const bytes = source.peek("words", wordMap) ?? (await source.read("words", wordMap));
      await writer.addPage(least, words, bytes);
    }
    for (const index of holders) {
      pages[index]!++;
      await feeds[index]!.next();
    }
  }
}

/** The terms of one segment, in order. */
class TermFeed {
  readonly source: Source;
  readonly #blocks: AsyncGenerator<TermCursor>;
  #cursor: TermCursor | undefined;
  /** The current term; undefined at the end. */
  term: string | undefined;

  constructor(source: Source) {
    this.source = source;
    this.#blocks = source.segment.termsFrom("");
  }

  get cursor(): TermCursor {
    return this.#cursor!;
  }

  /** Moves to the next term of the block; returns false if a block has to be read first. */
  nextHere(): boolean {
    const cursor = this.#cursor;
    if (!cursor || !this.source.segment.decode(() => cursor.next())) return false;
    this.term = cursor.term;
    return true;
  }

  async nextBlock(): Promise<void> {
    const { value, done } = await this.#blocks.next();
    this.#cursor = done ? undefined : value;
    this.term = this.#cursor?.term;
  }
}

async function mergeTerms(sources: readonly Source[], writer: SegmentWriter): Promise<void> {
  const feeds = sources.map((source) => new TermFeed(source));
  for (const feed of feeds) await feed.nextBlock();
  for (;;) {
    let term: string | undefined;
    for (const feed of feeds)
      if (feed.term !== undefined && (term === undefined || feed.term < term)) term = feed.term;
    if (term === undefined) return;
    const holders = feeds.filter((feed) => feed.term === term);
    const isFound = await mergeOccurrences(holders, writer);
    if (isFound) writer.endTerm(term, usualSurface(holders, term));
    if (writer.isFull) await writer.flush();
    for (const feed of holders) if (!feed.nextHere()) await feed.nextBlock();
  }
}

/** Returns the spelling of the segment that has the term most often; the least one of several. */
function usualSurface(holders: readonly TermFeed[], term: string): string {
  const plain = plainTerm(term).text;
  let maxCount = 0;
  let chosen = "";
  for (const { cursor } of holders) {
    const count = occurrenceCount(cursor.found);
    const surface = cursor.surface(plain);
    if (count < maxCount || (count === maxCount && surface >= chosen)) continue;
    maxCount = count;
    chosen = surface;
  }
  return chosen;
}

/** Writes the pages of one term; returns false if all of them were removed. */
async function mergeOccurrences(holders: readonly TermFeed[], writer: SegmentWriter): Promise<boolean> {
  const feeds = holders.map(({ source, cursor }) => new PostingFeed(source, cursor.found));
  for (const feed of feeds) if (feed.current === undefined) await feed.nextGroup();
  let isFound = false;
  for (;;) {
    let first: PostingFeed | undefined;
    for (const feed of feeds)
      if (feed.current && (!first?.current || feed.current.page < first.current.page)) first = feed;
    if (!first?.current) return isFound;
    const { page, count, positions } = first.current;
    writer.addPosting(page, count, positions);
    isFound = true;
    if (first.next()) continue;
    if (writer.isFull) await writer.flush();
    await first.nextGroup();
  }
}

/** A term on one page, with the page's number in the result. */
interface Posting {
  readonly page: number;
  readonly count: number;
  readonly positions: Uint8Array;
}

/** The occurrences of one term in one segment, pages that are left out excepted. */
class PostingFeed {
  readonly #source: Source;
  readonly #found: Occurrences;
  #groups: PostingGroup[] | undefined;
  #group = 0;
  #postings: Posting[] = [];
  #index = 0;

  constructor(source: Source, found: Occurrences) {
    this.#source = source;
    this.#found = found;
    if (!("page" in found)) return;
    this.#groups = [];
    const page = source.segment.decode(() => this.#numberOf(found.page));
    if (page === dropped) return;
    const writer = new ByteWriter(8);
    writer.varint(found.position);
    this.#postings.push({ page, count: 1, positions: writer.writtenBytes() });
  }

  get current(): Posting | undefined {
    return this.#postings[this.#index];
  }

  #numberOf(page: number): number {
    const number = this.#source.numbers[page];
    if (number === undefined) throw new LostBlock();
    return number;
  }

  /** Moves to the next page of the group; returns false if another group has to be read first. */
  next(): boolean {
    return ++this.#index < this.#postings.length;
  }

  /** Reads the next group that has pages; resolves at the end too, with no current page. */
  async nextGroup(): Promise<void> {
    this.#groups ??= await this.#readGroups();
    this.#index = 0;
    this.#postings = [];
    while (this.#postings.length === 0 && this.#group < this.#groups.length)
      this.#postings = await this.#readGroup(this.#groups[this.#group++]!);
  }

  async #readGroups(): Promise<PostingGroup[]> {
    const found = this.#found;
    if ("page" in found) return [];
    const length = Math.min(found.postings.length, maxTableBytes(found.pages));
    const start = await this.#read("postings", { offset: found.postings.offset, length });
    return this.#source.segment.decode(() => groupsOf(found, start));
  }

  async #readGroup(group: PostingGroup): Promise<Posting[]> {
    const { segment } = this.#source;
    const bytes = await this.#read("postings", group.postings);
    const positions = await this.#read("positions", group.positions);
    return segment.decode(() => {
      const { pages, counts } = pagesOfGroup(group, bytes, segment.head.pages);
      const reader = new ByteReader(positions);
      const postings: Posting[] = [];
      pages.forEach((old, index) => {
        const { offset } = reader;
        reader.skipVarints(counts[index]!);
        const page = this.#numberOf(old);
        if (page === dropped) return;
        postings.push({ page, count: counts[index]!, positions: positions.subarray(offset, reader.offset) });
      });
      return postings;
    });
  }

  async #read(kind: StreamKind, extent: ByteRange): Promise<Uint8Array> {
    return this.#source.peek(kind, extent) ?? this.#source.read(kind, extent);
  }
}

/** Removes all blocks of a segment, the head first; does nothing if the store removes nothing. */
export async function removeSegment(blocks: Blocks, name: string): Promise<void> {
  const bytes = blocks.remove && (await blocks.read(headKey(name)));
  if (!bytes) return;
  const { files } = decodeHead(bytes);
  await blocks.remove?.(headKey(name));
  for (const kind of fileKinds)
    for (let index = 0; index < files[kind].checksums.length; index++)
      await blocks.remove?.(blockKey(name, kind, index));
}
