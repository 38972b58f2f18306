// The grammar of a query: words, which all have to be on a page in any order; "phrases"; beginnings of
// words*. Everything else is punctuation, which the words of pages do not have either.

import { arePaired, type Unit, unitsOf } from "./units.ts";

/**
 * How a term is compared. `exact`: it is equal. `prefix`: it begins so. `forms`: it is a form of the same
 * word, if the language is known.
 */
export type Comparison = "exact" | "prefix" | "forms";

/** One term of a phrase. */
export interface Element {
  /** Folded. */
  readonly text: string;
  readonly comparison: Comparison;
  /** Positions from its own to that of the next element. */
  readonly advance: number;
  /** Positions that it covers. */
  readonly cover: number;
}

/** Elements that follow each other; a single word has one. */
export type Clause = readonly Element[];

/**
 * What a query asks beyond the bounds, or in the grammars of others. `length`: the text after the bound is
 * ignored. `words`: these words are ignored. `prefix`: the beginning of a word is too short, so that it is
 * searched as a word. `operator`: AND, OR or NOT, searched as a word. `minus`: a sign before a word that
 * excludes nothing. `wildcard`: a sign that is not at the end of a word, and so is punctuation.
 */
export interface QueryCut {
  readonly kind: "length" | "words" | "prefix" | "operator" | "minus" | "wildcard";
  /** What is ignored or searched otherwise; at most `maxQueryLength` code units. */
  readonly text: string;
}

export interface Query {
  /** A page is found if it has all of them; none is found if there are none. */
  readonly clauses: readonly Clause[];
  /** What was ignored. */
  readonly cuts: readonly QueryCut[];
}

/** Maximum number of code units of a query. */
export const maxQueryLength = 1024;
/** Maximum number of elements of all clauses of a query. */
export const maxElements = 32;

/** Letters of a prefix at least. */
const minPrefixLength = 2;

const quotes = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\uff02';
const isQuote = (text: string, index: number) => quotes.includes(text.charAt(index));
const isWordEnd = (text: string, index: number) => !/[\p{L}\p{N}\p{M}]/u.test(text.charAt(index));

/** A part of the query between quotation marks, or outside of them. */
interface Part {
  readonly text: string;
  readonly isPhrase: boolean;
}

/** Returns the parts of a query. A phrase that is not closed ends with the query. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let start = 0;
  let isPhrase = false;
  for (let index = 0; index < text.length; index++) {
    // A mark inside a word is an abbreviation, as in Hebrew.
    if (!isQuote(text, index) || !(isWordEnd(text, index - 1) || isWordEnd(text, index + 1))) continue;
    parts.push({ text: text.slice(start, index), isPhrase });
    start = index + 1;
    isPhrase = !isPhrase;
  }
  return [...parts, { text: text.slice(start), isPhrase }];
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");

/** Reads a query of any text. */
export function parseQuery(text: string): Query {
  const cuts: QueryCut[] = [];
  const cutText = (kind: QueryCut["kind"], cut: string) =>
    cuts.push({ kind, text: cut.slice(0, maxQueryLength) });
  if (text.length > maxQueryLength) cutText("length", text.slice(maxQueryLength));
  const clauses = new Map<string, Clause>();
  let elements = 0;
  const add = (clause: Clause, source: string) => {
    const key = JSON.stringify(clause);
    if (clause.length === 0 || clauses.has(key)) return;
    if (elements + clause.length > maxElements) return cutText("words", source);
    elements += clause.length;
    clauses.set(key, clause);
  };
  for (const part of partsOf(text.slice(0, maxQueryLength))) {
    const words = wordsOf(part.text);
    if (part.isPhrase) {
      if (isWildcardOfPhrase.test(part.text)) cutText("wildcard", part.text);
      add(elementsOf(words), part.text);
    } else
      for (const word of words) {
        const clause = clauseOfWord(word);
        if (isShortPrefix(word, clause)) cutText("prefix", word);
        for (const [kind, isForeign] of foreignSigns) if (isForeign.test(word)) cutText(kind, word);
        add(clause, word);
      }
  }
  return { clauses: [...clauses.values()], cuts: clauses.size > 1 ? cuts : cuts.filter(isNoOperator) };
}

const isWildcard = /[*?][\p{L}\p{N}]/u;
const isWildcardOfPhrase = /[*?][\p{L}\p{N}]|[\p{L}\p{N}]\*/u;

/** Signs and words that mean something in the grammars of other searches. */
const foreignSigns = [
  ["operator", /^(?:AND|OR|NOT)$/],
  ["minus", /^-[\p{L}\p{N}]/u],
  ["wildcard", isWildcard],
] as const satisfies readonly (readonly [QueryCut["kind"], RegExp])[];

/** Decides about a search for a single word, which may be any. */
const isNoOperator = ({ kind }: QueryCut) => kind !== "operator";

const isShortPrefix = (word: string, clause: Clause) =>
  word.endsWith("*") && unitsOf(word).at(-1)?.kind === "letters" && clause.at(-1)?.comparison === "exact";

/** Returns the clause of a word without quotation marks. */
function clauseOfWord(word: string): Clause {
  const elements = elementsOf([word]);
  const units = unitsOf(word);
  const last = elements.at(-1);
  if (!last) return elements;
  const kind = units.at(-1)!.kind;
  // Characters and syllables are found inside of words anyway.
  if (kind !== "letters") return elements;
  if (!word.endsWith("*")) return units.length === 1 ? [{ ...last, comparison: "forms" }] : elements;
  if (last.text.length < minPrefixLength) return elements;
  return [...elements.slice(0, -1), { ...last, comparison: "prefix" }];
}

/** Returns the elements of words that follow each other: pairs of characters, and other units. */
function elementsOf(words: readonly string[]): Element[] {
  const units = words.flatMap((word) =>
    unitsOf(word).map((unit, index): readonly [Unit, boolean] => [unit, index > 0]),
  );
  const elements: Element[] = [];
  let isPairedBefore = false;
  units.forEach(([unit], index) => {
    const next = units[index + 1];
    const isPaired = next !== undefined && arePaired(unit, ...next);
    const text = isPaired ? unit.text + next[0].text : unit.text;
    if (isPaired) elements.push({ text, comparison: "exact", advance: 1, cover: 2 });
    else if (isPairedBefore) elements.push({ ...elements.pop()!, advance: 2 });
    else elements.push({ text, comparison: "exact", advance: 1, cover: 1 });
    isPairedBefore = isPaired;
  });
  return elements;
}
