// 8-bit samples in integers: rows are blended into 16-bit lines, then lines are filtered along x, four output
// rows at a time.
//
// Weights are i16 with a sum of 16384. Lines hold 6 more bits than a sample and keep overshoot, so that only
// the last shift rounds to a sample and clamps.

import { storeBytes } from "./store";

/**
 * Fraction bits lost by a blend of bytes, one of cells, and the last sum: weights have 14 bits, box cells 7
 * and lines 6.
 */
const lineBits = 8;
const cellLineBits = 15;
const sampleBits = 20;

/**
 * 32 samples from `column` on: the weighted sum of the rows in `pointers`, as 32 i16 at `target`. `count` is
 * even.
 */
export function blendBytes(pointers: usize, weights: usize, count: i32, column: usize, target: usize): void {
  const half = i32x4.splat(1 << (lineBits - 1));
  let a0 = half;
  let a1 = half;
  let a2 = half;
  let a3 = half;
  let a4 = half;
  let a5 = half;
  let a6 = half;
  let a7 = half;
  for (const end = pointers + ((<usize>count) << 2); pointers < end; pointers += 8, weights += 4) {
    const w = v128.load32_splat(weights);
    const p = <usize>load<u32>(pointers) + column;
    const q = <usize>load<u32>(pointers, 4) + column;
    let u = v128.load(p);
    let v = v128.load(q);
    let low = i8x16.shuffle(u, v, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let high = i8x16.shuffle(u, v, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    a0 = i32x4.add(a0, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(low), w));
    a1 = i32x4.add(a1, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(low), w));
    a2 = i32x4.add(a2, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(high), w));
    a3 = i32x4.add(a3, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(high), w));
    u = v128.load(p, 16);
    v = v128.load(q, 16);
    low = i8x16.shuffle(u, v, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    high = i8x16.shuffle(u, v, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    a4 = i32x4.add(a4, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(low), w));
    a5 = i32x4.add(a5, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(low), w));
    a6 = i32x4.add(a6, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(high), w));
    a7 = i32x4.add(a7, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(high), w));
  }
  v128.store(target, i16x8.narrow_i32x4_s(i32x4.shr_s(a0, lineBits), i32x4.shr_s(a1, lineBits)));
  v128.store(target, i16x8.narrow_i32x4_s(i32x4.shr_s(a2, lineBits), i32x4.shr_s(a3, lineBits)), 16);
  v128.store(target, i16x8.narrow_i32x4_s(i32x4.shr_s(a4, lineBits), i32x4.shr_s(a5, lineBits)), 32);
  v128.store(target, i16x8.narrow_i32x4_s(i32x4.shr_s(a6, lineBits), i32x4.shr_s(a7, lineBits)), 48);
}

/**
 * 16 samples from `column` (in bytes) on: the weighted sum of the rows of i16 cells, as 16 i16 at `target`.
 * `count` is even.
 */
export function blendCells(pointers: usize, weights: usize, count: i32, column: usize, target: usize): void {
  const half = i32x4.splat(1 << (cellLineBits - 1));
  let a0 = half;
  let a1 = half;
  let a2 = half;
  let a3 = half;
  for (const end = pointers + ((<usize>count) << 2); pointers < end; pointers += 8, weights += 4) {
    const w = v128.load32_splat(weights);
    const p = <usize>load<u32>(pointers) + column;
    const q = <usize>load<u32>(pointers, 4) + column;
    let u = v128.load(p);
    let v = v128.load(q);
    a0 = i32x4.add(a0, i32x4.dot_i16x8_s(pairLow(u, v), w));
    a1 = i32x4.add(a1, i32x4.dot_i16x8_s(pairHigh(u, v), w));
    u = v128.load(p, 16);
    v = v128.load(q, 16);
    a2 = i32x4.add(a2, i32x4.dot_i16x8_s(pairLow(u, v), w));
    a3 = i32x4.add(a3, i32x4.dot_i16x8_s(pairHigh(u, v), w));
  }
  v128.store(target, i16x8.narrow_i32x4_s(i32x4.shr_s(a0, cellLineBits), i32x4.shr_s(a1, cellLineBits)));
  v128.store(target, i16x8.narrow_i32x4_s(i32x4.shr_s(a2, cellLineBits), i32x4.shr_s(a3, cellLineBits)), 16);
}

