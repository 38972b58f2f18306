// Finds the hits of a query again in the record of a page, with boxes and the text around them. Content
// Search (2.0, section 5; 1.0, section 6) wants one annotation for each line of a hit, and the text before
// and after.

import type { Box, PageText, Word } from "../page-text.ts";
import { type Hit, hitsOf, type Occurrences, phrases, type Range, type Ranges } from "./hits.ts";
import type { PageElement, PageQuery } from "./page-query.ts";
import { type PageTokens, type PlainTerm, plainTerm, tokensOf } from "./tokens.ts";
import { isWithoutSpaces, type Unit, unitsOf } from "./units.ts";

/** The part of a hit on one line. */
export interface LinePart {
  /** Index of the line on the page. */
  readonly line: number;
  /** First and last word of the part, numbered over the page. */
  readonly words: readonly [first: number, last: number];
  /** Around the words that were found on the line; undefined if the page says no boxes. */
  readonly box?: Box;
  /** Text of the part, and of its line before and after it, cut between words. */
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
}

/** A hit of a page. */
export interface PageHit {
  /** Its first and its last word, numbered over the page, as the search returns them. */
  readonly words: readonly [first: number, last: number];
  /** In reading order; at least one. */
  readonly lines: readonly LinePart[];
  /** Text of the whole hit, and of the page before and after it, cut between words. */
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
}

/** Maximum number of code units of the text before a hit, and of that after it. */
export const contextLength = 80;

/** Returns the hits of a query on a page in reading order: at most `count` of them, from number `start`. */
export function matchPage(
  page: PageText,
  query: PageQuery,
  start = 0,
  count = Number.POSITIVE_INFINITY,
): PageHit[] {
  const tokens = tokensOf(page);
  const clauses = clausesOn(tokens, query);
  if (clauses.length === 0 || clauses.some(({ firsts }) => firsts.length === 0)) return [];
  const words = new PageWords(page, tokens);
  return hitsOf(clauses)
    .slice(start, start + count)
    .map((hit) => words.describeHit(hit));
}

/** Returns the hits on a part of a page whose other parts may have the rest of the words of the query. */
export function matchPart(part: PageText, query: PageQuery): PageHit[] {
  const tokens = tokensOf(part);
  const clauses = clausesOn(tokens, query);
  if (clauses.length === 0) return [];
  const words = new PageWords(part, tokens);
  return hitsOf(clauses).map((hit) => words.describeHit(hit));
}

function clausesOn(tokens: PageTokens, { clauses }: PageQuery): Ranges[] {
  const terms = tokens.terms.map(plainTerm);
  return clauses.map((clause) =>
    phrases(clause.map((element) => occurrencesOf(element, terms, tokens.positions))),
  );
}

/** Returns the occurrences of an element by the number of positions that they cover. */
function occurrencesOf(
  { accepts, advance, cover }: PageElement,
  terms: readonly PlainTerm[],
  positions: readonly number[],
): Occurrences[] {
  const bySpan = new Map<number, number[]>();
  terms.forEach(({ text, span }, index) => {
    if (!accepts(text)) return;
    const found = bySpan.get(span) ?? [];
    if (found.at(-1) !== positions[index]) found.push(positions[index]!);
    bySpan.set(span, found);
  });
  return [...bySpan].map(([span, positions]) =>
    span > 1 ? { positions, advance: span, cover: span } : { positions, advance, cover },
  );
}

/** A position in the text of a page: a word, and an offset in its NFC form. */
interface TextPosition {
  readonly word: number;
  readonly offset: number;
}

/** Text from a position up to another. */
interface Stretch {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

/** Where a unit is in its word. */
interface Ends {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The words of a page by their number, as texts and boxes of hits. */
class PageWords {
  readonly #words: readonly Word[];
  readonly #texts: readonly string[];
  readonly #lines: readonly number[];
  /** The first word of each line, and at the end the number of words. */
  readonly #lineStarts: readonly number[];
  readonly #firstPositions: readonly number[];
  /** The word that was cut last, since one without spaces may have many hits. */
  #cut: { readonly word: number; readonly units: readonly Unit[] } | undefined;

  constructor({ lines }: PageText, { firstPositions }: PageTokens) {
    this.#words = lines.flatMap(({ words }) => words);
    this.#texts = this.#words.map(({ text }) => text.normalize("NFC"));
    this.#lines = lines.flatMap(({ words }, line) => words.map(() => line));
    let next = 0;
    this.#lineStarts = [0, ...lines.map(({ words }) => (next += words.length))];
    this.#firstPositions = firstPositions;
  }

