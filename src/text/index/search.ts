// Searches segments: counts first, then the hits of a window of them.

import { cancelledError, createPauses, forEachConcurrently } from "../../base/index.ts";
import type { Hit } from "./hits.ts";
import { type Lost, LostBlock, orLost } from "./lost-block.ts";
import type { OpenSegment, OpenSegments } from "./open-segments.ts";
import type { PageQuery, Stemmer } from "./page-query.ts";
import type { Query } from "./query.ts";
import { type FoundPages, type MayRead, SegmentSearch } from "./segment-search.ts";
import { type ChosenTerms, chooseTerms } from "./terms.ts";
import { wordsOfPositions } from "./word-map.ts";

/** A segment to search. */
export interface SearchedSegment {
  readonly name: string;
  /**
   * Decides about each page, if the reader may not read all of them. Such a segment has no influence on what
   * is said of others, nor on what is said to be cut.
   */
  readonly mayRead?: MayRead;
}

export interface SearchOptions {
  /** Finds forms of words; without it words are found as they are. */
  readonly stem?: Stemmer;
  /** Bound of the pages that are counted. */
  readonly maxPages?: number;
  /** Returns where a page comes among the others, by its key; without it pages are in the order of keys. */
  readonly rankOf?: RankOf;
  /** Ends the search if it aborts. */
  readonly signal?: AbortSignal;
}

export type RankOf = (key: string) => number;

/** Pages that are counted at most. */
export const maxCountedPages = 10_000;

/** Segments that are read simultaneously. */
const maxOpen = 8;

/** Hits of a page. */
export interface PageHits {
  readonly page: string;
  readonly segment: string;
  /** Number of the first of these hits among those of the page. */
  readonly start: number;
  /** First and last word of each hit, numbered over the page. */
  readonly ranges: readonly (readonly [firstWord: number, lastWord: number])[];
  /** Finds the same hits in the record of the page (match.ts). */
  readonly query: PageQuery;
}

/** What a search has found. */
export interface Found {
  /** Pages with hits, and hits on them; more if `isCapped`. */
  readonly pages: number;
  readonly hits: number;
  readonly isCapped: boolean;
  /** Pages of the segments in which was searched. */
  readonly indexedPages: number;
  /** Words of the query that stand for more terms than are searched. */
  readonly cutWords: readonly string[];
  /** Segments that are missing or damaged, and are to be built again; what they hold is not found. */
  readonly lost: readonly string[];
  /**
   * Returns `count` hits from number `start`, by page in their order. Returns `{ lost }` if a segment has
   * become unreadable since.
   */
  readonly window: (start: number, count: number) => Promise<readonly PageHits[] | Lost>;
  /** Returns the first `hits` hits of each of `count` pages from number `start`, likewise. */
  readonly pageWindow: (start: number, count: number, hits: number) => Promise<readonly PageHits[] | Lost>;
}

/** A segment with what was found in it. */
interface SearchedPages extends FoundPages {
  readonly search: SegmentSearch;
  readonly query: PageQuery;
}

/** A page that was found. */
interface FoundPage {
  readonly from: SearchedPages;
  /** Index among the pages of its segment. */
  readonly index: number;
}

/**
 * Finds the pages of segments that have everything that a query asks for. Throws ServiceError `cancelled` if
 * the signal aborts.
 */
export async function search(
  segments: OpenSegments,
  names: readonly SearchedSegment[],
  query: Query,
  { stem, maxPages = maxCountedPages, rankOf, signal }: SearchOptions = {},
): Promise<Found> {
  const lost = new Set<string>();
  const pause = createPauses();
  const opened = query.clauses.length === 0 ? [] : await openAll(segments, names, lost, rankOf);
  const open = opened.filter(({ mayRead }) => !mayRead).map(({ segment }) => segment);
  const usual = await choices(open, query, lost, stem);
  const found: SearchedPages[] = [];
  let pages = 0;
  let isCapped = false;
  for (let start = 0; start < opened.length && !isCapped; start += maxOpen) {
    await pause();
    if (signal?.aborted) throw cancelledError(signal);
    const batch = opened.slice(start, start + maxOpen).filter(({ segment }) => !lost.has(segment.name));
    const begun = await Promise.all(
      batch.map(({ segment, mayRead }) =>
        noting(lost, async () => {
          const chosen = mayRead ? await choices([segment], query, lost, stem) : usual;
          return {
            search: await SegmentSearch.begin(segment, query, chosen.terms),
            query: chosen.query,
            mayRead,
          };
        }),
      ),
    );
    for (const one of begun) {
      if (!one || isCapped) continue;
      const result = await noting(lost, () => one.search.pages(maxPages - pages, one.mayRead));
      if (!result) continue;
      isCapped = result.isCut;
      pages += result.pages.length;
      found.push({ ...result, search: one.search, query: one.query });
    }
  }
  return {
    pages,
    hits: found.reduce((sum, { hits }) => hits.reduce((one, other) => one + other, sum), 0),
    isCapped,
    indexedPages: opened.reduce((sum, { segment }) => sum + segment.head.pages, 0),
    cutWords: usual.cutWords,
    lost: [...lost],
    window: (start, count) =>
      orLost(async () => readHits(hitsFrom(await inOrder(found, rankOf), start, count))),
    pageWindow: (start, count, max) =>
      orLost(async () => {
        const shown = (await inOrder(found, rankOf)).slice(start, start + count);
        return readHits(shown.map((page) => ({ page, from: 0, to: Math.min(max, hitsOn(page)) })));
      }),
  };
}