/**
 * Samples `from` to `to` (in steps of 8) of four lines as quads of 16 bytes: for each of the four rows the
 * sample and the same band of the next pixel, which is what one dot product takes.
 */
export function pairLines(lines: usize, stride: usize, bands: i32, from: i32, to: i32, quads: usize): void {
  const next = (<usize>bands) << 1;
  for (let s = from; s < to; s += 8) {
    const line0 = lines + ((<usize>s) << 1);
    const line1 = line0 + stride;
    const line2 = line1 + stride;
    const line3 = line2 + stride;
    const target = quads + ((<usize>s) << 4);
    const u0 = v128.load(line0);
    const v0 = v128.load(line0 + next);
    const u1 = v128.load(line1);
    const v1 = v128.load(line1 + next);
    const u2 = v128.load(line2);
    const v2 = v128.load(line2 + next);
    const u3 = v128.load(line3);
    const v3 = v128.load(line3 + next);
    turn(pairLow(u0, v0), pairLow(u1, v1), pairLow(u2, v2), pairLow(u3, v3), target);
    turn(pairHigh(u0, v0), pairHigh(u1, v1), pairHigh(u2, v2), pairHigh(u3, v3), target + 64);
  }
}

// @ts-ignore: decorator
@inline
function pairLow(u: v128, v: v128): v128 {
  return v128.shuffle<i16>(u, v, 0, 8, 1, 9, 2, 10, 3, 11);
}

// @ts-ignore: decorator
@inline
function pairHigh(u: v128, v: v128): v128 {
  return v128.shuffle<i16>(u, v, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** Stores the 4x4 matrix of 32-bit lanes with rows and columns exchanged. */
// @ts-ignore: decorator
@inline
export function turn(a: v128, b: v128, c: v128, d: v128, target: usize): void {
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  v128.store(target, v128.shuffle<i64>(ab, cd, 0, 2));
  v128.store(target, v128.shuffle<i64>(ab, cd, 1, 3), 16);
  const abHigh = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const cdHigh = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(target, v128.shuffle<i64>(abHigh, cdHigh, 0, 2), 32);
  v128.store(target, v128.shuffle<i64>(abHigh, cdHigh, 1, 3), 48);
}

/**
 * Output pixels `from` to `to` of four rows at `target`, rows `stride` bytes apart. One or two bands: several
 * pixels at a time, so `from` is a multiple of 4, and up to 3 pixels after `to` are written.
 */
export function filterPairs(
  bands: i32,
  quads: usize,
  starts: usize,
  weights: usize,
  count: i32,
  from: i32,
  to: i32,
  target: usize,
  stride: usize,
): void {
  if (bands === 1) filterPairs1(quads, starts, weights, count, from, to, target, stride);
  else if (bands === 2) filterPairs2(quads, starts, weights, count, from, to, target, stride);
  else if (bands === 3) filterPairs3(quads, starts, weights, count, from, to, target, stride);
  else filterPairs4(quads, starts, weights, count, from, to, target, stride);
}

// @ts-ignore: decorator
@inline
function sample(sum: v128): v128 {
  return i32x4.shr_s(sum, sampleBits);
}

// @ts-ignore: decorator
@inline
function halfSample(): v128 {
  return i32x4.splat(1 << (sampleBits - 1));
}

// @ts-ignore: decorator
@inline
function sum1(p: usize, w: usize, length: usize): v128 {
  let a = halfSample();
  for (const end = w + length; w < end; w += 4, p += 32)
    a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(p), v128.load32_splat(w)));
  return sample(a);
}

