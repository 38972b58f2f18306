// Cutting a whole-pixel rectangle.

import type { Area } from "../area.ts";
import { type PixelBuffer, samplesLike } from "../pixels.ts";

/**
 * Returns a copy of the window's pixels, or the buffer itself if the window is all of it. Throws RangeError
 * if it is not inside.
 */
export function crop(pixels: PixelBuffer, { left, top, width, height }: Area): PixelBuffer {
  const { bands } = pixels;
  if (
    left < 0 ||
    top < 0 ||
    width < 1 ||
    height < 1 ||
    left + width > pixels.width ||
    top + height > pixels.height
  )
    throw new RangeError(
      `Expected a crop inside ${pixels.width}x${pixels.height}, received ${width}x${height} at ${left},${top}.`,
    );
  if (width === pixels.width && height === pixels.height) return pixels;
  const data = samplesLike(pixels, width * height * bands);
  for (let y = 0; y < height; y++) {
    const from = ((top + y) * pixels.width + left) * bands;
    data.set(pixels.data.subarray(from, from + width * bands), y * width * bands);
  }
  return { ...pixels, width, height, data };
}
