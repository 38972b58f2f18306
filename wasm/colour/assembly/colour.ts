// Converts pixels of one colour space to sRGB: by curves and a matrix, or through a grid of nodes. README.md
// documents the calls.

export { matrix8, matrix16 } from "./matrix";
export { grid8, grid16 } from "./grid";

/** The first byte that is free for tables and pixels. */
export function base(): usize {
  return __heap_base;
}
