// Samples of the sRGB curve as linear light and back (IEC 61966-2-1), so that averages are averages of light.

import { fullScale, hasAlpha, type PixelBuffer } from "../pixels.ts";

/** Maps samples through a table. */
export interface Lookups {
  bytesToWords(from: Uint8Array, table: Uint16Array, to: Uint16Array): void;
  wordsToWords(from: Uint16Array, table: Uint16Array, to: Uint16Array): void;
  wordsToBytes(from: Uint16Array, table: Uint8Array, to: Uint8Array): void;
}

/** Gray or rgb as 16-bit samples in proportion to light; alpha keeps its meaning. */
export function toLight(pixels: PixelBuffer, through: Lookups): PixelBuffer {
  const { data: source } = pixels;
  const data = new Uint16Array(source.length);
  if (source instanceof Uint16Array) through.wordsToWords(source, wordsToLight(), data);
  else through.bytesToWords(source, bytesToLight(), data);
  return withAlpha(pixels, data, source instanceof Uint16Array ? 1 : 257);
}

/** The inverse: light in 16 bits as samples of the sRGB curve in 8 or 16. */
export function fromLight(pixels: PixelBuffer, bits: 8 | 16, through: Lookups): PixelBuffer {
  const source = pixels.data as Uint16Array;
  if (bits === 16) {
    const data = new Uint16Array(source.length);
    through.wordsToWords(source, lightToWords(), data);
    return withAlpha(pixels, data, 1);
  }
  const data = new Uint8Array(source.length);
  through.wordsToBytes(source, lightToBytes(), data);
  return withAlpha(pixels, data, 1 / 257);
}

function withAlpha(pixels: PixelBuffer, data: Uint8Array | Uint16Array, scale: number): PixelBuffer {
  const { bands, data: source } = pixels;
  if (hasAlpha(pixels))
    for (let p = bands - 1; p < data.length; p += bands) data[p] = source[p]! * scale + 0.5;
  return { ...pixels, data };
}

/** 0 to 1 each. */
const decodeSrgb = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encodeSrgb = (light: number) =>
  light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;

/** A table over all values of a depth, made when first asked for. */
function tableOf<T extends Uint8Array | Uint16Array>(
  create: () => T,
  full: number,
  curve: (value: number) => number,
): () => T {
  let table: T | undefined;
  return () => {
    if (!table) {
      table = create();
      const max = fullScale({ data: table });
      for (let i = 0; i <= full; i++) table[i] = Math.round(curve(i / full) * max);
    }
    return table;
  };
}

const bytesToLight = tableOf(() => new Uint16Array(256), 255, decodeSrgb);
const wordsToLight = tableOf(() => new Uint16Array(65536), 65535, decodeSrgb);
const lightToBytes = tableOf(() => new Uint8Array(65536), 65535, encodeSrgb);
const lightToWords = tableOf(() => new Uint16Array(65536), 65535, encodeSrgb);
