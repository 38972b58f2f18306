// Looks up terms in the dictionaries of segments, and chooses those that an element of a query stands for.

import { createPauses } from "../../base/index.ts";
import { occurrenceCount } from "./dictionary.ts";
import type { OpenSegment } from "./open-segments.ts";
import { acceptorOf, formsPrefix, type Stemmer } from "./page-query.ts";
import type { Element } from "./query.ts";
import { TermPages } from "./term-pages.ts";
import { plainTerm } from "./tokens.ts";
import { termBytes } from "./varints.ts";

/** Terms that the elements of a query may stand for together; the most frequent ones of each are chosen. */
export const maxExpansions = 64;

/** Maximum number of terms of a segment that are looked at for the elements of a query together. */
const maxScanned = 65_536;
/** Maximum number of terms of all segments that are remembered. */
const maxRemembered = 131_072;

/** A term as a scan meets it. */
export interface ScannedTerm {
  /** Without the number of positions that it covers. */
  readonly text: string;
  readonly count: number;
  /** Returns the most frequent spelling, until the next term. */
  readonly surface: () => string;
}

/**
 * Calls `visit` for the terms of a segment with a prefix, in order; returns false if there are too many.
 * `share`: number of elements of the query that share what may be looked at.
 */
export async function scanTerms(
  segment: OpenSegment,
  prefix: string,
  visit: (term: ScannedTerm) => void,
  share = 1,
): Promise<boolean> {
  const bytes = termBytes(prefix);
  let left = Math.ceil(maxScanned / share);
  for await (const cursor of segment.termsFrom(prefix)) {
    do {
      if (!cursor.startsWith(bytes)) return true;
      if (left-- === 0) return false;
      const { text } = plainTerm(cursor.term);
      visit({ text, count: occurrenceCount(cursor.found), surface: () => cursor.surface(text) });
    } while (segment.decode(() => cursor.next()));
  }
  return true;
}

/** Returns the pages of a term, also where it is the whole of a divided word. */
export async function pagesOfTerm(segment: OpenSegment, text: string): Promise<TermPages[]> {
  const bytes = termBytes(text);
  const found: TermPages[] = [];
  for await (const cursor of segment.termsFrom(text)) {
    do {
      if (!cursor.startsWith(bytes)) return found;
      const term = plainTerm(cursor.term);
      if (term.text !== text) return found;
      found.push(new TermPages(segment, cursor.found, term));
    } while (segment.decode(() => cursor.next()));
  }
  return found;
}

/** The terms that an element stands for. */
export interface ChosenTerms {
  readonly terms: ReadonlySet<string>;
  /** True if there are more than were chosen. */
  readonly isCut: boolean;
}

/**
 * Returns the terms of segments that an element stands for, the most frequent ones of all of them. `share`:
 * number of elements of the query that share the maximum.
 */
export async function chooseTerms(
  segments: readonly OpenSegment[],
  element: Element,
  share: number,
  stem?: Stemmer,
): Promise<ChosenTerms> {
  const { text, comparison } = element;
  const forms = comparison === "forms" && stem ? formsPrefix(text, stem) : undefined;
  const prefix = comparison === "prefix" ? text : forms;
  if (prefix === undefined) return { terms: new Set([text]), isCut: false };
  const totals = new TermTotals();
  const accepts = acceptorOf(element, stem);
  let isCut = false;
  const pause = createPauses();
  for (const segment of segments) {
    await pause();
    const visit = (term: ScannedTerm) => {
      if (accepts(term.text)) totals.add(term.text, term.count);
    };
    const isWhole = await scanTerms(segment, prefix, visit, share);
    if (!isWhole) isCut = true;
  }
  const chosen = totals.byFrequency();
  const max = Math.ceil(maxExpansions / share);
  // The word itself is asked for, however rare it is.
  const terms = new Set(comparison === "forms" ? [text] : []);
  for (const term of chosen) if (terms.size < max) terms.add(term);
  return { terms, isCut: isCut || totals.isCut || chosen.length > terms.size };
}

/** Sums of occurrences by term, of which rare ones are forgotten if there are too many. */
export class TermTotals {
  readonly #totals = new Map<string, number>();
  #least = 1;
  isCut = false;

  add(text: string, count: number): void {
    this.#totals.set(text, (this.#totals.get(text) ?? 0) + count);
    for (; this.#totals.size > maxRemembered; this.#least *= 2) {
      this.isCut = true;
      for (const [rare, total] of this.#totals) if (total <= this.#least) this.#totals.delete(rare);
    }
  }

  total(text: string): number {
    return this.#totals.get(text) ?? 0;
  }

  /** Returns all terms, the most frequent first, equally frequent ones in their order. */
  byFrequency(): string[] {
    return [...this.#totals]
      .sort(([one, often], [other, oftener]) => oftener - often || (one < other ? -1 : 1))
      .map(([text]) => text);
  }
}
