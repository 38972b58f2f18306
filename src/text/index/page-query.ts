// A query with everything that decides about a term of a page, so that a page can be matched without an
// index.

import type { Element, Query } from "./query.ts";

/** Returns the stem of a folded word, in which its forms are equal. */
export type Stemmer = (word: string) => string;

/** An element that knows its terms. */
export interface PageElement {
  /** Positions to the next element and covered, of a term that covers one. */
  readonly advance: number;
  readonly cover: number;
  /** Returns true for terms that the element finds, which are without the number of their positions. */
  readonly accepts: (term: string) => boolean;
}

export interface PageQuery {
  readonly clauses: readonly (readonly PageElement[])[];
}

/** Letters that all forms of a word begin with. */
const minStemPrefix = 3;

/**
 * Returns the beginning that all forms of a word share: at least three letters, and of longer stems all but
 * the last two, which some languages change. Undefined if the word is too short to have forms.
 */
export function formsPrefix(word: string, stem: Stemmer): string | undefined {
  if (word.length < minStemPrefix) return;
  const stemmed = stem(word);
  const length = Math.max(minStemPrefix, stemmed.length - 2);
  return stemmed.startsWith(word.slice(0, minStemPrefix)) ? stemmed.slice(0, length) : undefined;
}

/** Returns a test of terms for an element. */
export function acceptorOf({ text, comparison }: Element, stem?: Stemmer): (term: string) => boolean {
  if (comparison === "prefix") return (term) => term.startsWith(text);
  const prefix = comparison === "forms" && stem ? formsPrefix(text, stem) : undefined;
  if (prefix === undefined || !stem) return (term) => term === text;
  const stemmed = stem(text);
  return (term) => term === text || (term.startsWith(prefix) && stem(term) === stemmed);
}

/** Returns a query that finds all terms that it allows, if no index has chosen some of them. */
export function pageQueryOf({ clauses }: Query, stem?: Stemmer): PageQuery {
  return {
    clauses: clauses.map((clause) =>
      clause.map((element) => ({
        advance: element.advance,
        cover: element.cover,
        accepts: acceptorOf(element, stem),
      })),
    ),
  };
}
