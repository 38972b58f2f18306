// EXIF orientation (Exif 2.3, tag 0x0112): pixels as stored to upright. Exact moves; mirroring and right angles use them too.

import { type PixelBuffer, samplesLike } from "./pixels.ts";

/** How an upright pixel finds its stored one: sides swapped first, then counted from the far end of the stored axis. */
interface Move {
  readonly swap: boolean;
  readonly flipX: boolean;
  readonly flipY: boolean;
}

const moves: Readonly<Record<number, Move>> = {
  1: { swap: false, flipX: false, flipY: false },
  2: { swap: false, flipX: true, flipY: false },
  3: { swap: false, flipX: true, flipY: true },
  4: { swap: false, flipX: false, flipY: true },
  5: { swap: true, flipX: false, flipY: false },
  6: { swap: true, flipX: false, flipY: true },
  7: { swap: true, flipX: true, flipY: true },
  8: { swap: true, flipX: true, flipY: false },
};

/** Output columns handled together, so that a transposition stays within few source rows at a time. */
const block = 64;

/** Whether an orientation exchanges width and height. */
export function swapsSides(orientation: number): boolean {
  return moves[orientation]?.swap ?? false;
}

/** The upright picture of a stored one with EXIF orientation 1 to 8; any other number counts as 1. */
export function orient(pixels: PixelBuffer, orientation: number): PixelBuffer {
  const move = moves[orientation];
  if (!move || orientation === 1) return pixels;
  const { bands, data: source } = pixels;
  const [width, height] = move.swap ? [pixels.height, pixels.width] : [pixels.width, pixels.height];
  const stepX = move.flipX ? -bands : bands;
  const stepY = (move.flipY ? -1 : 1) * pixels.width * bands;
  const origin =
    ((move.flipX ? pixels.width - 1 : 0) + (move.flipY ? pixels.height - 1 : 0) * pixels.width) * bands;
  const [across, down] = move.swap ? [stepY, stepX] : [stepX, stepY];
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
