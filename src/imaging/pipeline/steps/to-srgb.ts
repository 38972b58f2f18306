// Ink, luma-chroma and CIELAB to red, green and blue. Profiles are not read here: this is the arithmetic for
// pictures without one.

import { linearToSrgb } from "../../colour/srgb.ts";
import { inkToLight } from "../ink.ts";
import { labToLight } from "../lab.ts";
import { fullScale, type Interpretation, type PixelBuffer, samplesLike } from "../pixels.ts";

type Convert = (pixels: PixelBuffer) => PixelBuffer;

const conversions = {
  gray: (pixels) => pixels,
  rgb: (pixels) => pixels,
  ycc: fromYcc,
  cmyk: (pixels) => throughLight(pixels, 4, inkToLight),
  lab: (pixels) => throughLight(pixels, 3, labToLight),
} as const satisfies Record<Interpretation, Convert>;

/**
 * Converts cmyk (as the print of ink.ts), ycc and lab to rgb (alpha kept); returns gray and rgb unchanged.
 * Same depth.
 */
export function toSrgb(pixels: PixelBuffer): PixelBuffer {
  return conversions[pixels.interpretation](pixels);
}

/** Samples as 0 to 1 to linear sRGB, which is clipped and encoded; an alpha band stays. */
function throughLight(
  pixels: PixelBuffer,
  inputs: 3 | 4,
  convert: (colours: Float32Array) => Float32Array,
): PixelBuffer {
  const full = fullScale(pixels);
  const { width, height, bands, data: source } = pixels;
  const outBands = 3 + bands - inputs;
  const colours = new Float32Array(width * height * inputs);
  for (let p = 0, q = 0; q < colours.length; p += bands, q += inputs)
    for (let band = 0; band < inputs; band++) colours[q + band] = source[p + band]! / full;
  const light = convert(colours);
  const data = samplesLike(pixels, width * height * outBands);
  for (let p = 0, q = 0, from = 0; p < data.length; p += outBands, q += 3, from += bands) {
    for (let band = 0; band < 3; band++)
      data[p + band] = linearToSrgb(Math.min(1, Math.max(0, light[q + band]!))) * full + 0.5;
    if (outBands === 4) data[p + 3] = source[from + inputs]!;
  }
  return { width, height, bands: outBands, interpretation: "rgb", data };
}

/** The inverse of full-range BT.601 as in JFIF 1.02; chroma is centred on 128 (16 bit: 32768). */
function fromYcc(pixels: PixelBuffer): PixelBuffer {
  const full = fullScale(pixels);
  const centre = (full + 1) / 2;
  const { bands, data: source } = pixels;
  const data = samplesLike(pixels, source.length);
  const level = (value: number) => Math.min(full, Math.max(0, value + 0.5));
  for (let p = 0; p < data.length; p += bands) {
    const luma = source[p]!;
    const cb = source[p + 1]! - centre;
    const cr = source[p + 2]! - centre;
    data[p] = level(luma + 1.402 * cr);
    data[p + 1] = level(luma - 0.344136 * cb - 0.714136 * cr);
    data[p + 2] = level(luma + 1.772 * cb);
    if (bands === 4) data[p + 3] = source[p + 3]!;
  }
  return { ...pixels, interpretation: "rgb", data };
}
