// Reads blocks of segments, through a cache that is bounded in bytes and shared by all of them.

import {
  type ByteRange,
  concatenate,
  crc32,
  createLru,
  createSingleFlight,
  type Lru,
} from "../../base/index.ts";
import { type Blocks, blockBytes, blockKey, type FileKind, headKey } from "./block-files.ts";
import { TermCursor } from "./dictionary.ts";
import { blockCount, decodeHead, type Head, type StreamKind } from "./head.ts";
import { LostBlock, ofSegment, orLost } from "./lost-block.ts";
import { type PageEntry, pagesOfBlock } from "./page-table.ts";
import { termBytes } from "./varints.ts";

/** Bytes of memory for each byte of a head, whose texts are strings. */
const headWeight = 4;
/** Bytes of memory for each byte of a block of pages, for the same reason. */
const pagesWeight = 6;

type Cached = Head | Uint8Array | readonly PageEntry[];

/** A segment whose head has been read. Its methods throw LostBlock, which names the segment. */
export class OpenSegment {
  readonly name: string;
  readonly head: Head;
  readonly #segments: OpenSegments;

  constructor(segments: OpenSegments, name: string, head: Head) {
    this.#segments = segments;
    this.name = name;
    this.head = head;
  }

  /** Runs what decodes bytes of this segment. */
  decode<T>(read: () => T): T {
    return ofSegment(this.name, read);
  }

  /** Returns block `index` of a file. */
  block(kind: FileKind, index: number): Promise<Uint8Array> {
    return this.#segments.block(this, kind, index);
  }

  /** Returns bytes of a file, in an array that is not to be changed. */
  async extent(kind: StreamKind, { offset, length }: ByteRange): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array();
    if (offset + length > this.head.lengths[kind]) throw new LostBlock(this.name);
    const first = Math.floor(offset / blockBytes);
    const last = Math.floor((offset + length - 1) / blockBytes);
    const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const blocks = await Promise.all(indexes.map((index) => this.block(kind, index)));
    const whole = blocks.length === 1 ? blocks[0]! : concatenate(blocks);
    const start = offset - first * blockBytes;
    if (start + length > whole.length) throw new LostBlock(this.name);
    return whole.subarray(start, start + length);
  }

  /**
   * Yields a cursor for each block of terms, from the first that may hold `from`, already at its first term.
   */
  async *termsFrom(from: string): AsyncGenerator<TermCursor> {
    const { firstTerms } = this.head;
    const target = termBytes(from);
    const start = Math.max(0, firstAbove(firstTerms, (term) => term > from) - 1);
    for (let index = start; index < firstTerms.length; index++) {
      const block = await this.block("terms", index);
      const cursor = this.decode(() => new TermCursor(block));
      if (this.decode(() => cursor.seek(target))) yield cursor;
    }
  }

  /** Returns the pages of block `index` of them. */
  pagesOfBlock(index: number): Promise<readonly PageEntry[]> {
    return this.#segments.pagesOfBlock(this, index);
  }

  /** Returns the pages of ascending numbers. */
  async pageEntries(numbers: ArrayLike<number>): Promise<PageEntry[]> {
    const { pageBlocks, pages } = this.head;
    const found: PageEntry[] = [];
    let index = -1;
    let entries: readonly PageEntry[] = [];
    for (let i = 0; i < numbers.length; i++) {
      const page = numbers[i]!;
      if (page >= pages) throw new LostBlock(this.name);
      const wanted = firstAbove(pageBlocks, ({ firstPage }) => firstPage > page) - 1;
      if (wanted !== index) entries = await this.pagesOfBlock((index = wanted));
      const entry = entries[page - pageBlocks[index]!.firstPage];
      if (!entry) throw new LostBlock(this.name);
      found.push(entry);
    }
    return found;
  }
}

/**
 * Returns the index of the first item that is above, in a list in which all after it are; its length if none.
 */
function firstAbove<T>(items: readonly T[], isAbove: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAbove(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The segments of a store of blocks, with what was read of them lately. */
export class OpenSegments {
  readonly #blocks: Blocks;
  readonly #cache: Lru<string, Cached>;
  readonly #reads = createSingleFlight<Cached>();

  /** `maxBytes` bounds the cache. */
  constructor(blocks: Blocks, maxBytes: number) {
    this.#blocks = blocks;
    this.#cache = createLru(maxBytes);
  }

  /** Bytes that the cache holds. */
  get bytes(): number {
    return this.#cache.weight;
  }

  /** Returns a segment with its head. Throws LostBlock if that is missing or damaged. */
  async open(name: string): Promise<OpenSegment> {
    const head = await this.#readCached(headKey(name), async () => {
      const bytes = await this.#blocks.read(headKey(name));
      if (!bytes) throw new LostBlock(name);
      const read = ofSegment(name, () => decodeHead(bytes));
      return [read, read.bytes * headWeight];
    });
    return new OpenSegment(this, name, head as Head);
  }

  /** True if the store has the head of a segment; other blocks may be missing. */
  async has(name: string): Promise<boolean> {
    return !("lost" in (await orLost(() => this.open(name))));
  }

  /** Returns a verified block. */
  async block({ name, head }: OpenSegment, kind: FileKind, index: number): Promise<Uint8Array> {
    const { inline, checksums } = head.files[kind];
    if (index >= blockCount(head.files[kind])) throw new LostBlock(name);
    if (inline) return inline;
    const key = blockKey(name, kind, index);
    const block = await this.#readCached(key, async () => {
      const bytes = await this.#blocks.read(key);
      if (!bytes || crc32(bytes) !== checksums[index]) throw new LostBlock(name);
      return [bytes, bytes.length];
    });
    return block as Uint8Array;
  }

  /** Returns the decoded pages of a block. */
  async pagesOfBlock(segment: OpenSegment, index: number): Promise<readonly PageEntry[]> {
    const { name, head } = segment;
    const pages = await this.#readCached(`${blockKey(name, "pages", index)}/decoded`, async () => {
      const block = await segment.block("pages", index);
      const { firstPage } = head.pageBlocks[index]!;
      const end = head.pageBlocks[index + 1]?.firstPage ?? head.pages;
      return [segment.decode(() => pagesOfBlock(block, end - firstPage)), block.length * pagesWeight];
    });
    return pages as readonly PageEntry[];
  }

  async #readCached(key: string, read: () => Promise<[value: Cached, weight: number]>): Promise<Cached> {
    const before = this.#cache.get(key);
    if (before) return before;
    return this.#reads.run(key, async () => {
      const [value, weight] = await read();
      this.#cache.set(key, value, weight);
      return value;
    });
  }
}
