// The door of the house: what others may use of it.

export type { FilePage } from "./formats/file-page.ts";
// Readers of files of text.
export type { FileOptions } from "./formats/intake.ts";
export { createMetsReader, type MetsFile, type MetsPage, type MetsReader, readMets } from "./formats/mets.ts";
export {
  type TextBounds,
  type TextErrorCode,
  TextFileError,
  textBounds,
  textErrorCodes,
} from "./formats/text-bounds.ts";
export type { TextFormat } from "./formats/text-formats.ts";
export { createTextReader, readTextFile, type TextFile, type TextReader } from "./formats/text-reader.ts";

/** The text of one page: lines in reading order, words with boxes. */
export type { Box, Line, PageText, Word } from "./page-text.ts";

// The record of a page in bytes, as a store keeps it.
export { decodePage, encodePage, recordVersion } from "./record/page-record.ts";
// The text of a page for people.
export { type PlainTextOptions, pageLanguage, plainText } from "./record/plain-text.ts";
// Boxes of a page in pixels of its canvas.
export { type PageFit, type ScaleOptions, scalePage } from "./record/scale-page.ts";
