// Finds the hits that a search returned again on their page, without cutting all of it into terms.

import type { Line, PageText, Word } from "../page-text.ts";
import { nearness } from "./hits.ts";
import { contextLength, matchPage, matchPart, type PageHit } from "./match.ts";
import type { PageQuery } from "./page-query.ts";
import type { PageHits } from "./search.ts";

/** Consecutive words of a page. */
interface Part {
  readonly firstLine: number;
  /** Number of its first word on the page. */
  readonly firstWord: number;
  readonly page: PageText;
}

/** Words around hits that decide about them if the nearest ones do not, on a page that is too long. */
const wideMargin = 2000;
/** Words of a page that is matched as a whole: a tenth of a second. */
const maxWords = 50_000;

/**
 * Returns the hits of a page that a search has returned, as {@link matchPage} does. Only the words around
 * them are cut into terms, which takes a tenth of the time on a page with few hits; if these alone do not
 * show the same hits, or the page has changed, the whole page is. A page of more than 50,000 words is not:
 * some of its hits may then be missing.
 */
export function matchHits(
  page: PageText,
  { query, start, ranges }: Pick<PageHits, "query" | "start" | "ranges">,
): PageHit[] {
  const words = page.lines.flatMap((line) => line.words);
  const wanted = new Set(ranges.map(String));
  const matchAround = (margin: number) =>
    partsAround(page, boundsAround(words, ranges, margin))
      .flatMap((part) => matchPart(part.page, query).map((hit) => moveHit(hit, part)))
      .filter((hit) => wanted.has(String(hit.words)));
  const hits = matchAround(nearness);
  if (hits.length === ranges.length) return hits;
  if (words.length <= maxWords) return matchPage(page, query, start, ranges.length);
  return matchAround(wideMargin).slice(0, ranges.length);
}

/**
 * Returns the first hits of a page of which only a search elsewhere says that it has some. What is beyond
 * 50,000 words is not found.
 */
export function matchFirst(page: PageText, query: PageQuery, count: number): PageHit[] {
  let words = 0;
  const lines = page.lines.filter((line) => (words += line.words.length) <= maxWords);
  return matchPage(lines.length < page.lines.length ? { ...page, lines } : page, query, 0, count);
}

const moveHit = ({ words, lines, ...hit }: PageHit, { firstLine, firstWord }: Part): PageHit => ({
  ...hit,
  words: moveRange(words, firstWord),
  lines: lines.map((part) => ({
    ...part,
    line: part.line + firstLine,
    words: moveRange(part.words, firstWord),
  })),
});

const moveRange = ([first, last]: readonly [number, number], by: number) => [first + by, last + by] as const;

interface Bounds {
  readonly from: number;
  /** Number of the word after the last one. */
  end: number;
}

/** Returns what words hits are, with those before and after that decide about them or are shown. */
function boundsAround(words: readonly Word[], ranges: PageHits["ranges"], margin: number): Bounds[] {
  const bounds: Bounds[] = [];
  for (const [first, last] of ranges) {
    const from = enoughFrom(words, first - 1, -1, margin) + 1;
    const end = enoughFrom(words, last + 1, 1, margin);
    const before = bounds.at(-1);
    if (before && from <= before.end) before.end = Math.max(before.end, end);
    else bounds.push({ from, end });
  }
  return bounds;
}

/**
 * Returns the first word, in the direction of `step`, that is not needed: from `word` to it are more than
 * `margin` words, and the context of a hit next to them.
 */
function enoughFrom(words: readonly Word[], word: number, step: 1 | -1, margin: number): number {
  let [count, length] = [0, 0];
  let at = word;
  for (; at >= 0 && at < words.length && (count <= margin || length <= contextLength); at += step) {
    count++;
    length += words[at]!.text.length + 1;
  }
  return at;
}

/** Returns parts of a page by ascending bounds. */
function partsAround(page: PageText, bounds: readonly Bounds[]): Part[] {
  const { lines } = page;
  let line = 0;
  /** Number of the first word of the line. */
  let start = 0;
  return bounds.map(({ from, end }) => {
    while (line < lines.length && start + lines[line]!.words.length <= from)
      start += lines[line++]!.words.length;
    const own: Line[] = [];
    for (let at = line, next = start; at < lines.length && next < end; next += lines[at++]!.words.length)
      own.push({ ...lines[at]!, words: lines[at]!.words.slice(Math.max(0, from - next), end - next) });
    return { firstLine: line, firstWord: from, page: { ...page, lines: own } };
  });
}
