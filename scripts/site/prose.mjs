// Counts the prose of the documentation.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The line that marks a generated page; scripts/docs.mjs writes it. */
const generated = /^Generated from /m;

/** Returns the pages below `docs` that people write: path, and number of words outside code. */
export function proseOf(docs) {
  return readdirSync(docs, { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => ({ path: name, text: readFileSync(join(docs, name), "utf8") }))
    .filter(({ text }) => !generated.test(text))
    .map(({ path, text }) => ({ path, words: wordsOf(text) }));
}

/** Counts words of prose: blocks of code, tables and the addresses of links are none. */
export function wordsOf(markdown) {
  const prose = markdown
    .replace(/^ *```.*?^ *```/gms, "")
    .replace(/^(?: {4}|\|).*$/gm, "")
    .replace(/\]\([^)]*\)/g, "]");
  return prose.match(/\S+/g)?.length ?? 0;
}
