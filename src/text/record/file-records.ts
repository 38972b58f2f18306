// The pages of a file of text as records, which pass from a worker to the service and take little memory.

import { type TextErrorCode, TextFileError } from "../formats/text-bounds.ts";
import type { TextFormat } from "../formats/text-formats.ts";
import { readTextFile } from "../formats/text-reader.ts";
import type { PageText } from "../page-text.ts";
import { decodePage, encodePage, recordVersion } from "./page-record.ts";
import { VarintReader, VarintWriter } from "./varints.ts";

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

/** The formats by their numbers in stored bytes. */
const formatNames = ["other", "plain", "alto", "page", "hocr"] as const satisfies readonly (
  | TextFormat
  | "other"
)[];

/** Returns what a file holds as bytes for a store; undefined for a file that cannot be read. */
export function encodeRecords(file: FileRecords): Uint8Array | undefined {
  if ("failure" in file) return undefined;
  const writer = new VarintWriter();
  writer.add(formatNames.indexOf(file.format));
  writer.add(file.pages.length);
  for (const { index, record } of file.pages) {
    writer.add(index);
    writer.addBytes(record);
  }
  return writer.bytes();
}

/** Returns what a file holds; undefined for bytes that {@link encodeRecords} does not write. */
export function decodeRecords(bytes: Uint8Array): FileRecords | undefined {
  try {
    const reader = new VarintReader(bytes, 0, refuse);
    const format = formatNames[reader.next()] ?? refuse();
    const pages = Array.from({ length: Math.min(reader.next(), bytes.length) }, () => {
      const index = reader.next();
      const record = reader.nextBytes();
      return record[0] === recordVersion ? { index, record } : refuse();
    });
    return reader.left === 0 ? { format, pages } : undefined;
  } catch (error) {
    if (error instanceof DamagedRecords) return undefined;
    throw error;
  }
}

class DamagedRecords extends Error {}

function refuse(): never {
  throw new DamagedRecords();
}

/** About how many bytes of memory the records take. */
export const weightOfRecords = (file: FileRecords): number =>
  "failure" in file ? 512 : file.pages.reduce((sum, { record }) => sum + record.length + 128, 256);

/** Returns what a file holds. Throws TextFileError if the file cannot be read. */
export function soundRecords(file: FileRecords): Extract<FileRecords, { format: string }> {
  if ("failure" in file) throw new TextFileError(file.failure.code, file.failure.message);
  return file;
}

/**
 * Returns the record of a page, by its index from 0; that of a file with one page is the only one. Undefined
 * if the file has none there. Throws TextFileError if the file cannot be read.
 */
export function recordOf(file: FileRecords, index: number): Uint8Array | undefined {
  const { pages } = soundRecords(file);
  const [only, ...more] = pages;
  const page = only && more.length === 0 && index === 0 ? only : pages.find((one) => one.index === index);
  return page?.record;
}

/** Returns a page as {@link recordOf} finds it. Throws as that does. */
export function pageOfRecords(file: FileRecords, index: number): PageText | undefined {
  const record = recordOf(file, index);
  return record && decodePage(record);
}
