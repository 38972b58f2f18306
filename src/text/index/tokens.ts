// The tokens of a page: what its words are found by. The index and the match in a page read the same ones.
//
// Each unit of each word (units.ts) has one position, numbered over the whole page. Its token is found there.
// Two characters of a script without spaces are one more token at the position of the first. A word that
// continues on the next line is also found as a whole, at the position of its first part: its tokens end in a
// control character, whose code is the number of positions that they cover.

import type { PageText } from "../page-text.ts";
import { arePaired, type Unit, unitsOf } from "./units.ts";

export interface PageTokens {
  /** By ascending position. */
  readonly terms: readonly string[];
  readonly positions: readonly number[];
  /** As printed; undefined for pairs of characters. */
  readonly surfaces: readonly (string | undefined)[];
  /** The first position of each word, and at the end the number of positions. */
  readonly firstPositions: readonly number[];
}

/** Units of a page that are indexed; the words after them are not found. */
export const maxPositions = 1_000_000;

/** Positions that a token may cover. */
export const maxSpan = 31;

/** Returns the term of a token of a divided word, which covers `span` positions, from 1 to `maxSpan`. */
export const spanningTerm = (term: string, span: number): string => term + String.fromCharCode(span);

/** A term without the number of positions that it covers, and that number. */
export interface PlainTerm {
  readonly text: string;
  readonly span: number;
  /** True if it belongs to a divided word as a whole, so that other terms have the same position. */
  readonly isDivided: boolean;
}

/** Takes a term of the index apart. */
export function plainTerm(term: string): PlainTerm {
  const code = term.charCodeAt(term.length - 1);
  if (code > maxSpan) return { text: term, span: 1, isDivided: false };
  return { text: term.slice(0, -1), span: Math.max(1, code), isDivided: true };
}

/** Cuts words into units. */
export type Cutter = (word: string) => readonly Unit[];

/** Maximum number of distinct words that a cutter remembers. */
const maxRemembered = 20_000;
/** Maximum number of code units of a word that a cutter remembers. */
const maxRememberedLength = 40;

/** Returns a cutter that remembers what it has cut, since few words make up most of a text. */
export function createCutter(): Cutter {
  const known = new Map<string, readonly Unit[]>();
  return (word) => {
    const before = known.get(word);
    if (before) return before;
    const units = unitsOf(word);
    if (word.length > maxRememberedLength) return units;
    if (known.size >= maxRemembered) known.clear();
    known.set(word, units);
    return units;
  };
}

/** Returns the tokens of a page. */
export function tokensOf(page: PageText, cut: Cutter = unitsOf): PageTokens {
  const collected = new TokenList();
  const firstPositions: number[] = [];
  let position = 0;
  let before: Unit | undefined;
  for (const [word, next] of withNext(page)) {
    firstPositions.push(position);
    if (position >= maxPositions) continue;
    const units = cut(word.text);
    if (units.length === 0) before = undefined;
    units.forEach((unit, index) => {
      if (before && arePaired(before, unit, index > 0)) collected.add(before.text + unit.text, position - 1);
      collected.add(unit.text, position, unit.surface);
      before = unit;
      position++;
    });
    if (word.joined !== undefined && next)
      addJoined(collected, cut(word.joined), position - units.length, units.length + cut(next.text).length);
  }
  firstPositions.push(position);
  return { ...collected.sort(), firstPositions };
}

/** Adds the tokens of a word that continues on the next line. Its two parts have `span` positions. */
function addJoined(tokens: TokenList, units: readonly Unit[], position: number, span: number): void {
  if (span > maxSpan) return;
  units.forEach(({ text, surface }, index) => {
    const offset = Math.min(index, span - 1);
    const covered = index < units.length - 1 ? 1 : span - offset;
    tokens.add(spanningTerm(text, covered), position + offset, surface);
  });
}

/** Yields each word of a page with the word after it. */
function* withNext({ lines }: PageText) {
  let last: PageText["lines"][number]["words"][number] | undefined;
  for (const { words } of lines)
    for (const word of words) {
      if (last) yield [last, word] as const;
      last = word;
    }
  if (last) yield [last, undefined] as const;
}

/** Tokens in the order in which they are added, until they are sorted. */
class TokenList {
  readonly #terms: string[] = [];
  readonly #positions: number[] = [];
  readonly #surfaces: (string | undefined)[] = [];
  #isSorted = true;

  add(term: string, position: number, surface?: string): void {
    if (position < (this.#positions.at(-1) ?? 0)) this.#isSorted = false;
    this.#terms.push(term);
    this.#positions.push(position);
    this.#surfaces.push(surface);
  }

  sort(): Omit<PageTokens, "firstPositions"> {
    const [terms, positions, surfaces] = [this.#terms, this.#positions, this.#surfaces];
    if (this.#isSorted) return { terms, positions, surfaces };
    const order = positions.map((_, index) => index).sort((a, b) => positions[a]! - positions[b]! || a - b);
    const inOrder = <T>(values: readonly T[]) => order.map((index) => values[index]!);
    return { terms: inOrder(terms), positions: inOrder(positions), surfaces: inOrder(surfaces) };
  }
}
