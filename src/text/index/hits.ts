// Finds hits in the positions of one page: phrases of each clause, and words of several clauses that are near
// each other. The search and the match in a page both use it, so that they find the same.
//
// Positions are in arrays of numbers, since frequent words have hundreds of thousands on the pages of a
// search.

/** Occurrences of the terms of an element that cover equally many positions. */
export interface Occurrences {
  /** Ascending, each once. */
  readonly positions: readonly number[];
  /** Positions to that of the next element. */
  readonly advance: number;
  /** Positions that each covers. */
  readonly cover: number;
}

/** Ranges of positions by ascending first ones, of which each is there once. */
export interface Ranges {
  readonly firsts: readonly number[];
  readonly lasts: readonly number[];
}

/** Positions from `first` to `last`. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** A hit, with the ranges of clauses that it consists of. */
export interface Hit extends Range {
  readonly parts: readonly Range[];
}

/** Positions from the beginning of a hit within which words of other clauses belong to it. */
export const nearness = 12;

/**
 * Returns where the elements of a clause follow each other. Of phrases that begin at one position the longest
 * is returned.
 */
export function phrases(elements: readonly (readonly Occurrences[])[]): Ranges {
  if (elements.some((lists) => lists.length === 0)) return { firsts: [], lasts: [] };
  if (elements.every((lists) => lists.length === 1)) return plainPhrases(elements.map(([list]) => list!));
  const [first = [], ...rest] = elements;
  let open: OpenPhrase[] = first.flatMap(({ positions, advance, cover }) =>
    positions.map((position) => ({ first: position, next: position + advance, last: position + cover - 1 })),
  );
  open.sort((one, other) => one.first - other.first);
  for (const lists of rest) open = continuePhrases(open, lists);
  return withoutShorter(open);
}

/** Returns phrases of elements of which each has one list. */
function plainPhrases(elements: readonly Occurrences[]): Ranges {
  let firsts = elements[0]!.positions;
  let offset = 0;
  elements.forEach(({ positions, advance }, index) => {
    if (index > 0) firsts = findFollowed(firsts, positions, offset);
    offset += advance;
  });
  const { advance, cover } = elements.at(-1)!;
  const length = offset - advance + cover;
  return { firsts, lasts: length === 1 ? firsts : firsts.map((first) => first + length - 1) };
}

/** Returns the positions that have one of the others at an offset. */
function findFollowed(firsts: readonly number[], others: readonly number[], offset: number): number[] {
  const found: number[] = [];
  let next = 0;
  for (const first of firsts) {
    while (next < others.length && others[next]! < first + offset) next++;
    if (others[next] === first + offset) found.push(first);
  }
  return found;
}

interface OpenPhrase extends Range {
  /** Position of the next element. */
  readonly next: number;
}

/** Returns the phrases that another element continues; phrases are by ascending first position. */
function continuePhrases(open: readonly OpenPhrase[], lists: readonly Occurrences[]): OpenPhrase[] {
  const others = lists.map(({ positions, advance, cover }) => ({ at: new Set(positions), advance, cover }));
  const longer: OpenPhrase[] = [];
  /** Ends of phrases with the same beginning: several ways may lead to one. */
  let ends = new Map<number, number>();
  let begun = -1;
  for (const { first, next } of open) {
    if (first !== begun) ends = new Map();
    begun = first;
    for (const { at, advance, cover } of others) {
      const last = next + cover - 1;
      if (!at.has(next) || (ends.get(next + advance) ?? -1) >= last) continue;
      ends.set(next + advance, last);
      longer.push({ first, next: next + advance, last });
    }
  }
  return longer;
}

/** Returns the longest of the ranges that begin at one position, given them by ascending first position. */
function withoutShorter(ranges: readonly Range[]): Ranges {
  const firsts: number[] = [];
  const lasts: number[] = [];
  for (const { first, last } of ranges) {
    const before = firsts.length - 1;
    if (firsts[before] === first) lasts[before] = Math.max(lasts[before]!, last);
    else {
      firsts.push(first);
      lasts.push(last);
    }
  }
  return { firsts, lasts };
}

/**
 * Calls `visit` for the ranges of all clauses, at most 32, by ascending position. `isFirst` is true for those
 * that begin a hit: it has the ranges that begin within `nearness` positions, but each clause at most once.
 */
function walk(
  clauses: readonly Ranges[],
  visit: (first: number, last: number, isFirst: boolean) => void,
): void {
  const next = clauses.map(() => 0);
  let hitFirst = Number.NEGATIVE_INFINITY;
  /** One bit for each clause of the hit. */
  let hitClauses = 0;
  for (;;) {
    let clause = -1;
    let first = Number.POSITIVE_INFINITY;
    for (let index = 0; index < clauses.length; index++) {
      const candidate = clauses[index]!.firsts[next[index]!];
      if (candidate === undefined || candidate >= first) continue;
      first = candidate;
      clause = index;
    }
    if (clause < 0) return;
    const isFirst = first - hitFirst > nearness || (hitClauses & (1 << clause)) !== 0;
    if (isFirst) {
      hitFirst = first;
      hitClauses = 0;
    }
    hitClauses |= 1 << clause;
    visit(first, clauses[clause]!.lasts[next[clause]!++]!, isFirst);
  }
}

/** Returns the number of hits that `hitsOf` would return. */
export function countHits(clauses: readonly Ranges[]): number {
  if (clauses.length === 1) return clauses[0]!.firsts.length;
  let count = 0;
  walk(clauses, (_first, _last, isFirst) => {
    if (isFirst) count++;
  });
  return count;
}

/**
 * Returns the hits of a page in order, given the ranges of each clause. Those of one clause are a hit each.
 * Of several clauses, ranges that are near each other are one hit.
 */
export function hitsOf(clauses: readonly Ranges[]): Hit[] {
  if (clauses.length === 1) {
    const { firsts, lasts } = clauses[0]!;
    return firsts.map((first, index) => ({
      first,
      last: lasts[index]!,
      parts: [{ first, last: lasts[index]! }],
    }));
  }
  const hits: { first: number; last: number; parts: Range[] }[] = [];
  walk(clauses, (first, last, isFirst) => {
    if (isFirst) hits.push({ first, last, parts: [] });
    const hit = hits.at(-1)!;
    hit.last = Math.max(hit.last, last);
    hit.parts.push({ first, last });
  });
  return hits;
}
