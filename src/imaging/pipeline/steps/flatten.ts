// Flattens a picture: removes alpha by drawing it over a plain background.

import { fullScale, hasAlpha, type PixelBuffer, samplesLike } from "../pixels.ts";
import { luma } from "./gray.ts";
import { toSrgb } from "./to-srgb.ts";

/**
 * Mixes colour and background (0 to 255 each) by alpha, and removes alpha; returns pixels without alpha
 * unchanged. A gray image stays gray and gets the background's luma.
 */
export function flatten(pixels: PixelBuffer, background: readonly [number, number, number]): PixelBuffer {
  if (!hasAlpha(pixels)) return pixels;
  const { width, height, bands: from, interpretation, data: source } = toSrgb(pixels);
  const full = fullScale(pixels);
  const bands = from - 1;
  const ground = (bands === 1 ? [luma(...background)] : background).map((level) => (level * full) / 255);
  const data = samplesLike(pixels, width * height * bands);
  for (let p = 0, q = 0; q < data.length; p += from, q += bands) {
    const alpha = source[p + bands]!;
    for (let b = 0; b < bands; b++)
      data[q + b] = (source[p + b]! * alpha + ground[b]! * (full - alpha)) / full + 0.5;
  }
  return { width, height, bands, interpretation, data };
}
