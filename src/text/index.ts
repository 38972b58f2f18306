// The door of the house: what others may use of it.

/** The text of one page: lines in reading order, words with boxes. */
export type { Box, Line, PageText, Word } from "./page-text.ts";
