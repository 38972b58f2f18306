// Reads files of text from strings, for tests.

import type { PageText } from "../../../src/text/index.ts";
import { createTextReader, type FileOptions, type FilePage, type TextFile } from "../../../src/text/index.ts";

/** Reads a file, in pieces of `size` bytes. */
export function readFile(
  file: string | Uint8Array,
  options: Partial<FileOptions> = {},
  size = 1 << 16,
): TextFile {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const reader = createTextReader({ name: "page.xml", ...options });
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
  return reader.end();
}

/** Returns the pages of a file in a known format. */
export function readPages(
  file: string | Uint8Array,
  options: Partial<FileOptions> = {},
): readonly FilePage[] {
  const read = readFile(file, options);
  if (read.format === "other") throw new Error(`the root element is ${read.root}`);
  return read.pages;
}

/** Returns the text of the only page of a file. */
export function readPage(file: string | Uint8Array, options: Partial<FileOptions> = {}): PageText {
  const pages = readPages(file, options);
  if (pages.length !== 1) throw new Error(`the file has ${pages.length} pages`);
  return pages[0]!.text;
}

/** Returns the words of each line. */
export const linesOf = (page: PageText): string[] =>
  page.lines.map(({ words }) => words.map(({ text }) => text).join(" "));
