// Row filters of PNG: the exports; see ../README.md for the memory they need.

export { filterRows, swapBytes } from "./filter";
export { unfilterRows } from "./unfilter";

/** Start of the memory that the host may use. */
export function base(): usize {
  return __heap_base;
}
