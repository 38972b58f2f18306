// Compressions and predictors of TIFF: the exports; see ../README.md for the memory they need.

export { lzwBegin, lzwOver, lzwRead, lzwTaken } from "./lzw";
export { swapBytes, undoDifferences, undoFloatDifferences } from "./predictor";

/** Start of the memory that the host may use. */
export function base(): usize {
  return __heap_base;
}
