// The search in an exported site: reads the files of its index that a query needs, then the lines of the
// pages that it shows. Runs in browsers.

import { unitsOf } from "../index/units.ts";
import {
  headFile,
  pagesEach,
  pagesFile,
  type SiteHead,
  type SitePage,
  type SiteTerm,
  termsFile,
} from "./site-index.ts";
import { type SiteToken, siteTokens, wordsOfLine } from "./site-tokens.ts";

/** Reads a file of the index as JSON. */
export type ReadFile = (name: string) => Promise<unknown>;

/** A word or a phrase of a query: units that follow each other. */
export interface Clause {
  readonly units: readonly string[];
  /** True if the last unit is the beginning of a word. */
  readonly isPrefix: boolean;
}

/** Clauses of a query that are heeded. */
const maxClauses = 16;
/** Files of terms that a prefix reads, and terms that it stands for. */
const maxPrefix = { files: 4, terms: 64 } as const;

/** Returns the clauses of what a reader has typed: words, "phrases" and beginnings of words*. */
export function clausesOf(query: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const [whole, phrase] of query.matchAll(/["“„«]([^"“”»]*)["”»]|\S+/gu)) {
    const text = phrase ?? whole;
    const units = wordsOfLine(text).flatMap((word) => unitsOf(word).map((unit) => unit.text));
    if (units.length > 0 && clauses.length < maxClauses)
      clauses.push({ units, isPrefix: phrase === undefined && text.endsWith("*") });
  }
  return clauses;
}

/** An index that is being searched. Remembers the files that it has read. */
export class OpenSite {
  readonly #read: ReadFile;
  readonly #files = new Map<string, Promise<unknown>>();

  constructor(read: ReadFile) {
    this.#read = read;
  }

  head(): Promise<SiteHead> {
    return this.#file(headFile) as Promise<SiteHead>;
  }

  /** Returns a page by its number. */
  async page(number: number): Promise<SitePage> {
    const some = (await this.#file(pagesFile(Math.floor(number / pagesEach)))) as readonly SitePage[];
    return some[number % pagesEach] as SitePage;
  }

  /**
   * Returns the numbers of the pages that have all units of all clauses, ascending. Those of a phrase may
   * stand apart there: {@link linesWith} finds that out.
   */
  async find(clauses: readonly Clause[]): Promise<readonly number[]> {
    const wanted = clauses.flatMap(({ units, isPrefix }) =>
      units.map((unit, at) => this.#pagesOf(unit, isPrefix && at === units.length - 1)),
    );
    const [first, ...others] = (await Promise.all(wanted)).sort((one, other) => one.size - other.size);
    const found = [...(first ?? [])].filter((page) => others.every((pages) => pages.has(page)));
    return found.sort((one, other) => one - other);
  }

  async #pagesOf(unit: string, isPrefix: boolean): Promise<ReadonlySet<number>> {
    const { terms: firsts } = await this.head();
    const after = firsts.findIndex((first) => first > unit);
    const start = Math.max(0, (after < 0 ? firsts.length : after) - 1);
    const pages = new Set<number>();
    let left: number = isPrefix ? maxPrefix.terms : 1;
    for (let file = start; file < Math.min(firsts.length, start + (isPrefix ? maxPrefix.files : 1)); file++) {
      if (file > start && !(firsts[file] as string).startsWith(unit)) break;
      for (const [term, deltas] of (await this.#file(termsFile(file))) as readonly SiteTerm[]) {
        if (!(term === unit || (isPrefix && term.startsWith(unit))) || left-- <= 0) continue;
        let page = 0;
        for (const delta of deltas) pages.add((page += delta));
      }
    }
    return pages;
  }

  #file(name: string): Promise<unknown> {
    const known = this.#files.get(name) ?? this.#read(name);
    this.#files.set(name, known);
    // The next search asks again.
    known.catch(() => this.#files.delete(name));
    return known;
  }
}

/** A line with words that were found. */
export interface FoundLine {
  /** Number of the line on its page. */
  readonly line: number;
  /** The words of the line; those that were found are marked. */
  readonly words: readonly { readonly text: string; readonly isFound: boolean }[];
}

/** Returns the lines of a page with what was found; none if a clause is not on it. */
export function linesWith(lines: readonly string[], clauses: readonly Clause[]): readonly FoundLine[] {
  const tokens = siteTokens(lines);
  const starts = new Map<number, SiteToken[]>();
  for (const token of tokens) starts.set(token.position, [...(starts.get(token.position) ?? []), token]);
  const found = new Set<SiteToken>();
  for (const { units, isPrefix } of clauses) {
    const matches = tokens.flatMap((token) => matchFrom(token, units, isPrefix, starts) ?? []);
    if (matches.length === 0) return [];
    for (const token of matches) found.add(token);
  }
  const marked = new Map<number, Set<number>>();
  for (const { position, span } of found)
    for (let at = position; at < position + span; at++) {
      const first = starts.get(at)?.[0];
      if (first) marked.set(first.line, (marked.get(first.line) ?? new Set()).add(first.word));
    }
  return [...marked]
    .sort(([one], [other]) => one - other)
    .map(([line, words]) => ({
      line,
      words: wordsOfLine(lines[line] as string).map((text, at) => ({ text, isFound: words.has(at) })),
    }));
}

/** Returns the tokens that units match from a token on, or undefined. */
function matchFrom(
  token: SiteToken,
  [unit = "", ...rest]: readonly string[],
  isPrefix: boolean,
  starts: ReadonlyMap<number, readonly SiteToken[]>,
): readonly SiteToken[] | undefined {
  const isLast = rest.length === 0;
  if (!(token.text === unit || (isPrefix && isLast && token.text.startsWith(unit)))) return undefined;
  if (isLast) return [token];
  for (const next of starts.get(token.position + token.span) ?? []) {
    const others = matchFrom(next, rest, isPrefix, starts);
    if (others) return [token, ...others];
  }
  return undefined;
}
