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
  const [first, ...rest] = elements;
  let open: OpenPhrase[] = (first ?? []).map(({ position, advance, cover }) => ({
    first: position,
    next: position + advance,
    last: position + cover - 1,
  }));
  for (const occurrences of rest) open = continued(open, occurrences);
  const found: Range[] = [];
  for (const { first, last } of open) {
    const before = found.at(-1);
    if (before?.first !== first) found.push({ first, last });
    else if (before.last < last) found[found.length - 1] = { first, last };
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

/**
 * Returns the hits of a page in order, given the ranges of each clause. Those of one clause are a hit each.
 * Of several clauses, ranges that begin within `nearness` positions are one hit, which has each clause at
 * most once.
 */
export function hitsOf(clauses: readonly (readonly Range[])[]): Hit[] {
  const ranges = clauses.flatMap((ranges, clause) => ranges.map((range) => ({ ...range, clause })));
  if (clauses.length > 1) ranges.sort((a, b) => a.first - b.first || a.clause - b.clause);
  const hits: { first: number; last: number; parts: Range[] }[] = [];
  let clausesOfHit = new Set<number>();
  for (const { first, last, clause } of ranges) {
    const hit = hits.at(-1);
    if (hit && first - hit.first <= nearness && clauses.length > 1 && !clausesOfHit.has(clause)) {
      hit.last = Math.max(hit.last, last);
      hit.parts.push({ first, last });
    } else {
      hits.push({ first, last, parts: [{ first, last }] });
      clausesOfHit = new Set();
    }
    clausesOfHit.add(clause);
  }
  return hits;
}
