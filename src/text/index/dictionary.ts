// Blocks of terms: sorted, front-coded, in groups that begin with a whole term, so that a lookup reads one
// group. A term that occurs once is complete here; the others say where their lists are.
//
// A block: groups, the offset of each (four bytes), their number (four bytes).
// A group: the offsets of its first lists in the files `postings` and `positions`, then its entries.
// An entry: bytes shared with the term before × 8 + spelling × 2 + (1 if it occurs once); the other bytes of
// the term with their number; the spelling if it is not derived; then page and position, or the numbers of
// pages and of further occurrences and the lengths of both lists.

import type { ByteRange } from "../../base/index.ts";
import { BlockFileWriter, type Blocks, entryBlockBytes, type FileDirectory } from "./block-files.ts";
import { LostBlock } from "./lost-block.ts";
import { ByteReader, ByteWriter, compareBytes, sharedLength, termBytes, termText } from "./varints.ts";

/** Terms of a group. */
const groupTerms = 64;

/** Maximum bytes of a term: a pair of units of 64 code units, and a control character. */
export const maxTermBytes = 400;
const maxSurfaceBytes = 1024;

/** Where the occurrences of a term are. */
export interface OccurrenceLists {
  readonly pages: number;
  readonly occurrences: number;
  readonly postings: ByteRange;
  readonly positions: ByteRange;
}

export type Occurrences = { readonly page: number; readonly position: number } | OccurrenceLists;

/** Returns the number of occurrences. */
export const occurrenceCount = (found: Occurrences): number => ("page" in found ? 1 : found.occurrences);

/** Spellings that follow from the term, by the number that an entry holds. */
const spellings: readonly ((term: string) => string)[] = [
  (term) => term,
  (term) => term.charAt(0).toUpperCase() + term.slice(1),
  (term) => term.toUpperCase(),
];

/** Writes terms in ascending order. */
export class DictionaryWriter {
  readonly #file: BlockFileWriter;
  readonly #block = new ByteWriter(entryBlockBytes + 1024);
  readonly firstTerms: string[] = [];
  terms = 0;
  #groups: number[] = [];
  #termsOfGroup = 0;
  /** Ends of the lists so far in the two files, which is where those of the next term begin. */
  #postings = 0;
  #positions = 0;
  #before: Uint8Array = new Uint8Array();

  constructor(blocks: Blocks, segment: string) {
    this.#file = new BlockFileWriter(blocks, segment, "terms");
  }

  get isFull(): boolean {
    return this.#block.length >= entryBlockBytes;
  }

