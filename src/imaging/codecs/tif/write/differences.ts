// Horizontal differencing, which predictor 2 undoes (TIFF 6.0 section 14).

import type { PixelBuffer } from "../../../pipeline/pixels.ts";

/**
 * Returns `count` rows from `y` as bytes, little-endian, each sample minus the one of the same band to its
 * left.
 */
export function differences({ width, bands, data }: PixelBuffer, y: number, count: number): Uint8Array {
  const row = width * bands;
  const start = y * row;
  const length = count * row;
  const wide = data instanceof Uint16Array;
  const out = new Uint8Array(length * (wide ? 2 : 1));
  for (let i = 0, x = 0; i < length; i++, x = x + 1 === row ? 0 : x + 1) {
    const at = start + i;
    const difference = x < bands ? data[at]! : data[at]! - data[at - bands]!;
    if (wide) {
      out[2 * i] = difference;
      out[2 * i + 1] = difference >> 8;
    } else out[i] = difference;
  }
  return out;
}
