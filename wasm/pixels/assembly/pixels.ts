// Steps on decoded pixels that are hot: the exports; see ../README.md for their order and the memory they
// need.

export { across, sharpenRows } from "./sharpen";
export { bytesToWords, wordsToBytes, wordsToWords } from "./light";
export { rotateBlock, widenRow } from "./rotate";

/** Start of the memory that the host may use. */
export function base(): usize {
  return __heap_base;
}