/** Runs a task; returns undefined if it meets a lost block, and notes its segment. */
async function noting<T>(lost: Set<string>, task: () => Promise<T>): Promise<T | undefined> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof LostBlock)) throw error;
    lost.add(error.segment);
    return undefined;
  }
}

interface OpenedSegment {
  readonly segment: OpenSegment;
  readonly mayRead: MayRead | undefined;
}

const firstKeyOf = ({ head }: OpenSegment) => head.pageBlocks[0]?.firstKey ?? "";

/** Opens segments that have pages, in the order of their first pages. */
async function openAll(
  segments: OpenSegments,
  names: readonly SearchedSegment[],
  lost: Set<string>,
  rankOf?: RankOf,
): Promise<OpenedSegment[]> {
  const opened: OpenedSegment[] = [];
  await forEachConcurrently(names, maxOpen, async ({ name, mayRead }) => {
    const segment = await noting(lost, () => segments.open(name));
    if (segment && segment.head.pages > 0) opened.push({ segment, mayRead });
  });
  const compare = compareKeys(rankOf);
  return opened.sort(
    ({ segment: one }, { segment: other }) =>
      compare(firstKeyOf(one), firstKeyOf(other)) || (one.name < other.name ? -1 : 1),
  );
}

/** Returns a comparison of the keys of pages, 0 for equal ones. */
function compareKeys(rankOf: RankOf | undefined): (one: string, other: string) => number {
  if (rankOf) return (one, other) => rankOf(one) - rankOf(other);
  return (one, other) => (one === other ? 0 : one < other ? -1 : 1);
}

interface Choices {
  /** For each element of each clause. */
  readonly terms: readonly (readonly ReadonlySet<string>[])[];
  readonly query: PageQuery;
  readonly cutWords: readonly string[];
}

/** Chooses the terms of each element; leaves out segments that are lost. */
async function choices(
  segments: readonly OpenSegment[],
  query: Query,
  lost: Set<string>,
  stem?: Stemmer,
): Promise<Choices> {
  const cutWords: string[] = [];
  const terms: ReadonlySet<string>[][] = [];
  const open = query.clauses
    .flat()
    .filter(({ comparison }) => comparison === "prefix" || (stem && comparison === "forms"));
  const share = Math.max(1, open.length);
  for (const clause of query.clauses) {
    terms.push([]);
    for (const element of clause) {
      const whole = segments.filter(({ name }) => !lost.has(name));
      const chosen: ChosenTerms | undefined = await noting(lost, () =>
        chooseTerms(whole, element, share, stem),
      );
      // A segment was lost on the way: begin again without it.
      if (!chosen) return choices(segments, query, lost, stem);
      if (chosen.isCut) cutWords.push(element.text);
      terms.at(-1)!.push(chosen.terms);
    }
  }
  const clauses = query.clauses.map((clause, index) =>
    clause.map(({ advance, cover }, element) => {
      const chosen = terms[index]![element]!;
      return { advance, cover, accepts: (term: string) => chosen.has(term) };
    }),
  );
  return { terms, query: { clauses }, cutWords };
}

/** Returns all pages in their order. */
async function inOrder(found: readonly SearchedPages[], rankOf?: RankOf): Promise<FoundPage[]> {
  const ordered: FoundPage[][] = [];
  for (const group of rankOf ? [found] : groupOverlapping(found)) {
    const pages = group.flatMap((from) => from.pages.map((_, index): FoundPage => ({ from, index })));
    ordered.push(group.length > 1 || rankOf ? await byKey(group, pages, compareKeys(rankOf)) : pages);
  }
  return ordered.flat();
}

