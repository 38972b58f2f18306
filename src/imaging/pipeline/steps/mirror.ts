// Mirroring at the vertical axis, before any rotation (IIIF Image API 3.0, section 4.3; 2.1, section 4.3).

import type { PixelBuffer } from "../pixels.ts";
import { orient } from "./orient.ts";

/** Swaps left and right. */
export function mirror(pixels: PixelBuffer): PixelBuffer {
  return orient(pixels, 2);
}
