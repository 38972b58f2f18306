// Bounds of what a file of text may hold, and the errors of files that are damaged or beyond them.

import { ServiceError } from "../../base/index.ts";

const MiB = 2 ** 20;

/**
 * The most that a file may hold. Real files stay far below: a dense newspaper page has 15,000 words in 3 MB.
 */
export const textBounds = {
  /** Bytes of a file. */
  bytes: 100 * MiB,
  /** Elements inside each other, in XML. */
  depth: 64,
  /** Elements inside each other in HTML; one without an end tag counts until the element around it ends. */
  htmlDepth: 512,
  /** Characters of an attribute. */
  attribute: 2 ** 16,
  /** Attributes of an element. */
  attributes: 256,
  /** Characters of a tag, a comment or another token that has not ended. */
  token: MiB,
  /** Characters of text in one element. */
  text: MiB,
  /** Characters before the root element. */
  prolog: 2 ** 16,
  wordsPerPage: 200_000,
  /** Blocks or regions of a page, empty ones too. */
  blocksPerPage: 100_000,
  /** Words of all pages. */
  words: 1_000_000,
  pages: 10_000,
  /** References of a reading order. */
  references: 200_000,
  /** Files and pages that a METS file lists. */
  listed: 200_000,
} as const;

export type TextBounds = { readonly [bound in keyof typeof textBounds]: number };

/** The file that is read: its name, for messages, and its bounds. */
export interface ReadFile {
  readonly name: string;
  readonly bounds: TextBounds;
}

/** Codes of the errors of files of text. */
export const textErrorCodes = ["text_damaged", "text_encoding", "text_too_large"] as const;

export type TextErrorCode = (typeof textErrorCodes)[number];

/**
 * A file of text that cannot be read: its message names the file, what is wrong and what to do. The kind is
 * `too-large` for a file beyond {@link textBounds}, else `decode`.
 */
export class TextFileError extends ServiceError {
  declare readonly code: TextErrorCode;

  constructor(code: TextErrorCode, message: string) {
    super(code === "text_too_large" ? "too-large" : "decode", message, { code });
    this.name = "TextFileError";
  }
}

/** Returns the error of a damaged file; `what` is a sentence without its full stop. */
export const damagedText = ({ name }: ReadFile, what: string): TextFileError =>
  new TextFileError(
    "text_damaged",
    `The text file ${name} is damaged: ${what}. Copy it again, or run the text recognition of its pages again.`,
  );

/** Returns the error of a file with more than `bounds[bound]` of `things`. */
export const tooLargeText = ({ name, bounds }: ReadFile, bound: keyof TextBounds, things: string) =>
  new TextFileError(
    "text_too_large",
    `The text file ${name} has more than ${bounds[bound]} ${things}, the most that is read. Split it into one ` +
      "file for each page, or remove it.",
  );
