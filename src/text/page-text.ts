// The text of one page as every reader of OCR files returns it.

/** Left, top, width and height in the units of the page: whole numbers, inside the page. */
export type Box = readonly [x: number, y: number, width: number, height: number];

export interface Word {
  /** The word as printed, including a hyphen at the end of a line. Not empty, no white space. */
  readonly text: string;
  /** Absent if the file does not say, and no line says it either (plain text). */
  readonly box?: Box;
  /** The whole word, on its first part, if it continues as the first word of the next line. */
  readonly joined?: string;
}

export interface Line {
  readonly box?: Box;
  /** Number of the block (paragraph, region, column) on the page, from 0 in reading order. */
  readonly block: number;
  /** BCP 47, if it differs from the page's. */
  readonly language?: string;
  /** Words of the line, at least one. */
  readonly words: readonly Word[];
}

export interface PageText {
  /** Size of the page that the boxes refer to, in their units; 0 if the file does not say. */
  readonly width: number;
  readonly height: number;
  /** BCP 47. */
  readonly language?: string;
  /** In reading order. */
  readonly lines: readonly Line[];
}
