// The door of the house: what others may use of it.

// Readers of files of text.
export type { FileOptions } from "./formats/document.ts";
export type { FilePage } from "./formats/file-page.ts";
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
