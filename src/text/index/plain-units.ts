// The text of a page, and a query, as units with spaces between them: for an engine of others that only cuts
// text at spaces, so that it finds the same pages without knowing our rules of folding.

import type { PageText } from "../page-text.ts";
import type { Clause, Query } from "./query.ts";
import { type Cutter, createCutter, maxPositions } from "./tokens.ts";
import { unitsOf } from "./units.ts";

/** Units that follow each other on a page. */
export interface PlainPhrase {
  readonly units: readonly string[];
  /** True if the last unit is the beginning of a word. */
  readonly isPrefix: boolean;
}

/**
 * Returns the units of a page in the order of their positions, at most a million; and once more with words
 * that continue on the next line as a whole, if there are any. A phrase with one such word as a whole and
 * another in its parts is in neither.
 */
export function plainUnitsOf(page: PageText, cut: Cutter = createCutter()): readonly string[] {
  const words = page.lines.flatMap((line) => line.words);
  const printed: string[] = [];
  const joined: string[] = [];
  let isDivided = false;
  const addTo = (units: string[], word: string) => {
    for (const { text } of cut(word)) if (units.length < maxPositions) units.push(text);
  };
  for (const [at, word] of words.entries()) {
    addTo(printed, word.text);
    const isEnd = at > 0 && words[at - 1]!.joined !== undefined;
    if (!isEnd) addTo(joined, (at + 1 < words.length ? word.joined : undefined) ?? word.text);
    isDivided ||= isEnd;
  }
  return (isDivided ? [printed, joined] : [printed]).map((units) => units.join(" "));
}

/**
 * Returns the phrases of a query, all of which have to be on a page. Characters count as neighbours whatever
 * is between them, so that a page may turn out to have no hit.
 */
export const plainPhrasesOf = ({ clauses }: Query): readonly PlainPhrase[] =>
  clauses.map((clause) => ({
    units: unitsOfClause(clause),
    isPrefix: clause.at(-1)?.comparison === "prefix",
  }));

/** Pairs of characters overlap, except for the last of them, which advances by two. */
const unitsOfClause = (clause: Clause): readonly string[] =>
  clause.flatMap(({ text, cover, advance }) => {
    if (cover === 1) return [text];
    const units = unitsOf(text).map((unit) => unit.text);
    return units.slice(0, advance);
  });
