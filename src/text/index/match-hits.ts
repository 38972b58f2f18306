// Finds the hits that a search returned again on their page, without cutting all of it into terms.

import type { Line, PageText } from "../page-text.ts";
import { nearness } from "./hits.ts";
import { contextLength, matchPage, matchPart, type PageHit } from "./match.ts";
import type { PageHits } from "./search.ts";

/** Consecutive lines of a page. */
interface Part {
  readonly firstLine: number;
  /** Number of its first word on the page. */
  readonly firstWord: number;
  readonly page: PageText;
}

/**
 * Returns the hits of a page that a search has returned, as {@link matchPage} does. Only the lines around
 * them are cut into terms, which takes a tenth of the time on a page with few hits; if these lines alone do
 * not show the same hits, or the page has changed, the whole page is.
 */
export function matchHits(
  page: PageText,
  { query, start, ranges }: Pick<PageHits, "query" | "start" | "ranges">,
): PageHit[] {
  const wanted = new Set(ranges.map(String));
  const found = partsAround(page, ranges).flatMap((part) =>
    matchPart(part.page, query).map((hit) => moveHit(hit, part)),
  );
  const hits = found.filter(({ words }) => wanted.has(String(words)));
  return hits.length === ranges.length ? hits : matchPage(page, query, start, ranges.length);
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

/** Returns the lines that hits are on, with those before and after that decide about them or are shown. */
function partsAround(page: PageText, ranges: PageHits["ranges"]): Part[] {
  const { lines } = page;
  const starts = [0];
  for (const { words } of lines) starts.push(starts.at(-1)! + words.length);
  const bounds: { readonly from: number; end: number }[] = [];
  let line = 0;
  for (const [first, last] of ranges) {
    while (line + 1 < lines.length && starts[line + 1]! <= first) line++;
    let lastLine = line;
    while (lastLine + 1 < lines.length && starts[lastLine + 1]! <= last) lastLine++;
    const from = enoughFrom(lines, line - 1, -1) + 1;
    const to = enoughFrom(lines, lastLine + 1, 1);
    const before = bounds.at(-1);
    if (before && from <= before.end) before.end = Math.max(before.end, to);
    else bounds.push({ from, end: to });
  }
  return bounds.map(({ from, end }) => ({
    firstLine: from,
    firstWord: starts[from]!,
    page: { ...page, lines: lines.slice(from, end) },
  }));
}

/**
 * Returns the first line, in the direction of `step`, that is not needed: those from `line` to it have the
 * words that a hit next to them may depend on, and its context.
 */
function enoughFrom(lines: readonly Line[], line: number, step: 1 | -1): number {
  let [words, length] = [0, 0];
  let at = line;
  for (; at >= 0 && at < lines.length && (words <= nearness || length <= contextLength); at += step) {
    words += lines[at]!.words.length;
    for (const { text } of lines[at]!.words) length += text.length + 1;
  }
  return at;
}
