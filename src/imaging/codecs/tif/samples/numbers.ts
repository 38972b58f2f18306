// Converts stored samples to numbers: integers of 1 to 16 and of 32 bits, signed ones, and floating point of
// 16 to 64 bits.

import type { Picture } from "../directory/picture.ts";

export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/**
 * Returns whole rows of samples, `rowSamples` in each, in machine order, as numbers. A view of the bytes if
 * the platform has one.
 */
export function numbersOf(
  { bits, float, signed }: Pick<Picture, "bits" | "float" | "signed">,
  data: Uint8Array,
  rowSamples: number,
): Numbers {
  const { buffer, byteOffset, length } = data;
  if (float) {
    if (bits === 64) return new Float64Array(buffer, byteOffset, length >> 3);
    if (bits === 32) return new Float32Array(buffer, byteOffset, length >> 2);
    return smallFloats(data, bits);
  }
  if (bits === 8) return signed ? new Int8Array(buffer, byteOffset, length) : data;
  if (bits === 16)
    return signed
      ? new Int16Array(buffer, byteOffset, length >> 1)
      : new Uint16Array(buffer, byteOffset, length >> 1);
  if (bits === 32)
    return signed
      ? new Int32Array(buffer, byteOffset, length >> 2)
      : new Uint32Array(buffer, byteOffset, length >> 2);
  return unpack(data, bits, rowSamples);
}

/** Samples of up to 16 bits, the high bits first, in rows that begin at whole bytes. */
function unpack(data: Uint8Array, bits: number, rowSamples: number): Uint8Array | Uint16Array {
  const stride = Math.ceil((rowSamples * bits) / 8);
  const rows = Math.floor(data.length / stride);
  const out = bits > 8 ? new Uint16Array(rows * rowSamples) : new Uint8Array(rows * rowSamples);
  const mask = 2 ** bits - 1;
  for (let row = 0, to = 0; row < rows; row++)
    for (let i = 0; i < rowSamples; i++) {
      const bit = i * bits;
      const at = row * stride + (bit >> 3);
      // three bytes contain the bits of any sample; bytes after the end count as 0
      const held = ((data[at] as number) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
      out[to++] = (held >> (24 - bits - (bit & 7))) & mask;
    }
  return out;
}

/**
 * Bits of the exponent and of the fraction: IEEE 754 of 16 bits, and the 24 bits of TIFF Technical Note 3.
 */
const layouts: Readonly<Record<number, readonly [exponent: number, fraction: number]>> = {
  16: [5, 10],
  24: [7, 16],
};

function smallFloats(data: Uint8Array, bits: number): Float32Array {
  const size = bits / 8;
  const [exponentBits, fractionBits] = layouts[bits] ?? [5, 10];
  const max = 2 ** exponentBits - 1;
  const bias = max >> 1;
  const ones = 2 ** fractionBits;
  const out = new Float32Array(Math.floor(data.length / size));
  for (let i = 0, at = 0; i < out.length; i++, at += size) {
    let raw = 0;
    for (let b = size - 1; b >= 0; b--) raw = raw * 256 + (data[at + b] as number);
    const exponent = (raw >> fractionBits) & max;
    const fraction = (raw % ones) / ones;
    const sign = raw >> (bits - 1) ? -1 : 1;
    if (exponent === max) out[i] = fraction > 0 ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    else
      out[i] = sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
  }
  return out;
}
