// The index of an exported site: files that any web server has, of which a search reads a few. Terms are in
// their order in files of about 32 KiB; the head says with which term each begins, so that one look at it
// finds the file.

import { rulesVersion } from "../index/fold.ts";
import { siteTokens } from "./site-tokens.ts";

/** What a search reads first. */
export interface SiteHead {
  /** Version of the rules by which words are folded and cut. */
  readonly rules: number;
  readonly pages: number;
  /** The first term of each file of terms. */
  readonly terms: readonly string[];
  /** Labels of the documents, and their files. */
  readonly documents: readonly (readonly [label: string, file: string])[];
}

/**
 * A page of a document: number of its document, label, and the addresses of its lines, its image and its
 * thumbnail; "" if there is none.
 */
export type SitePage = readonly [
  document: number,
  label: string,
  lines: string,
  image: string,
  thumbnail: string,
];

/** What is known of a page besides its words. */
export interface SitePageFacts {
  readonly label: string;
  readonly file: string;
  readonly image: string;
  readonly thumbnail: string;
}

/** A term with the numbers of its pages, each less the one before. */
export type SiteTerm = readonly [term: string, pages: readonly number[]];

export const headFile = "head.json";
export const termsFile = (number: number): string => `terms-${number}.json`;
export const pagesFile = (number: number): string => `pages-${number}.json`;

/** Pages of one file of pages. */
export const pagesEach = 200;
/** Characters of a file of terms, unless one term alone takes more. */
const termsEach = 32 * 1024;

/** A file of the index. */
export interface SiteFile {
  readonly name: string;
  readonly text: string;
}

/** Collects the words of pages. Holds about 8 bytes for each word of each page, counted once. */
export class SiteIndex {
  readonly #documents: (readonly [label: string, file: string])[] = [];
  readonly #pages: SitePage[] = [];
  readonly #terms = new Map<string, number[]>();

  get pages(): number {
    return this.#pages.length;
  }

  /** Adds a document, whose pages follow. */
  addDocument(label: string, file: string): void {
    this.#documents.push([label, file]);
  }

  /** Adds a page of the last document, by the texts of its lines. */
  addPage(lines: readonly string[], { label, file, image, thumbnail }: SitePageFacts): void {
    const document = this.#documents.length - 1;
    const number = this.#pages.push([document, label, file, image, thumbnail]) - 1;
    for (const term of new Set(siteTokens(lines).map(({ text }) => text))) {
      const pages = this.#terms.get(term);
      if (pages) pages.push(number);
      else this.#terms.set(term, [number]);
    }
  }

  /** Yields the files of the index, the head last: a site that has it has all of them. */
  *files(): Generator<SiteFile> {
    const firsts: string[] = [];
    let entries: string[] = [];
    let length = 0;
    const flush = function* (): Generator<SiteFile> {
      if (entries.length === 0) return;
      yield { name: termsFile(firsts.length - 1), text: `[${entries.join(",\n")}]\n` };
      [entries, length] = [[], 0];
    };
    // By code units, as the search compares.
    for (const term of [...this.#terms.keys()].sort()) {
      const pages = this.#terms.get(term) ?? [];
      const entry = JSON.stringify([term, pages.map((page, at) => page - (pages[at - 1] ?? 0))]);
      if (length + entry.length > termsEach) yield* flush();
      if (entries.length === 0) firsts.push(term);
      entries.push(entry);
      length += entry.length;
    }
    yield* flush();
    for (let at = 0; at < this.#pages.length; at += pagesEach) {
      const some = this.#pages.slice(at, at + pagesEach).map((page) => JSON.stringify(page));
      yield { name: pagesFile(at / pagesEach), text: `[${some.join(",\n")}]\n` };
    }
    const head: SiteHead = {
      rules: rulesVersion,
      pages: this.#pages.length,
      terms: firsts,
      documents: this.#documents,
    };
    yield { name: headFile, text: `${JSON.stringify(head)}\n` };
  }
}
