// The pages of one term in one segment, and its positions on them. Only groups are read in which pages are
// looked for.

import type { Occurrences } from "./dictionary.ts";
import { LostBlock } from "./lost-block.ts";
import type { OpenSegment } from "./open-segments.ts";
import {
  groupsOf,
  maxTableBytes,
  type PostingGroup,
  type Postings,
  pagesOfGroup,
  readPositions,
} from "./postings.ts";
import type { PlainTerm } from "./tokens.ts";
import { ByteReader } from "./varints.ts";

/** A group of the list with its pages. */
interface ReadGroup extends Postings {
  readonly group: PostingGroup;
}

export class TermPages {
  readonly #segment: OpenSegment;
  readonly #found: Occurrences;
  readonly term: PlainTerm;
  #groups: readonly PostingGroup[] | undefined;
  readonly #read = new Map<PostingGroup, Promise<ReadGroup>>();

  constructor(segment: OpenSegment, found: Occurrences, term: PlainTerm) {
    this.#segment = segment;
    this.#found = found;
    this.term = term;
  }

  /** Number of pages. */
  get size(): number {
    return "page" in this.#found ? 1 : this.#found.pages;
  }

  /** Returns pages and counts: all of them, or at least those that are among `wanted` (ascending). */
  async pages(wanted?: Uint32Array): Promise<Postings> {
    const found = this.#found;
    if ("page" in found && found.page >= this.#segment.head.pages) throw new LostBlock(this.#segment.name);
    if ("page" in found) return { pages: Uint32Array.of(found.page), counts: Uint32Array.of(1) };
    const groups = await this.#groupsWith(wanted);
    if (groups.length === 1) return groups[0]!;
    const total = groups.reduce((sum, { pages }) => sum + pages.length, 0);
    const [pages, counts] = [new Uint32Array(total), new Uint32Array(total)];
    let offset = 0;
    for (const group of groups) {
      pages.set(group.pages, offset);
      counts.set(group.counts, offset);
      offset += group.pages.length;
    }
    return { pages, counts };
  }

  /** Returns the positions on each of the pages (ascending) that the term is on. */
  async positions(wanted: Uint32Array): Promise<Map<number, readonly number[]>> {
    const found = this.#found;
    if ("page" in found) return new Map(wanted.includes(found.page) ? [[found.page, [found.position]]] : []);
    const groups = await this.#groupsWith(wanted);
    const bytes = await Promise.all(
      groups.map(({ group }) => this.#segment.extent("positions", group.positions)),
    );
    const positions = new Map<number, readonly number[]>();
    let next = 0;
    groups.forEach(({ pages, counts }, index) => {
      this.#segment.decode(() => {
        const reader = new ByteReader(bytes[index]!);
        for (let i = 0; i < pages.length; i++) {
          const page = pages[i]!;
          while (next < wanted.length && wanted[next]! < page) next++;
          if (next >= wanted.length) return;
          if (wanted[next] === page) positions.set(page, readPositions(reader, counts[i]!));
          else reader.skipVarints(counts[i]!);
        }
      });
    });
    return positions;
  }

  async #groupsWith(wanted?: Uint32Array): Promise<ReadGroup[]> {
    this.#groups ??= await this.#readGroups();
    const groups = wanted ? groupsWithin(this.#groups, wanted) : this.#groups;
    return Promise.all(groups.map((group) => this.#readGroup(group)));
  }

  async #readGroups(): Promise<readonly PostingGroup[]> {
    const found = this.#found;
    if ("page" in found) return [];
    const length = Math.min(found.postings.length, maxTableBytes(found.pages));
    const start = await this.#segment.extent("postings", { offset: found.postings.offset, length });
    return this.#segment.decode(() => groupsOf(found, start));
  }

  #readGroup(group: PostingGroup): Promise<ReadGroup> {
    const before = this.#read.get(group);
    if (before) return before;
    const { head } = this.#segment;
    const reading = this.#segment.extent("postings", group.postings).then((bytes) => ({
      ...this.#segment.decode(() => pagesOfGroup(group, bytes, head.pages)),
      group,
    }));
    this.#read.set(group, reading);
    return reading;
  }
}

/** Returns the groups that may hold one of the pages (ascending). */
function groupsWithin(groups: readonly PostingGroup[], wanted: Uint32Array): PostingGroup[] {
  let next = 0;
  return groups.filter(({ before, lastPage }) => {
    while (next < wanted.length && wanted[next]! <= before) next++;
    return next < wanted.length && wanted[next]! <= lastPage;
  });
}

/** Returns pages below `pageCount` that are in any of the lists (ascending). */
export function unionOf(lists: readonly Uint32Array[], pageCount: number): Uint32Array {
  if (lists.length === 1) return lists[0]!;
  const isThere = new Uint8Array(pageCount);
  let length = 0;
  for (const list of lists)
    for (const page of list) {
      if (isThere[page] === 0) length++;
      isThere[page] = 1;
    }
  const union = new Uint32Array(length);
  for (let page = 0, next = 0; next < length; page++) if (isThere[page] === 1) union[next++] = page;
  return union;
}

/** Returns pages that are in both lists (ascending). */
export function intersectionOf(one: Uint32Array, other: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(one.length, other.length));
  let length = 0;
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const difference = one[i]! - other[j]!;
    if (difference === 0) both[length++] = one[i]!;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return both.subarray(0, length);
}
