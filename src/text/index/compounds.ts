// Completes words of several units, such as `l'ea`: which units follow each other is in the pages alone.

import type { PageText } from "../page-text.ts";
import { parseQuery, type Query } from "./query.ts";
import type { PageHits } from "./search.ts";
import { type Unit, unitsOf } from "./units.ts";

/** A text whose last word has several units. */
export interface Compound {
  /** The text before that word. */
  readonly before: string;
  /** Finds the units before the last one, where they follow each other. */
  readonly query: Query;
  /** Folded; the last one is to be completed. */
  readonly units: readonly string[];
}

/** Returns the last word of a text, if it has several units of letters and does not end between them. */
export function compoundOf(text: string): Compound | undefined {
  const typed = /\S*$/u.exec(text)![0];
  const word = typed.normalize("NFC");
  const units = unitsOf(word);
  const last = units.at(-1);
  if (!last || units.length < 2 || last.end < word.length || !units.every(isOfLetters)) return undefined;
  return {
    before: text.slice(0, text.length - typed.length),
    query: parseQuery(
      `"${units
        .slice(0, -1)
        .map((unit) => unit.text)
        .join(" ")}"`,
    ),
    units: units.map((unit) => unit.text),
  };
}

const isOfLetters = ({ kind }: Unit) => kind === "letters";

/** A completed word of a page: folded, and as printed without what is around it. */
export interface FoundCompound {
  readonly folded: string;
  readonly surface: string;
}

/** Returns the words at hits of the query of a compound on a page that complete it. */
export function compoundsOn(
  page: PageText,
  { ranges }: Pick<PageHits, "ranges">,
  { units }: Compound,
): readonly FoundCompound[] {
  const words = page.lines.flatMap((line) => line.words);
  const numbers = new Set(ranges.map(([, last]) => last));
  return [...numbers].flatMap((number) => {
    const text = words[number]?.text.normalize("NFC") ?? "";
    const own = unitsOf(text);
    return own.flatMap((first, at): FoundCompound | [] => {
      const some = own.slice(at, at + units.length);
      const last = some.at(-1);
      const isFound = units.every((unit, nth) =>
        nth < units.length - 1 ? some[nth]?.text === unit : some[nth]?.text.startsWith(unit),
      );
      if (!last || !isFound) return [];
      return { folded: some.map((unit) => unit.text).join(" "), surface: text.slice(first.start, last.end) };
    });
  });
}
