// Lossless coding of planes of up to 256 by 256 bytes: prediction, then groups of 16 residuals packed with as
// many bits as the largest of them needs; see ../README.md for the format.
//
// A plane is coded as 16 bands of rows. Decoding a sample needs its left neighbour, so bands are decoded side
// by side: one vector holds a column of all of them.

import { bands, blockAt, codedAt, codedRoom, planeAt, rowStride, spareAt, aboveAt } from "./memory";

export { coded, codedBytes, pixelBytes, pixels, plane, stride } from "./memory";
export { join, split } from "./pixels";

const padded = (side: i32): i32 => (side + 15) & ~15;

/** Repeats the last column and the last row up to multiples of 16. */
function pad(first: usize, width: i32, height: i32): void {
  const fullWidth = padded(width);
  const fullHeight = padded(height);
  for (let y = 0; y < height; y++) {
    const row = first + <usize>y * rowStride;
    memory.fill(row + width, load<u8>(row + width - 1), fullWidth - width);
  }
  const last = first + <usize>(height - 1) * rowStride;
  for (let y = height; y < fullHeight; y++) memory.copy(first + <usize>y * rowStride, last, fullWidth);
}

/** Predicts from the left, upper and upper left samples: the median of left, up and left + up - upperLeft. */
// @ts-expect-error: decorators
@inline
function predict(left: v128, up: v128, upperLeft: v128): v128 {
  const low = i8x16.min_u(left, up);
  const high = i8x16.max_u(left, up);
  return i8x16.sub(i8x16.add(left, up), i8x16.max_u(low, i8x16.min_u(high, upperLeft)));
}

/**
 * Codes plane `number`, to the coded bytes from byte `start` on. Returns the number of bytes. `width` and
 * `height` are 1 to 256.
 */
export function encode(number: i32, width: i32, height: i32, start: i32): i32 {
  const samples = planeAt(number);
  pad(samples, width, height);
  const columns = padded(width);
  const rows = padded(height) / bands;
  let widths = codedAt + start;
  let to = widths + (<usize>(columns * rows) >> 1);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x += 16)
      for (let band = 0; band < bands; band += 2) {
        const first = samples + <usize>(band * rows + y) * rowStride + x;
        const bits = encodeGroup(first, y > 0, to);
        to += bits << 1;
        const second = encodeGroup(first + <usize>rows * rowStride, y > 0, to);
        to += second << 1;
        store<u8>(widths++, <u8>(bits | (second << 4)));
      }
  return <i32>(to - codedAt) - start;
}

/**
 * Codes 16 samples; `hasAbove`: false in the first row of a band. Returns their number of bits. Numbers of
 * bits change from group to group without a pattern, so all parts are written, each over those before it that
 * do not count: branches would be mispredicted. Writes up to 8 bytes too many.
 */
