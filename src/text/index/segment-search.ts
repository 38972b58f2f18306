// Finds the pages of one segment that have everything that a query asks for, and the hits on them.

import { createPauses, forEachConcurrently } from "../../base/index.ts";
import { countHits, type Hit, hitsOf, type Occurrences, phrases, type Ranges } from "./hits.ts";
import type { OpenSegment } from "./open-segments.ts";
import type { Query } from "./query.ts";
import { intersectionOf, type TermPages, unionOf } from "./term-pages.ts";
import { pagesOfTerm } from "./terms.ts";

/** Returns true if the reader may see the text of a page. */
export type MayRead = (key: string) => Promise<boolean>;

/** Number of pages whose positions are read together. */
const chunkPages = 512;
/** Maximum number of questions about access that are open simultaneously. */
const maxQuestions = 16;

/** An element of the query with the lists of its terms. */
interface SearchedElement {
  readonly advance: number;
  readonly cover: number;
  readonly lists: readonly TermPages[];
}

/** Pages in ascending order, and how many hits each has. */
export interface FoundPages {
  readonly pages: readonly number[];
  readonly hits: readonly number[];
  /** True if there are more. */
  readonly isCut: boolean;
}

export class SegmentSearch {
  readonly segment: OpenSegment;
  readonly #clauses: readonly (readonly SearchedElement[])[];
  /** Pages that have every element. */
  #candidates: Uint32Array = new Uint32Array();

  private constructor(segment: OpenSegment, clauses: readonly (readonly SearchedElement[])[]) {
    this.segment = segment;
    this.#clauses = clauses;
  }

  /** Looks up the terms that were chosen for each element of each clause, and the pages that have them. */
  static async begin(
    segment: OpenSegment,
    query: Query,
    terms: readonly (readonly ReadonlySet<string>[])[],
  ): Promise<SegmentSearch> {
    const clauses = await Promise.all(
      query.clauses.map((clause, index) =>
        Promise.all(
          clause.map(async ({ advance, cover }, element) => {
            const lists = await Promise.all(
              [...terms[index]![element]!].map((term) => pagesOfTerm(segment, term)),
            );
            return { advance, cover, lists: lists.flat() };
          }),
        ),
      ),
    );
    const begun = new SegmentSearch(segment, clauses);
    begun.#candidates = await begun.#findCandidates();
    return begun;
  }

  /** Returns pages with hits, at most `maxPages` of those that may be read. */
  async pages(maxPages: number, mayRead?: MayRead): Promise<FoundPages> {
    const candidates = this.#candidates;
    const pages: number[] = [];
    const hits: number[] = [];
    const counted = await this.#counts(candidates);
    const pause = createPauses();
    for (let start = 0; start < candidates.length; start += chunkPages) {
      await pause();
      const chunk = candidates.subarray(start, start + chunkPages);
      const counts = counted?.subarray(start, start + chunkPages) ?? (await this.#hitCounts(chunk));
      const isReadable = mayRead && (await this.#areReadable(chunk, counts, mayRead));
      for (let i = 0; i < chunk.length; i++) {
        if (counts[i] === 0 || (isReadable && !isReadable[i])) continue;
        if (pages.length === maxPages) return { pages, hits, isCut: true };
        pages.push(chunk[i]!);
        hits.push(counts[i]!);
      }
    }
    return { pages, hits, isCut: false };
  }

  /** Returns the hits on each of the pages (ascending) that has any. */
  async hitsOn(pages: Uint32Array): Promise<Map<number, Hit[]>> {
    return this.#onPages(pages, hitsOf);
  }

  /** Returns what is made of the ranges of each clause on the pages that have all of them. */
  async #onPages<T>(pages: Uint32Array, make: (clauses: readonly Ranges[]) => T): Promise<Map<number, T>> {
    const elements = await Promise.all(
      this.#clauses.map((clause) => Promise.all(clause.map((element) => occurrences(element, pages)))),
    );
    const found = new Map<number, T>();
    for (const page of pages) {
      const clauses = elements.map((clause) => phrases(clause.map((onPages) => onPages.get(page) ?? [])));
      if (clauses.every(({ firsts }) => firsts.length > 0)) found.set(page, make(clauses));
    }
    return found;
  }

  /** Returns the pages that have every element, the rarest being read first. */
  async #findCandidates(): Promise<Uint32Array> {
    const sizeOf = ({ lists }: SearchedElement) => lists.reduce((sum, { size }) => sum + size, 0);
    const elements = this.#clauses.flat().sort((one, other) => sizeOf(one) - sizeOf(other));
    let candidates: Uint32Array | undefined;
    for (const { lists } of elements) {
      if (lists.length === 0 || candidates?.length === 0) return new Uint32Array();
      const read = await Promise.all(lists.map((list) => list.pages(candidates)));
      const pages = unionOf(
        read.map((postings) => postings.pages),
        this.segment.head.pages,
      );
      candidates = candidates ? intersectionOf(candidates, pages) : pages;
    }
    return candidates ?? new Uint32Array();
  }

  /**
   * Returns how often the terms of a single element are on each of the candidates; undefined if the query has
   * several. Positions are read only of pages with divided words, whose terms share positions with others.
   */
  async #counts(candidates: Uint32Array): Promise<Uint32Array | undefined> {
    const [element, ...others] = this.#clauses.flat();
    if (!element || others.length > 0) return;
    const totals = new Uint32Array(this.segment.head.pages);
    const divided: Uint32Array[] = [];
    for (const list of element.lists) {
      const { pages, counts } = await list.pages();
      if (list.term.isDivided) divided.push(pages);
      else for (let i = 0; i < pages.length; i++) totals[pages[i]!]! += counts[i]!;
    }
    if (divided.length > 0) {
      const pages = unionOf(divided, totals.length);
      const counts = await this.#hitCounts(pages);
      for (let i = 0; i < pages.length; i++) totals[pages[i]!] = counts[i]!;
    }
    return candidates.map((page) => totals[page]!);
  }

  async #hitCounts(pages: Uint32Array): Promise<Uint32Array> {
    const counts = await this.#onPages(pages, countHits);
    return pages.map((page) => counts.get(page) ?? 0);
  }

  async #areReadable(pages: Uint32Array, counts: Uint32Array, mayRead: MayRead): Promise<boolean[]> {
    const isReadable = new Array<boolean>(pages.length).fill(false);
    const entries = await this.segment.pageEntries(pages);
    await forEachConcurrently(entries.entries(), maxQuestions, async ([index, { key }]) => {
      if (counts[index]! > 0) isReadable[index] = await mayRead(key);
    });
    return isReadable;
  }
}

/** Returns the occurrences of each term of an element by page. */
async function occurrences(
  { advance, cover, lists }: SearchedElement,
  pages: Uint32Array,
): Promise<Map<number, Occurrences[]>> {
  const found = new Map<number, Occurrences[]>();
  const read = await Promise.all(lists.map((list) => list.positions(pages)));
  read.forEach((positionsOn, index) => {
    const { span } = lists[index]!.term;
    for (const [page, positions] of positionsOn) {
      const own = span > 1 ? { positions, advance: span, cover: span } : { positions, advance, cover };
      const others = found.get(page);
      if (others) others.push(own);
      else found.set(page, [own]);
    }
  });
  return found;
}
