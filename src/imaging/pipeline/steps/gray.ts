// Quality `gray`: one band of luma (IIIF Image API 3.0, section 4.4).

import { hasAlpha, type PixelBuffer, samplesLike } from "../pixels.ts";
import { toSrgb } from "./to-srgb.ts";

/**
 * BT.601 luma of the samples as they are encoded: the Y of a JPEG, so that gray of ycc is its first band, and
 * what most image servers and viewers deliver. (Luminance in linear light, as libvips computes it, shows
 * saturated colours differently.)
 */
export function luma(red: number, green: number, blue: number): number {
  return Math.floor(0.299 * red + 0.587 * green + 0.114 * blue + 0.5);
}

/** Converts to gray of the same depth; keeps alpha. */
export function gray(pixels: PixelBuffer): PixelBuffer {
  if (pixels.interpretation === "gray") return pixels;
  if (pixels.interpretation === "cmyk") return gray(toSrgb(pixels));
  const { width, height, bands: from, data: source } = pixels;
  const bands = hasAlpha(pixels) ? 2 : 1;
  const direct = pixels.interpretation === "ycc";
  const data = samplesLike(pixels, width * height * bands);
  for (let p = 0, q = 0; q < data.length; p += from, q += bands) {
    data[q] = direct ? source[p]! : luma(source[p]!, source[p + 1]!, source[p + 2]!);
    if (bands === 2) data[q + 1] = source[p + 3]!;
  }
  return { width, height, bands, interpretation: "gray", data };
}