/** Returns groups of segments, so that all keys of a group are above those of the groups before. */
function groupOverlapping(found: readonly SearchedPages[]): SearchedPages[][] {
  const groups: SearchedPages[][] = [];
  let lastKey = "";
  for (const one of found) {
    const { head } = one.search.segment;
    if (groups.length === 0 || firstKeyOf(one.search.segment) > lastKey) groups.push([one]);
    else groups.at(-1)!.push(one);
    if (head.lastKey > lastKey) lastKey = head.lastKey;
  }
  return groups;
}

async function byKey(
  group: readonly SearchedPages[],
  pages: readonly FoundPage[],
  compare: (one: string, other: string) => number,
): Promise<FoundPage[]> {
  const keys = new Map<SearchedPages, readonly string[]>();
  const pause = createPauses();
  for (const one of group) {
    await pause();
    const entries = await one.search.segment.pageEntries(one.pages);
    keys.set(
      one,
      entries.map(({ key }) => key),
    );
  }
  const keyOf = ({ from, index }: FoundPage) => keys.get(from)![index]!;
  return pages
    .map((page) => ({ page, key: keyOf(page) }))
    .sort((one, other) => compare(one.key, other.key))
    .map(({ page }) => page);
}

const hitsOn = ({ from, index }: FoundPage) => from.hits[index]!;

/** Some hits of a page, by their numbers on it. */
interface WantedHits {
  readonly page: FoundPage;
  readonly from: number;
  readonly to: number;
}

/** Returns `count` hits of pages in their order, from number `start`. */
function hitsFrom(pages: readonly FoundPage[], start: number, count: number): WantedHits[] {
  const wanted: WantedHits[] = [];
  let before = 0;
  for (const page of pages) {
    const hits = hitsOn(page);
    const from = Math.max(0, start - before);
    const to = Math.min(hits, start + count - before);
    if (from < to) wanted.push({ page, from, to });
    before += hits;
    if (before >= start + count) break;
  }
  return wanted;
}

async function readHits(wanted: readonly WantedHits[]): Promise<PageHits[]> {
  const read = new Map<
    FoundPage,
    { readonly key: string; readonly words: readonly (readonly [number, number])[] }
  >();
  const pause = createPauses();
  for (const from of new Set(wanted.map(({ page }) => page.from))) {
    await pause();
    const own = wanted.filter(({ page }) => page.from === from).map(({ page }) => page);
    const results = await readPages(from, own);
    for (const [index, page] of own.entries()) read.set(page, results[index]!);
  }
  return wanted.map(({ page, from, to }) => {
    const { key, words } = read.get(page)!;
    const { search, query } = page.from;
    return { page: key, segment: search.segment.name, start: from, ranges: words.slice(from, to), query };
  });
}

/** Returns key and hits of pages of one segment, in their order. */
async function readPages({ search, pages }: SearchedPages, wanted: readonly FoundPage[]) {
  const { segment } = search;
  const numbers = Uint32Array.from(wanted, ({ index }) => pages[index]!).sort();
  const [hits, entries] = await Promise.all([search.hitsOn(numbers), segment.pageEntries(numbers)]);
  const maps = await Promise.all(entries.map(({ wordMap }) => segment.extent("words", wordMap)));
  const byNumber = new Map(
    entries.map(({ key, words }, index) => {
      const onPage = hits.get(numbers[index]!) ?? [];
      const ranges = segment.decode(() => rangesOf(onPage, maps[index]!, words));
      return [numbers[index]!, { key, words: ranges }] as const;
    }),
  );
  return wanted.map(({ index }) => byNumber.get(pages[index]!)!);
}

/** Returns the words of hits by the positions that they cover. */
function rangesOf(hits: readonly Hit[], map: Uint8Array, words: number): [first: number, last: number][] {
  const firsts = wordsOfPositions(
    map,
    words,
    hits.map(({ first }) => first),
  );
  const ends = [...new Set(hits.map(({ last }) => last))].sort((one, other) => one - other);
  const lasts = wordsOfPositions(map, words, ends);
  const lastOf = new Map(ends.map((end, index) => [end, lasts[index]!]));
  return hits.map(({ last }, index) => [firsts[index]!, lastOf.get(last)!]);
}
