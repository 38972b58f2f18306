// Planes to the samples of pixels: rounded, shifted in level (ITU-T T.800, G.1.2), clamped and interleaved.

import { ictBlue, ictGreen, ictRed, rctGreen } from "./colour";

/** Colour transform of {@link storeRgb}. */
const RCT: i32 = 1;
const ICT: i32 = 2;

/**
 * Stores a rectangle of a plane, i32 or (`isFloat`) f32, as bytes or (`wide`) as u16. f32 are rounded to the
 * nearest, halves to even. `offset` is added to each sample, and the sum is clamped to 0..`top`, which is at
 * most 255 or 65535. `stride` of the plane is in its samples; sample x of row y goes to sample `y * outStride
 * + x * outStep` from `out`. Nothing else is written; up to three samples after the plane are read.
 */
export function store(
  plane: usize,
  stride: i32,
  width: i32,
  height: i32,
  isFloat: bool,
  offset: i32,
  top: i32,
  out: usize,
  outStep: i32,
  outStride: i32,
  wide: bool,
): void {
  const size = wide ? 1 : 0;
  const step = (<usize>outStep) << size;
  const low = i32x4.splat(-offset);
  const high = i32x4.splat(top - offset);
  const level = i32x4.splat(offset);
  for (; height > 0; height--) {
    let from = plane;
    let to = out;
    for (let left = width; left > 0; left -= 4, from += 16) {
      const value = integers(v128.load(from), isFloat);
      const sample = i32x4.add(i32x4.min_s(i32x4.max_s(value, low), high), level);
      to = wide ? putWords(to, step, sample, left) : putBytes(to, step, sample, left);
    }
    plane += (<usize>stride) << 2;
    out += (<usize>outStride) << size;
  }
}

// @ts-ignore: decorator
@inline
function integers(value: v128, isFloat: bool): v128 {
  return isFloat ? i32x4.trunc_sat_f32x4_s(f32x4.nearest(value)) : value;
}

/** Stores as many of four samples as are left, `step` bytes apart; the address behind them. */
// @ts-ignore: decorator
@inline
function putBytes(to: usize, step: usize, sample: v128, left: i32): usize {
  if (step === 1 && left > 3) {
    const words = i16x8.narrow_i32x4_s(sample, sample);
    v128.store32_lane(to, i8x16.narrow_i16x8_u(words, words), 0);
    return to + 4;
  }
  v128.store8_lane(to, sample, 0);
  if (left > 1) v128.store8_lane(to + step, sample, 4);
  if (left > 2) v128.store8_lane(to + 2 * step, sample, 8);
  if (left > 3) v128.store8_lane(to + 3 * step, sample, 12);
  return to + 4 * step;
}

// @ts-ignore: decorator
@inline
function putWords(to: usize, step: usize, sample: v128, left: i32): usize {
  if (step === 2 && left > 3) {
    v128.store64_lane(to, i16x8.narrow_i32x4_u(sample, sample), 0);
    return to + 8;
  }
  v128.store16_lane(to, sample, 0);
  if (left > 1) v128.store16_lane(to + step, sample, 2);
  if (left > 2) v128.store16_lane(to + 2 * step, sample, 4);
  if (left > 3) v128.store16_lane(to + 3 * step, sample, 6);
  return to + 4 * step;
}

/** Pixels that are made together, and bytes of them. */
const GROUP: i32 = 16;
const GROUP_BYTES: i32 = 48;
/** The last pixels of a row, which may be fewer than a group. */
const rest = memory.data(48, 16);

/**
 * Stores rectangles of three planes of one `stride` as interleaved RGB of 8 bits, with the colour transform
 * on the way: `transform` 0 for none, 1 for the reversible one (i32), 2 for the irreversible one (f32). The
 * planes stay as they are. Rounding, level and strides are as for {@link store}, with `outStride` in bytes
 * and `offset` from 0 to 32767. Up to 64 bytes behind the planes are read.
 */