function filterPairs1(
  quads: usize,
  starts: usize,
  weights: usize,
  count: i32,
  from: i32,
  to: i32,
  target: usize,
  stride: usize,
): void {
  const length = (<usize>count) << 1;
  for (let i = from; i < to; i += 4) {
    const s = starts + ((<usize>i) << 2);
    const w = weights + <usize>i * length;
    storeBytes(
      sum1(quads + ((<usize>load<u32>(s)) << 4), w, length),
      sum1(quads + ((<usize>load<u32>(s, 4)) << 4), w + length, length),
      sum1(quads + ((<usize>load<u32>(s, 8)) << 4), w + 2 * length, length),
      sum1(quads + ((<usize>load<u32>(s, 12)) << 4), w + 3 * length, length),
      target + <usize>i,
      stride,
    );
  }
}

function filterPairs2(
  quads: usize,
  starts: usize,
  weights: usize,
  count: i32,
  from: i32,
  to: i32,
  target: usize,
  stride: usize,
): void {
  const length = (<usize>count) << 1;
  for (let i = from; i < to; i += 2) {
    const s = starts + ((<usize>i) << 2);
    let w = weights + <usize>i * length;
    let a = halfSample();
    let b = a;
    let c = a;
    let d = a;
    let p = quads + ((<usize>load<u32>(s)) << 5);
    for (const end = w + length; w < end; w += 4, p += 64) {
      const k = v128.load32_splat(w);
      a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(p), k));
      b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load(p, 16), k));
    }
    p = quads + ((<usize>load<u32>(s, 4)) << 5);
    for (const end = w + length; w < end; w += 4, p += 64) {
      const k = v128.load32_splat(w);
      c = i32x4.add(c, i32x4.dot_i16x8_s(v128.load(p), k));
      d = i32x4.add(d, i32x4.dot_i16x8_s(v128.load(p, 16), k));
    }
    storeBytes(sample(a), sample(b), sample(c), sample(d), target + <usize>(i << 1), stride);
  }
}

function filterPairs3(
  quads: usize,
  starts: usize,
  weights: usize,
  count: i32,
  from: i32,
  to: i32,
  target: usize,
  stride: usize,
): void {
  const length = (<usize>count) << 1;
  for (let i = from; i < to; i++) {
    let w = weights + <usize>i * length;
    let p = quads + <usize>load<u32>(starts + ((<usize>i) << 2)) * 48;
    let a = halfSample();
    let b = a;
    let c = a;
    for (const end = w + length; w < end; w += 4, p += 96) {
      const k = v128.load32_splat(w);
      a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(p), k));
      b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load(p, 16), k));
      c = i32x4.add(c, i32x4.dot_i16x8_s(v128.load(p, 32), k));
    }
    storeBytes(sample(a), sample(b), sample(c), i32x4.splat(0), target + <usize>(i * 3), stride);
  }
}

function filterPairs4(
  quads: usize,
  starts: usize,
  weights: usize,
  count: i32,
  from: i32,
  to: i32,
  target: usize,
  stride: usize,
): void {
  const length = (<usize>count) << 1;
  for (let i = from; i < to; i++) {
    let w = weights + <usize>i * length;
    let p = quads + ((<usize>load<u32>(starts + ((<usize>i) << 2))) << 6);
    let a = halfSample();
    let b = a;
    let c = a;
    let d = a;
    for (const end = w + length; w < end; w += 4, p += 128) {
      const k = v128.load32_splat(w);
      a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(p), k));
      b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load(p, 16), k));
      c = i32x4.add(c, i32x4.dot_i16x8_s(v128.load(p, 32), k));
      d = i32x4.add(d, i32x4.dot_i16x8_s(v128.load(p, 48), k));
    }
    storeBytes(sample(a), sample(b), sample(c), sample(d), target + <usize>(i << 2), stride);
  }
}
