// Pages for tests of the index of words.

import type { Blocks } from "../../../src/text/index/block-files.ts";
import type { IndexedPage } from "../../../src/text/index/build.ts";
import type { PageText, Word } from "../../../src/text/page-text.ts";

/**
 * Returns a page of lines of words that are separated by spaces. "quin-|tal" is the last word of a line and
 * the first of the next one, joined without the hyphen.
 */
export function pageOf(...lines: readonly string[]): PageText {
  const texts = lines.map((line) => line.split(" ").filter(Boolean));
  const words: Word[][] = [[]];
  texts.forEach((line, index) => {
    if (index > 0) words.push([]);
    for (const text of line) {
      const [part, rest] = text.split("|") as [string, string?];
      words.at(-1)!.push({ text: part, ...(rest && { joined: part.replace(/-$/, "") + rest }) });
      if (rest) words.push([{ text: rest }]);
    }
  });
  return {
    width: 1000,
    height: 1000,
    lines: words
      .filter((line) => line.length > 0)
      .map((line, row) => ({
        block: 0,
        words: line.map((word, column) => ({ ...word, box: [column * 100, row * 50, 90, 40] as const })),
      })),
  };
}

/** Returns pages 001, 002 and so on, each of lines. */
export const pagesOf = (...pages: readonly (readonly string[])[]): IndexedPage[] =>
  pages.map((lines, index) => ({ key: String(index + 1).padStart(3, "0"), text: pageOf(...lines) }));

/** Blocks in a map, which a test may lose or change. */
export function blocksInMemory(): Blocks & { readonly values: Map<string, Uint8Array> } {
  const values = new Map<string, Uint8Array>();
  return {
    values,
    read: async (key) => values.get(key),
    write: async (key, bytes) => void values.set(key, bytes.slice()),
    remove: async (key) => void values.delete(key),
  };
}