export function storeRgb(
  a: usize,
  b: usize,
  c: usize,
  stride: i32,
  width: i32,
  height: i32,
  isFloat: bool,
  transform: i32,
  offset: i32,
  out: usize,
  outStride: i32,
): void {
  const level = i16x8.splat(<i16>offset);
  for (; height > 0; height--) {
    let x: usize = 0;
    let to = out;
    for (let left = width; left > 0; left -= GROUP, x += GROUP << 2, to += GROUP_BYTES) {
      const target = left < GROUP ? rest : to;
      if (transform === RCT) storeRct(a + x, b + x, c + x, level, target);
      else if (transform === ICT) storeIct(a + x, b + x, c + x, level, target);
      else
        interleave(
          bytesOf(a + x, isFloat, level),
          bytesOf(b + x, isFloat, level),
          bytesOf(c + x, isFloat, level),
          target,
        );
      if (left < GROUP) memory.copy(to, rest, 3 * left);
    }
    a += (<usize>stride) << 2;
    b += (<usize>stride) << 2;
    c += (<usize>stride) << 2;
    out += <usize>outStride;
  }
}

function storeRct(a: usize, b: usize, c: usize, level: v128, target: usize): void {
  const green0 = rctGreen(v128.load(a), v128.load(b), v128.load(c));
  const green1 = rctGreen(v128.load(a, 16), v128.load(b, 16), v128.load(c, 16));
  const green2 = rctGreen(v128.load(a, 32), v128.load(b, 32), v128.load(c, 32));
  const green3 = rctGreen(v128.load(a, 48), v128.load(b, 48), v128.load(c, 48));
  interleave(
    narrow(
      i32x4.add(v128.load(c), green0),
      i32x4.add(v128.load(c, 16), green1),
      i32x4.add(v128.load(c, 32), green2),
      i32x4.add(v128.load(c, 48), green3),
      level,
    ),
    narrow(green0, green1, green2, green3, level),
    narrow(
      i32x4.add(v128.load(b), green0),
      i32x4.add(v128.load(b, 16), green1),
      i32x4.add(v128.load(b, 32), green2),
      i32x4.add(v128.load(b, 48), green3),
      level,
    ),
    target,
  );
}

function storeIct(a: usize, b: usize, c: usize, level: v128, target: usize): void {
  interleave(
    narrow(
      integers(ictRed(v128.load(a), v128.load(c)), true),
      integers(ictRed(v128.load(a, 16), v128.load(c, 16)), true),
      integers(ictRed(v128.load(a, 32), v128.load(c, 32)), true),
      integers(ictRed(v128.load(a, 48), v128.load(c, 48)), true),
      level,
    ),
    narrow(
      integers(ictGreen(v128.load(a), v128.load(b), v128.load(c)), true),
      integers(ictGreen(v128.load(a, 16), v128.load(b, 16), v128.load(c, 16)), true),
      integers(ictGreen(v128.load(a, 32), v128.load(b, 32), v128.load(c, 32)), true),
      integers(ictGreen(v128.load(a, 48), v128.load(b, 48), v128.load(c, 48)), true),
      level,
    ),
    narrow(
      integers(ictBlue(v128.load(a), v128.load(b)), true),
      integers(ictBlue(v128.load(a, 16), v128.load(b, 16)), true),
      integers(ictBlue(v128.load(a, 32), v128.load(b, 32)), true),
      integers(ictBlue(v128.load(a, 48), v128.load(b, 48)), true),
      level,
    ),
    target,
  );
}

// @ts-ignore: decorator
@inline
function bytesOf(at: usize, isFloat: bool, level: v128): v128 {
  return narrow(
    integers(v128.load(at), isFloat),
    integers(v128.load(at, 16), isFloat),
    integers(v128.load(at, 32), isFloat),
    integers(v128.load(at, 48), isFloat),
    level,
  );
}

/** Sixteen bytes; every step saturates, so that values of any size are clamped. */
// @ts-ignore: decorator
@inline
function narrow(a: v128, b: v128, c: v128, d: v128, level: v128): v128 {
  return i8x16.narrow_i16x8_u(
    i16x8.add_sat_s(i16x8.narrow_i32x4_s(a, b), level),
    i16x8.add_sat_s(i16x8.narrow_i32x4_s(c, d), level),
  );
}

/** Sixteen pixels: red and green side by side, then blue among them. */
// @ts-ignore: decorator
@inline
function interleave(red: v128, green: v128, blue: v128, to: usize): void {
  const rg0 = i8x16.shuffle(red, green, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
  v128.store(to, i8x16.shuffle(rg0, blue, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
  const rg1 = i8x16.shuffle(red, green, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
  v128.store(to, i8x16.shuffle(rg1, blue, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15), 16);
  const rg2 = i8x16.shuffle(red, green, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  v128.store(to, i8x16.shuffle(rg2, blue, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31), 32);
}
