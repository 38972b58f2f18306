// Reads bits from the end of a byte string to its start (RFC 8878, section 4.1): the highest set bit of the
// last byte is a mark.

import { damagedZstd } from "../damaged.ts";

/** Position in a backward bit stream. */
export interface Backwards {
  readonly data: Uint8Array;
  /** Start of the stream in `data`. */
  readonly start: number;
  /** Remaining bits; negative if too many were read. */
  left: number;
}

/** Opens the stream in `data` from `start` up to `end`. Throws ImagingError `decode` if it has no mark. */
export function backwards(data: Uint8Array, start: number, end: number): Backwards {
  const last = end > start ? data[end - 1]! : 0;
  if (last === 0) throw damagedZstd("a mark at the end of a bit stream", "none");
  return { data, start, left: (end - start - 1) * 8 + highestBit(last) };
}

/** Returns the next `count` bits, 0 to 28; 0 if there are fewer, which makes `left` negative. */
export function take(bits: Backwards, count: number): number {
  if (count > 16) {
    const high = take(bits, count - 16);
    return high * 65536 + take(bits, 16);
  }
  bits.left -= count;
  const { data, start, left } = bits;
  if (left < 0) return 0;
  const at = start + (left >> 3);
  return ((data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16)) >> (left & 7)) & ((1 << count) - 1);
}

/** Returns the index of the highest bit of a number above 0. */
export const highestBit = (value: number) => 31 - Math.clz32(value);
