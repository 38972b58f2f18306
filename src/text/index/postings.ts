// The lists of a term: in the file `postings` its pages and how often it occurs on each, in the file
// `positions` where. Pages are in groups of 128. A term with more than one group begins with a table of them,
// so that a reader decodes only groups in which it looks for pages.
//
// The table: for each group its last page less the one of the group before, and its bytes in both files.
// A page: the pages skipped since the one before × 2 + (1 if the term occurs again); then how often beyond 2.
// Positions: the first, then the distance of each to the one before.

import type { ByteRange } from "../../base/index.ts";
import type { OccurrenceLists } from "./dictionary.ts";
import { LostBlock } from "./lost-block.ts";
import { ByteReader, ByteWriter } from "./varints.ts";

/** Pages of a group. */
export const groupPages = 128;

/** Writes the pages of one term, in ascending order. */
export class PostingsWriter {
  readonly #groups = new ByteWriter(1024);
  readonly #table = new ByteWriter();
  #lastPage = -1;
  #pagesOfGroup = 0;
  #lastOfGroup = -1;
  #groupStart = 0;
  #positionsOfGroup = 0;
  pages = 0;
  occurrences = 0;
  /** Bytes of positions of all pages. */
  positionBytes = 0;

  /** Adds a page with the number of occurrences on it, and of the bytes that their positions take. */
  add(page: number, count: number, positionBytes: number): void {
    if (this.#pagesOfGroup === groupPages) this.#endGroup();
    this.#groups.varint((page - this.#lastPage - 1) * 2 + (count > 1 ? 1 : 0));
    if (count > 1) this.#groups.varint(count - 2);
    this.#lastPage = page;
    this.#pagesOfGroup++;
    this.#positionsOfGroup += positionBytes;
    this.positionBytes += positionBytes;
    this.pages++;
    this.occurrences += count;
  }

  #endGroup(): void {
    this.#table.varint(this.#lastPage - this.#lastOfGroup);
    this.#table.varint(this.#groups.length - this.#groupStart);
    this.#table.varint(this.#positionsOfGroup);
    this.#lastOfGroup = this.#lastPage;
    this.#groupStart = this.#groups.length;
    this.#pagesOfGroup = 0;
    this.#positionsOfGroup = 0;
  }

  /** Returns the bytes of the list in two parts, which change with the next term. */
  finish(): readonly [table: Uint8Array, groups: Uint8Array] {
    if (this.pages <= groupPages) return [new Uint8Array(), this.#groups.writtenBytes()];
    this.#endGroup();
    return [this.#table.writtenBytes(), this.#groups.writtenBytes()];
  }

  /** Begins the next term. */
  clear(): void {
    this.#groups.clear();
    this.#table.clear();
    this.#lastPage = this.#lastOfGroup = -1;
    this.#pagesOfGroup = this.#groupStart = this.#positionsOfGroup = 0;
    this.pages = this.occurrences = this.positionBytes = 0;
  }
}

/** A group of pages, with where its parts are in the files. */
export interface PostingGroup {
  /** The last page of the group before, or -1. */
  readonly before: number;
  readonly lastPage: number;
  readonly pages: number;
  readonly postings: ByteRange;
  readonly positions: ByteRange;
}

/** Bytes that the table of a list takes at most: three varints for each group. */
export const maxTableBytes = (pages: number): number =>
  pages <= groupPages ? 0 : Math.ceil(pages / groupPages) * 18;

/** Returns the groups of a list. `start` holds its first bytes, at least its table. */
export function groupsOf(lists: OccurrenceLists, start: Uint8Array): PostingGroup[] {
  const { pages, postings, positions } = lists;
  if (pages <= groupPages)
    return [{ before: -1, lastPage: Number.POSITIVE_INFINITY, pages, postings, positions }];
  const reader = new ByteReader(start);
  const count = Math.ceil(pages / groupPages);
  if (count * 3 > start.length) throw new LostBlock();
  const rows = Array.from(
    { length: count },
    () => [reader.varint(), reader.varint(), reader.varint()] as const,
  );
  let before = -1;
  let postingsAt = postings.offset + reader.offset;
  let positionsAt = positions.offset;
  const groups = rows.map(([step, postingBytes, positionBytes], index) => {
    const group: PostingGroup = {
      before,
      lastPage: before + step,
      pages: index < count - 1 ? groupPages : pages - index * groupPages,
      postings: { offset: postingsAt, length: postingBytes },
      positions: { offset: positionsAt, length: positionBytes },
    };
    before = group.lastPage;
    postingsAt += postingBytes;
    positionsAt += positionBytes;
    return group;
  });
  const isWhole =
    postingsAt === postings.offset + postings.length && positionsAt === positions.offset + positions.length;
  if (!isWhole) throw new LostBlock();
  return groups;
}

/** Pages of a term in ascending order, and how often it occurs on each. */
export interface Postings {
  readonly pages: Uint32Array;
  readonly counts: Uint32Array;
}

/** Returns the pages of a group; throws LostBlock if they are not below `pageCount`. */
export function pagesOfGroup(group: PostingGroup, bytes: Uint8Array, pageCount: number): Postings {
  const reader = new ByteReader(bytes);
  if (group.pages > pageCount) throw new LostBlock();
  const pages = new Uint32Array(group.pages);
  const counts = new Uint32Array(group.pages);
  let page = group.before;
  for (let i = 0; i < pages.length; i++) {
    const first = reader.varint();
    page += Math.floor(first / 2) + 1;
    if (page >= pageCount) throw new LostBlock();
    pages[i] = page;
    counts[i] = first % 2 === 1 ? reader.varint() + 2 : 1;
  }
  return { pages, counts };
}

/** Returns `count` positions, which the reader is at. */
export function readPositions(reader: ByteReader, count: number): number[] {
  if (count > reader.left) throw new LostBlock();
  const positions = new Array<number>(count);
  let position = 0;
  for (let i = 0; i < count; i++) positions[i] = position += reader.varint();
  return positions;
}
