// EXIF orientation (Exif 2.3, tag 0x0112): pixels as stored to upright. Exact moves; mirroring and right
// angles use them too.

import { orientationOf } from "../orientation.ts";
import { type PixelBuffer, samplesLike } from "../pixels.ts";

/** Output columns handled together, so that a transposition stays within few source rows at a time. */
const block = 64;

/** The upright picture of a stored one with EXIF orientation 1 to 8; any other number counts as 1. */
export function orient(pixels: PixelBuffer, orientation: number): PixelBuffer {
  const { swap, flipX, flipY } = orientationOf(orientation);
  if (!swap && !flipX && !flipY) return pixels;
  const { bands, data: source } = pixels;
  const [width, height] = swap ? [pixels.height, pixels.width] : [pixels.width, pixels.height];
  // Samples from an upright pixel's stored one to that of its neighbour to the right, and below.
  const row = pixels.width * bands;
  const across = (swap ? row : bands) * (flipX ? -1 : 1);
  const down = (swap ? bands : row) * (flipY ? -1 : 1);
  const origin = (flipX ? (1 - width) * across : 0) + (flipY ? (1 - height) * down : 0);
  const data = samplesLike(pixels, source.length);
  for (let left = 0; left < width; left += block) {
    const columns = Math.min(block, width - left);
    for (let y = 0; y < height; y++) {
      let from = origin + left * across + y * down;
      let to = (y * width + left) * bands;
      for (let x = 0; x < columns; x++, from += across)
        for (let b = 0; b < bands; b++) data[to++] = source[from + b]!;
    }
  }
  return { ...pixels, width, height, data };
}
