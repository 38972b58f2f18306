// Ink, luma-chroma and CIELAB to red, green and blue. Profiles are not read here: this is the arithmetic for pictures without one.

import { labToSrgb } from "./lab.ts";
import { fullScale, type Interpretation, type PixelBuffer, samplesLike } from "./pixels.ts";

type Convert = (pixels: PixelBuffer) => PixelBuffer;

const conversions = {
  gray: (pixels) => pixels,
  rgb: (pixels) => pixels,
  ycc: fromYcc,
  cmyk: fromCmyk,
  lab: fromLab,
} as const satisfies Record<Interpretation, Convert>;

/** cmyk, ycc and lab as rgb (alpha kept), gray and rgb as they are. Same depth. */
export function toSrgb(pixels: PixelBuffer): PixelBuffer {
  return conversions[pixels.interpretation](pixels);
}

/** red = (1 - cyan)(1 - black), likewise green with magenta and blue with yellow. */
function fromCmyk(pixels: PixelBuffer): PixelBuffer {
  const full = fullScale(pixels);
  const { width, height, data: inks } = pixels;
  const data = samplesLike(pixels, width * height * 3);
  for (let p = 0, q = 0; q < data.length; p += 4, q += 3) {
    const light = (full - inks[p + 3]!) / full;
    data[q] = (full - inks[p]!) * light + 0.5;
    data[q + 1] = (full - inks[p + 1]!) * light + 0.5;
    data[q + 2] = (full - inks[p + 2]!) * light + 0.5;
  }
  return { width, height, bands: 3, interpretation: "rgb", data };
}

/** The inverse of full-range BT.601 as JFIF 1.02 gives it; chroma is centred on 128 (16 bit: 32768). */
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

/** Under D50, by Bradford to sRGB; what lies outside sRGB is clipped band by band. */
function fromLab(pixels: PixelBuffer): PixelBuffer {
  const full = fullScale(pixels);
  const { bands, data: source } = pixels;
  const data = samplesLike(pixels, source.length);
  for (let p = 0; p < data.length; p += bands) {
    const rgb = labToSrgb(
      (source[p]! / full) * 100,
      (source[p + 1]! / full) * 255 - 128,
      (source[p + 2]! / full) * 255 - 128,
    );
    for (let band = 0; band < 3; band++) data[p + band] = Math.min(1, Math.max(0, rgb[band]!)) * full + 0.5;
    if (bands === 4) data[p + 3] = source[p + 3]!;
  }
  return { ...pixels, interpretation: "rgb", data };
}