  describeHit({ first, last, parts }: Hit): PageHit {
    const whole = this.#stretchOf({ first, last });
    const { start, end } = whole;
    const lines = new Map<number, Stretch[]>();
    for (const stretch of parts.flatMap((part) => this.#splitByLine(this.#stretchOf(part)))) {
      const line = this.#lines[stretch.start.word]!;
      lines.set(line, [...(lines.get(line) ?? []), stretch]);
    }
    return {
      words: [start.word, end.word],
      lines: [...lines.entries()]
        .sort(([one], [other]) => one - other)
        .map(([line, stretches]) => this.#linePartOf(line, stretches)),
      exact: this.#textOf(whole),
      prefix: this.#textBefore(start, 0),
      suffix: this.#textAfter(end, this.#words.length),
    };
  }

  #linePartOf(line: number, stretches: readonly Stretch[]): LinePart {
    const start = stretches.map((stretch) => stretch.start).reduce((a, b) => (isBefore(b, a) ? b : a));
    const end = stretches.map((stretch) => stretch.end).reduce((a, b) => (isBefore(a, b) ? b : a));
    const box = unionOf(stretches.flatMap((stretch) => this.#boxesOf(stretch)));
    return {
      line,
      words: [start.word, end.word],
      ...(box && { box }),
      exact: this.#textOf({ start, end }),
      prefix: this.#textBefore(start, this.#lineStarts[line]!),
      suffix: this.#textAfter(end, this.#lineStarts[line + 1]!),
    };
  }

  /**
   * Returns the text at positions: whole words; of a word with several units, these from one end of it or
   * between two of them; characters in a script without spaces.
   */
  #stretchOf({ first, last }: Range): Stretch {
    const start = this.#wordOf(first);
    const end = this.#wordOf(last);
    const from = this.#unitAt(start, first);
    const to = this.#unitAt(end, last);
    return {
      start: { word: start, offset: from && (from.kind === "character" || !from.isFirst) ? from.start : 0 },
      end: {
        word: end,
        offset: to && (to.kind === "character" || !to.isLast) ? to.end : this.#texts[end]!.length,
      },
    };
  }

  #unitAt(word: number, position: number): (Unit & Ends) | undefined {
    if (this.#cut?.word !== word) this.#cut = { word, units: unitsOf(this.#texts[word]!) };
    const { units } = this.#cut;
    const index = position - this.#firstPositions[word]!;
    const unit = units[index];
    return unit && { ...unit, isFirst: index === 0, isLast: index === units.length - 1 };
  }

  /** Returns the last word that begins at a position or before it. */
  #wordOf(position: number): number {
    let low = 0;
    let high = this.#words.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firstPositions[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #splitByLine({ start, end }: Stretch): Stretch[] {
    const parts: Stretch[] = [];
    for (let word = start.word; word <= end.word; word++) {
      const offset = word === start.word ? start.offset : 0;
      const stop = { word, offset: word === end.word ? end.offset : this.#texts[word]!.length };
      const before = parts.at(-1);
      if (before && this.#lines[before.start.word] === this.#lines[word])
        parts[parts.length - 1] = { start: before.start, end: stop };
      else parts.push({ start: { word, offset }, end: stop });
    }
    return parts;
  }

  /** Returns the box of each word; of a word of which only a part is meant, the share of its length. */
  #boxesOf({ start, end }: Stretch): Box[] {
    const boxes: Box[] = [];
    for (let word = start.word; word <= end.word; word++) {
      const { box } = this.#words[word]!;
      const { length } = this.#texts[word]!;
      const from = word === start.word ? start.offset : 0;
      const to = word === end.word ? end.offset : length;
      if (box) boxes.push(from > 0 || to < length ? shareOf(box, from / length, to / length) : box);
    }
    return boxes;
  }

  /** Returns text in which a word that is divided over two lines is whole, unless they belong to one line. */
  #textOf({ start, end }: Stretch): string {
    let text = "";
    for (let word = start.word; word <= end.word; word++) {
      const { joined } = this.#words[word]!;
      const from = word === start.word ? start.offset : 0;
      const isWhole = joined !== undefined && word < end.word && from === 0;
      if (isWhole) text += joined;
      else text += this.#texts[word]!.slice(from, word === end.word ? end.offset : undefined);
      if (isWhole) word++;
      if (word < end.word) text += this.#spaceAfter(word);
    }
    return text;
  }

  /** Returns what is between a word and the next one: nothing in scripts without spaces. */
  #spaceAfter(word: number): string {
    const next = this.#texts[word + 1];
    if (next === undefined) return "";
    return isWithoutSpaces(lastCharacter(this.#texts[word]!)) && isWithoutSpaces(next) ? "" : " ";
  }

  /** Returns the text before a position, not before word `least`. */
  #textBefore({ word, offset }: TextPosition, least: number): string {
    let text = this.#texts[word]!.slice(0, offset);
    for (let before = word - 1; before >= least && text.length < contextLength; before--) {
      const longer = this.#texts[before]! + this.#spaceAfter(before) + text;
      if (longer.length > contextLength && text !== "") return text;
      text = longer;
    }
    return wholeCharacters(text.slice(-contextLength));
  }

  /** Returns the text after a position, before word `end`. */
  #textAfter({ word, offset }: TextPosition, end: number): string {
    let text = this.#texts[word]!.slice(offset);
    for (let after = word + 1; after < end && text.length < contextLength; after++) {
      const longer = text + this.#spaceAfter(after - 1) + this.#texts[after]!;
      if (longer.length > contextLength && text !== "") return text;
      text = longer;
    }
    return wholeCharacters(text.slice(0, contextLength));
  }
}

const lastCharacter = (text: string): string =>
  (text.codePointAt(text.length - 2) ?? 0) > 0xffff ? text.slice(-2) : text.slice(-1);

const isBefore = (one: TextPosition, other: TextPosition): boolean =>
  one.word < other.word || (one.word === other.word && one.offset < other.offset);

/** Removes halves of surrogate pairs at the ends. */
const wholeCharacters = (text: string): string => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");

/** Returns the part of a box along its longer side, in whole numbers inside of it. */
function shareOf([x, y, width, height]: Box, from: number, to: number): Box {
  const shareAlong = (start: number, length: number): [number, number] => {
    const first = Math.min(start + length - 1, Math.floor(start + from * length));
    return [first, Math.max(1, Math.ceil(start + to * length) - first)];
  };
  if (width >= height) {
    const [left, length] = shareAlong(x, width);
    return [left, y, length, height];
  }
  const [top, length] = shareAlong(y, height);
  return [x, top, width, length];
}

function unionOf(boxes: readonly Box[]): Box | undefined {
  if (boxes.length === 0) return;
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
  for (const [x, y, width, height] of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return [left, top, right - left, bottom - top];
}
