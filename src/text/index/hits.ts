// Finds hits in the positions of one page: phrases of each clause, and words of several clauses that are near
// each other. The search and the match in a page both use it, so that they find the same.

/** An occurrence of an element. */
export interface Occurrence {
  readonly position: number;
  /** Positions to that of the next element. */
  readonly advance: number;
  /** Positions that it covers. */
  readonly cover: number;
}

/** Positions from `first` to `last`. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** A hit, with the clauses that it consists of. */
export interface Hit extends Range {
  readonly parts: readonly Range[];
}

/** Positions from the beginning of a hit within which words of other clauses belong to it. */
export const nearness = 12;

interface OpenPhrase extends Range {
  /** Position of the next element. */
  readonly next: number;
}

/**
 * Returns where elements follow each other, by ascending position, given the occurrences of each in the same
 * order. Of phrases that begin at one position the longest is returned.
 */
export function phrases(elements: readonly (readonly Occurrence[])[]): Range[] {
  const [first = [], ...rest] = elements;
  if (rest.length === 0) return words(first);
  let open: OpenPhrase[] = first.map(({ position, advance, cover }) => ({
    first: position,
    next: position + advance,
    last: position + cover - 1,
  }));
  for (const occurrences of rest) open = continued(open, occurrences);
  return longest(open);
}

/** Returns the ranges of single words. */
function words(occurrences: readonly Occurrence[]): Range[] {
  return longest(occurrences.map(({ position, cover }) => ({ first: position, last: position + cover - 1 })));
}

/** Returns the longest of the ranges that begin at one position, given them by ascending position. */
function longest(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  let before = -1;
  for (const { first, last } of ranges) {
    if (first !== before) found.push({ first, last });
    else if (found.at(-1)!.last < last) found[found.length - 1] = { first, last };
    before = first;
  }
  return found;
}

function continued(open: readonly OpenPhrase[], occurrences: readonly Occurrence[]): OpenPhrase[] {
  const byPosition = new Map<number, Occurrence[]>();
  for (const occurrence of occurrences) {
    const others = byPosition.get(occurrence.position);
    if (others) others.push(occurrence);
    else byPosition.set(occurrence.position, [occurrence]);
  }
  const longer: OpenPhrase[] = [];
  /** Ends of phrases with the same beginning: several ways may lead to one. */
  let ends = new Map<number, number>();
  let begun = -1;
  for (const { first, next } of open) {
    if (first !== begun) ends = new Map();
    begun = first;
    for (const { advance, cover } of byPosition.get(next) ?? []) {
      const last = next + cover - 1;
      if ((ends.get(next + advance) ?? -1) >= last) continue;
      ends.set(next + advance, last);
      longer.push({ first, next: next + advance, last });
    }
  }
  return longer;
}

/** A range with the number of its clause. */
interface ClauseRange extends Range {
  readonly clause: number;
}

/** Returns the ranges of all clauses by ascending position. */
function inOrder(clauses: readonly (readonly Range[])[]): ClauseRange[] {
  const ranges: ClauseRange[] = [];
  clauses.forEach((own, clause) => {
    for (const { first, last } of own) ranges.push({ first, last, clause });
  });
  return ranges.sort((a, b) => a.first - b.first || a.clause - b.clause);
}

/**
 * Returns where each hit begins in the list of ranges, and at the end its length: a hit has the ranges that
 * begin within `nearness` positions, but each clause at most once.
 */
function startsOfHits(ranges: readonly ClauseRange[]): number[] {
  const starts: number[] = [];
  let first = 0;
  /** One bit for each clause of the hit; a query has no more than 32. */
  let clauses = 0;
  ranges.forEach((range, index) => {
    const bit = 1 << range.clause;
    if (starts.length === 0 || range.first - first > nearness || (clauses & bit) !== 0) {
      starts.push(index);
      first = range.first;
      clauses = 0;
    }
    clauses |= bit;
  });
  return [...starts, ranges.length];
}

/** Returns the number of hits that `hitsOf` would return. */
export function countHits(clauses: readonly (readonly Range[])[]): number {
  if (clauses.length === 1) return clauses[0]!.length;
  return startsOfHits(inOrder(clauses)).length - 1;
}

/**
 * Returns the hits of a page in order, given the ranges of each clause, at most 32 clauses. Those of one
 * clause are a hit each. Of several clauses, ranges that are near each other are one hit.
 */
export function hitsOf(clauses: readonly (readonly Range[])[]): Hit[] {
  if (clauses.length === 1)
    return clauses[0]!.map((range) => ({ first: range.first, last: range.last, parts: [range] }));
  const ranges = inOrder(clauses);
  const starts = startsOfHits(ranges);
  return starts.slice(0, -1).map((start, index) => {
    const parts = ranges.slice(start, starts[index + 1]);
    return { first: parts[0]!.first, last: Math.max(...parts.map(({ last }) => last)), parts };
  });
}