// @ts-expect-error: decorators
@inline
function encodeGroup(at: usize, hasAbove: bool, to: usize): i32 {
  const zero = i8x16.splat(0);
  const up = hasAbove ? v128.load(at - rowStride) : zero;
  const upperLeft = hasAbove ? v128.load(at - rowStride - 1) : zero;
  const residual = i8x16.sub(v128.load(at), predict(v128.load(at - 1), up, upperLeft));
  // small numbers of either sign become small
  const z = v128.xor(i8x16.add(residual, residual), i8x16.lt_s(residual, zero));
  const bits = bitsOf(z);
  if (bits === 8) {
    v128.store(to, z);
    return bits;
  }
  const four = v128.and(z, i8x16.splat(15));
  const upper = i8x16.shuffle(four, four, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  v128.store64_lane(to, v128.or(four, i16x8.shl(upper, 4)), 0);
  to += (bits & 4) << 1;
  // What is shifted across bytes is not looked at.
  const rest = v128.bitselect(i16x8.shr_u(z, 4), z, i8x16.splat(-((<i8>bits >> 2) & 1)));
  const two = v128.and(rest, i8x16.splat(3));
  const fields = i64x2.extract_lane(two, 0) | (i64x2.extract_lane(two, 1) << 4);
  store<u32>(to, <u32>(fields | (fields >> 30)));
  to += (bits & 2) << 1;
  const signs = v128.bitselect(i16x8.shl(rest, 5), i16x8.shl(rest, 7), i8x16.splat(-((<i8>bits >> 1) & 1)));
  store<u16>(to, <u16>i8x16.bitmask(signs));
  return bits;
}

/** Returns the number of bits of the largest of 16 bytes. */
// @ts-expect-error: decorators
@inline
function bitsOf(z: v128): i32 {
  let all = i64x2.extract_lane(z, 0) | i64x2.extract_lane(z, 1);
  all |= all >> 32;
  all |= all >> 16;
  all |= all >> 8;
  return 32 - clz(<i32>all & 255);
}

/**
 * Decodes plane `number` from the coded bytes `start` to `end`, which may include others after it. Returns
 * how many bytes it took; -1 if they are not a coded plane of this size. `width` and `height` are 1 to 256.
 */
export function decode(number: i32, start: i32, end: i32, width: i32, height: i32): i32 {
  const samples = planeAt(number);
  const columns = padded(width);
  const rows = padded(height) / bands;
  const pairs = (columns * rows) >> 1;
  const taken = codedLength(codedAt + start, min(end, codedRoom) - start, pairs);
  if (taken < 0) return -1;
  let widths = codedAt + start;
  let from = widths + pairs;
  for (let y = 0; y < rows; y++) {
    let left = i8x16.splat(0);
    let upperLeft = i8x16.splat(0);
    for (let x = 0; x < columns; x += 16) {
      for (let band = 0; band < bands; band += 2) {
        const two = <i32>load<u8>(widths++);
        storeResiduals(band, from, two & 15);
        from += (two & 15) << 1;
        storeResiduals(band + 1, from, two >> 4);
        from += (two >> 4) << 1;
      }
      transpose();
      for (let column: usize = 0; column < 16; column++) {
        const above = aboveAt + ((<usize>x + column) << 4);
        const up = y > 0 ? v128.load(above) : i8x16.splat(0);
        const sample = i8x16.add(v128.load(blockAt + (column << 4)), predict(left, up, upperLeft));
        v128.store(above, sample);
        v128.store(blockAt + (column << 4), sample);
        left = sample;
        upperLeft = up;
      }
      transpose();
      for (let band = 0; band < bands; band++)
        v128.store(samples + <usize>(band * rows + y) * rowStride + x, v128.load(blockAt + ((<usize>band) << 4)));
    }
  }
  return taken;
}

/** Returns the bytes that `pairs` pairs of groups take; -1 if that is more than `length`, or not possible. */
function codedLength(at: usize, length: i32, pairs: i32): i32 {
  if (pairs > length) return -1;
  let total = pairs;
  for (let i = 0; i < pairs; i++) {
    const two = <i32>load<u8>(at + i);
    if ((two & 15) > 8 || two >> 4 > 8) return -1;
    total += ((two & 15) + (two >> 4)) << 1;
  }
  return total > length ? -1 : total;
}

/** Stores the residuals of a group of `bits` bits as row `band` of the block. */
// @ts-expect-error: decorators
@inline
function storeResiduals(band: i32, from: usize, bits: i32): void {
  const z = unpack(from, bits);
  const residual = v128.xor(i8x16.shr_u(z, 1), i8x16.neg(v128.and(z, i8x16.splat(1))));
  v128.store(blockAt + ((<usize>band) << 4), residual);
}

function unpack(from: usize, bits: i32): v128 {
  if (bits === 8) return v128.load(from);
  let z = i8x16.splat(0);
  let shift = 0;
  if (bits & 4) {
    const low = v128.load64_zero(from);
    const both = i8x16.shuffle(low, i8x16.shr_u(low, 4), 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    z = v128.and(both, i8x16.splat(15));
    from += 8;
    shift = 4;
  }
  if (bits & 2) {
    const fields = load<i32>(from);
    let part = i32x4.splat(fields);
    part = i32x4.replace_lane(part, 1, fields >> 2);
    part = i32x4.replace_lane(part, 2, fields >> 4);
    part = i32x4.replace_lane(part, 3, fields >> 6);
    z = v128.or(z, i8x16.shl(v128.and(part, i8x16.splat(3)), shift));
    from += 4;
    shift += 2;
  }
  if (bits & 1) {
    const mask = i16x8.splat(load<i16>(from));
    const spread = i8x16.shuffle(mask, mask, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const places = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    const set = v128.and(i8x16.eq(v128.and(spread, places), places), i8x16.splat(1));
    z = v128.or(z, i8x16.shl(set, shift));
  }
  return z;
}

/** Transposes the block of 16 by 16 bytes: four times, its halves are interleaved row by row. */
function transpose(): void {
  interleave(blockAt, spareAt);
  interleave(spareAt, blockAt);
  interleave(blockAt, spareAt);
  interleave(spareAt, blockAt);
}

// @ts-expect-error: decorators
@inline
function interleave(from: usize, to: usize): void {
  for (let i: usize = 0; i < 8; i++) {
    const a = v128.load(from + (i << 4));
    const b = v128.load(from + (i << 4) + 128);
    const low = i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const high = i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    v128.store(to + (i << 5), low);
    v128.store(to + (i << 5) + 16, high);
  }
}
