// What the words of a page are found by in an exported site: the units of its lines, and words that are
// divided at the end of a line as a whole.

import { type Unit, unitsOf } from "../index/units.ts";

/** A unit of a page, or a divided word. */
export interface SiteToken {
  /** Folded. */
  readonly text: string;
  /** Number of the unit on the page, from 0. */
  readonly position: number;
  /** Units that it covers: more than 1 for a divided word. */
  readonly span: number;
  /** Number of its line, and of its word in the line. */
  readonly line: number;
  readonly word: number;
}

/** The end of a word that continues on the next line, as the readers of OCR files know it. */
const divided = /[-\u2010\u00ac\u00ad\u2e17]$/u;
const startsLow = /^\p{Ll}/u;

/** Returns the words of a line, as printed. */
export const wordsOfLine = (line: string): readonly string[] =>
  line.split(/\s+/u).filter((word) => word !== "");

/** Returns the tokens of the lines of a page. */
export function siteTokens(lines: readonly string[]): readonly SiteToken[] {
  const tokens: SiteToken[] = [];
  let position = 0;
  let open: { readonly text: string; readonly at: SiteToken; readonly units: number } | undefined;
  for (const [line, text] of lines.entries()) {
    const words = wordsOfLine(text);
    for (const [word, printed] of words.entries()) {
      const units = unitsOf(printed);
      if (open && word === 0 && startsLow.test(printed)) addDivided(tokens, open, units);
      open = undefined;
      const first = position;
      for (const { text } of units) tokens.push({ text, position: position++, span: 1, line, word });
      const at = tokens.at(-1);
      if (at && units.length > 0 && word === words.length - 1 && divided.test(printed))
        open = { text: (units.at(-1) as Unit).text, at, units: position - first };
    }
  }
  return tokens;
}

/** Adds the last unit of a line together with the first one of the next. */
function addDivided(
  tokens: SiteToken[],
  { text, at }: { readonly text: string; readonly at: SiteToken },
  [next]: readonly Unit[],
): void {
  if (next?.kind === "letters") tokens.push({ ...at, text: text + next.text, span: 2 });
}
