// Samples of 8 and of 16 bits, each with its full range.

import type { PixelBuffer } from "../pixels.ts";

/**
 * 16 to 8 bit: round(v / 257). 8 to 16 bit: v * 257. White stays white, and 8 to 16 to 8 restores the
 * samples.
 */
export function depth(pixels: PixelBuffer, bits: 8 | 16): PixelBuffer {
  const { data: source } = pixels;
  if (source instanceof Uint16Array === (bits === 16)) return pixels;
  const data = bits === 16 ? new Uint16Array(source.length) : new Uint8Array(source.length);
  if (bits === 16) for (let p = 0; p < data.length; p++) data[p] = source[p]! * 257;
  else for (let p = 0; p < data.length; p++) data[p] = (source[p]! + 128) / 257;
  return { ...pixels, data };
}
