// The pages of a file of text as records, which pass from a worker to the service and take little memory.

import { type TextErrorCode, TextFileError } from "../formats/text-bounds.ts";
import type { TextFormat } from "../formats/text-formats.ts";
import { readTextFile } from "../formats/text-reader.ts";
import type { PageText } from "../page-text.ts";
import { decodePage, encodePage } from "./page-record.ts";

/** What a file holds, or why it cannot be read; only plain data. */
export type FileRecords =
  | {
      /** `other`: markup that is no text of pages, such as METS. */
      readonly format: TextFormat | "other";
      readonly pages: readonly { readonly index: number; readonly record: Uint8Array }[];
    }
  | { readonly failure: { readonly code: TextErrorCode; readonly message: string } };

/** Reads a file of at most `maxBytes` bytes, by default the 100 MiB of the bounds of all files. */
export async function readRecords(bytes: Uint8Array, name: string, maxBytes?: number): Promise<FileRecords> {
  try {
    const limits = maxBytes === undefined ? {} : { limits: { bytes: maxBytes } };
    const file = await readTextFile([bytes], { name, ...limits });
    if (file.format === "other") return { format: "other", pages: [] };
    return {
      format: file.format,
      pages: file.pages.map(({ index, text }) => ({ index, record: encodePage(text) })),
    };
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

/** About how many bytes of memory the records take. */
export const weightOfRecords = (file: FileRecords): number =>
  "failure" in file ? 512 : file.pages.reduce((sum, { record }) => sum + record.length + 128, 256);

/**
 * Returns the record of a page, by its index from 0; that of a file with one page is the only one. Undefined
 * if the file has none there. Throws TextFileError if the file cannot be read.
 */
export function recordOf(file: FileRecords, index: number): Uint8Array | undefined {
  if ("failure" in file) throw new TextFileError(file.failure.code, file.failure.message);
  const [only, ...more] = file.pages;
  const page =
    only && more.length === 0 && index === 0 ? only : file.pages.find((one) => one.index === index);
  return page?.record;
}

/** Returns a page as {@link recordOf} finds it. Throws as that does. */
export function pageOfRecords(file: FileRecords, index: number): PageText | undefined {
  const record = recordOf(file, index);
  return record && decodePage(record);
}
