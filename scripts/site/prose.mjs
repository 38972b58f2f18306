// Counts the words of the documentation.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isForContributors } from "./contents.mjs";

/** The line that marks a generated page; scripts/docs.mjs writes it. */
const generated = /^Generated from /m;

/**
 * Returns the pages below `docs`: path, number of words of prose, and number of words with those of tables.
 * Neither counts code. `isGenerated` marks pages that `npm run docs` writes, and `isForUsers` those that are
 * not for contributors.
 */
export function pageLengths(docs) {
  return readdirSync(docs, { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((path) => {
      const text = readFileSync(join(docs, path), "utf8");
      return {
        path,
        prose: wordsOf(text),
        withTables: wordsWithTables(text),
        isGenerated: generated.test(text),
        isForUsers: !isForContributors(path),
      };
    });
}

/** Counts words of prose: blocks of code, tables and the addresses of links are none. */
export const wordsOf = (markdown) =>
  withoutCode(markdown)
    .replace(/^(?: {4}|\|).*$/gm, "")
    .match(/\S+/g)?.length ?? 0;

/** Counts words of prose and tables: what contains a letter or a digit, as blanks and columns divide it. */
export const wordsWithTables = (markdown) =>
  withoutCode(markdown).match(/[^\s|]*[\p{L}\p{N}][^\s|]*/gu)?.length ?? 0;

const withoutCode = (markdown) =>
  markdown
    .replace(/^ *```.*?^ *```/gms, "")
    .replace(/<!--.*?-->/gs, "")
    .replace(/\]\([^)]*\)/g, "]");

/** Returns the sum of a number over pages. */
export const sumOf = (pages, number) => pages.reduce((sum, page) => sum + number(page), 0);
