// Samples of the sRGB curve as linear light and back (IEC 61966-2-1), so that averages are averages of light.

import { fullScale, hasAlpha, type PixelBuffer } from "./pixels.ts";

/** Gray or rgb as 16-bit samples in proportion to light; alpha keeps its meaning. */
export function toLight(pixels: PixelBuffer): PixelBuffer {
  const deep = fullScale(pixels) === 65535;
  const table = deep ? wordsToLight() : bytesToLight();
  return looked(pixels, table, deep ? 1 : 257, new Uint16Array(pixels.data.length));
}

/** The inverse: light in 16 bits as samples of the sRGB curve in 8 or 16. */
export function fromLight(pixels: PixelBuffer, bits: 8 | 16): PixelBuffer {
  const { length } = pixels.data;
  return bits === 16
    ? looked(pixels, lightToWords(), 1, new Uint16Array(length))
    : looked(pixels, lightToBytes(), 1 / 257, new Uint8Array(length));
}

function looked(
  pixels: PixelBuffer,
  table: Uint8Array | Uint16Array,
  alphaScale: number,
  data: Uint8Array | Uint16Array,
): PixelBuffer {
  const { bands, data: source } = pixels;
  for (let p = 0; p < data.length; p++) data[p] = table[source[p]!]!;
  if (hasAlpha(pixels))
    for (let p = bands - 1; p < data.length; p += bands) data[p] = Math.floor(source[p]! * alphaScale + 0.5);
  return { ...pixels, data };
}

/** 0 to 1 each. */
const decoded = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encoded = (light: number) => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);

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
      const most = fullScale({ data: table });
      for (let i = 0; i <= full; i++) table[i] = Math.round(curve(i / full) * most);
    }
    return table;
  };
}

const bytesToLight = tableOf(() => new Uint16Array(256), 255, decoded);
const wordsToLight = tableOf(() => new Uint16Array(65536), 65535, decoded);
const lightToBytes = tableOf(() => new Uint8Array(65536), 65535, encoded);
const lightToWords = tableOf(() => new Uint16Array(65536), 65535, encoded);