  /** `plain` is the term without the number of positions that it may end in; `surface` is its spelling. */
  add(term: string, plain: string, surface: string, found: Occurrences): void {
    const bytes = termBytes(term);
    if (this.#groups.length === 0) this.firstTerms.push(term);
    const isFirst = this.#groups.length === 0 || this.#termsOfGroup === groupTerms;
    if (isFirst) this.#beginGroup();
    const shared = isFirst ? 0 : sharedLength(this.#before, bytes);
    const spelling = spellings.findIndex((spell) => spell(plain) === surface);
    const isOnce = "page" in found;
    this.#block.varint(shared * 8 + (spelling < 0 ? 3 : spelling) * 2 + (isOnce ? 1 : 0));
    this.#block.varint(bytes.length - shared);
    this.#block.bytes(bytes.subarray(shared));
    if (spelling < 0) this.#block.text(surface);
    const numbers = isOnce
      ? [found.page, found.position]
      : [found.pages, found.occurrences - found.pages, found.postings.length, found.positions.length];
    for (const value of numbers) this.#block.varint(value);
    if (!isOnce) {
      this.#postings += found.postings.length;
      this.#positions += found.positions.length;
    }
    this.#before = bytes;
    this.#termsOfGroup++;
    this.terms++;
  }

  #beginGroup(): void {
    this.#groups.push(this.#block.length);
    this.#termsOfGroup = 0;
    this.#block.varint(this.#postings);
    this.#block.varint(this.#positions);
  }

  /** Writes the block if it is full. */
  async flush(): Promise<void> {
    if (this.isFull) await this.#endBlock();
  }

  async #endBlock(): Promise<void> {
    for (const offset of this.#groups) this.#block.uint32(offset);
    this.#block.uint32(this.#groups.length);
    this.#groups = [];
    const block = this.#block.writtenBytes().slice();
    this.#block.clear();
    await this.#file.push(block);
  }

  async finish(): Promise<FileDirectory> {
    if (this.#groups.length > 0) await this.#endBlock();
    return this.#file.directory();
  }
}

/** Reads the terms of one block, from entry to entry. Throws LostBlock if its bytes make no sense. */
export class TermCursor {
  readonly #reader: ByteReader;
  readonly #groups: readonly number[];
  readonly #term = new Uint8Array(maxTermBytes);
  #length = 0;
  #group = -1;
  #groupEnd = 0;
  #postings = 0;
  #positions = 0;
  #spelling = 0;
  #surface = "";
  #found: Occurrences = { page: 0, position: 0 };

  /** Throws LostBlock if the block has no groups. */
  constructor(block: Uint8Array) {
    const count = block.length < 8 ? 0 : new ByteReader(block, block.length - 4).uint32();
    const end = block.length - 4 - count * 4;
    if (count === 0 || end <= 0) throw new LostBlock();
    const offsets = new ByteReader(block, end);
    this.#groups = [...Array.from({ length: count }, () => offsets.uint32()), end];
    this.#reader = new ByteReader(block, 0, end);
  }

  /** The term, of which the next move leaves nothing. */
  get term(): string {
    return termText(this.#term, this.#length);
  }

  get found(): Occurrences {
    return this.#found;
  }

  /** The spelling; `plain` is the term without the number of positions that it may end in. */
  surface(plain: string): string {
    return spellings[this.#spelling]?.(plain) ?? this.#surface;
  }

  /** Compares the term with other bytes. */
  compare(other: Uint8Array): number {
    return compareBytes(this.#term, this.#length, other);
  }

  startsWith(prefix: Uint8Array): boolean {
    return this.#length >= prefix.length && compareBytes(this.#term, prefix.length, prefix) === 0;
  }

  /** Moves to the first term that is not less than `target`; returns false if the block has none. */
  seek(target: Uint8Array): boolean {
    let low = 0;
    let high = this.#groups.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      this.#beginGroup(middle);
      this.#readEntry();
      if (this.compare(target) <= 0) low = middle;
      else high = middle - 1;
    }
    this.#beginGroup(low);
    while (this.next()) if (this.compare(target) >= 0) return true;
    return false;
  }

  /** Moves to the next term; returns false at the end. */
  next(): boolean {
    if (this.#reader.offset >= this.#groupEnd) {
      if (this.#group + 2 >= this.#groups.length) return false;
      this.#beginGroup(this.#group + 1);
    }
    this.#readEntry();
    return true;
  }

  #beginGroup(index: number): void {
    const [start, end] = [this.#groups[index]!, this.#groups[index + 1]!];
    if (start >= end || end > this.#reader.end) throw new LostBlock();
    this.#group = index;
    this.#groupEnd = end;
    this.#reader.offset = start;
    this.#length = 0;
    this.#postings = this.#reader.varint();
    this.#positions = this.#reader.varint();
  }

  #readEntry(): void {
    const reader = this.#reader;
    const first = reader.varint(maxTermBytes * 8);
    const shared = first >> 3;
    const added = reader.take(reader.varint(maxTermBytes));
    if (shared > this.#length || shared + added.length > maxTermBytes) throw new LostBlock();
    this.#term.set(added, shared);
    this.#length = shared + added.length;
    this.#spelling = (first >> 1) & 3;
    if (this.#spelling === 3) this.#surface = reader.text(maxSurfaceBytes);
    this.#found = first & 1 ? { page: reader.varint(), position: reader.varint() } : this.#readLists();
  }

  #readLists(): Occurrences {
    const reader = this.#reader;
    const pages = reader.varint();
    const occurrences = pages + reader.varint();
    const postings = { offset: this.#postings, length: reader.varint() };
    const positions = { offset: this.#positions, length: reader.varint() };
    this.#postings += postings.length;
    this.#positions += positions.length;
    return { pages, occurrences, postings, positions };
  }
}
