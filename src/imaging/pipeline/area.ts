// Parts of what has rows and columns.

import type { Size } from "../../base/index.ts";

/** A part by its first column and row, and its size. */
export interface Area extends Size {
  readonly left: number;
  readonly top: number;
}
