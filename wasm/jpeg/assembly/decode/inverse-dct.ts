// Coefficients of a block to samples: the accurate integer transform of libjpeg at 8x8 ("islow", bit for
// bit), and transforms of the lowest 4x4 and 2x2 coefficients for reduced sizes (ITU-T T.81, A.3.3). Long,
// since vectors spell out each pass.

import { COEFFICIENTS, WORK } from "../map";

// @ts-ignore: decorator
@inline
function pairs(a: i16, b: i16): v128 {
  return i16x8(a, b, a, b, a, b, a, b);
}

// @ts-ignore: decorator
@inline
function low(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

// @ts-ignore: decorator
@inline
function high(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

// @ts-ignore: decorator
@inline
function dot(a: v128, b: v128): v128 {
  return i32x4.dot_i16x8_s(a, b);
}

/**
 * One half (four columns) of a pass: results of rows 0 to 7 rounded by `shift`, as i32, at WORK + 128 + 16 *
 * row.
 */
// @ts-ignore: decorator
@inline
function half(
  p04: v128, // d0 + d4, extended and scaled by 2^13
  m04: v128,
  p26: v128, // (d2, d6) pairs
  pz: v128, // (d7 + d3, d5 + d1) pairs
  p71: v128,
  p53: v128,
  shift: i32,
  to: usize,
): void {
  const round = i32x4.splat(1 << (shift - 1));
  const e2 = dot(p26, pairs(4433, -10704));
  const e3 = dot(p26, pairs(10703, 4433));
  const a = i32x4.add(p04, round);
  const b = i32x4.add(m04, round);
  const t10 = i32x4.add(a, e3);
  const t13 = i32x4.sub(a, e3);
  const t11 = i32x4.add(b, e2);
  const t12 = i32x4.sub(b, e2);
  const z3 = dot(pz, pairs(-6436, 9633));
  const z4 = dot(pz, pairs(9633, 6437));
  const o0 = i32x4.add(dot(p71, pairs(-4927, -7373)), z3);
  const o1 = i32x4.add(dot(p53, pairs(-4176, -20995)), z4);
  const o2 = i32x4.add(dot(p53, pairs(-20995, 4177)), z3);
  const o3 = i32x4.add(dot(p71, pairs(-7373, 4926)), z4);
  v128.store(to, i32x4.shr_s(i32x4.add(t10, o3), shift));
  v128.store(to, i32x4.shr_s(i32x4.add(t11, o2), shift), 16);
  v128.store(to, i32x4.shr_s(i32x4.add(t12, o1), shift), 32);
  v128.store(to, i32x4.shr_s(i32x4.add(t13, o0), shift), 48);
  v128.store(to, i32x4.shr_s(i32x4.sub(t13, o0), shift), 64);
  v128.store(to, i32x4.shr_s(i32x4.sub(t12, o1), shift), 80);
  v128.store(to, i32x4.shr_s(i32x4.sub(t11, o2), shift), 96);
  v128.store(to, i32x4.shr_s(i32x4.sub(t10, o3), shift), 112);
}

/** One pass over 8 vectors; results in two halves at WORK + 128 and WORK + 256. */
// @ts-ignore: decorator
@inline
function pass(d0: v128, d1: v128, d2: v128, d3: v128, d4: v128, d5: v128, d6: v128, d7: v128, shift: i32): void {
  const sum = i16x8.add(d0, d4);
  const difference = i16x8.sub(d0, d4);
  const z3 = i16x8.add(d7, d3);
  const z4 = i16x8.add(d5, d1);
  half(
    i32x4.shl(i32x4.extend_low_i16x8_s(sum), 13),
    i32x4.shl(i32x4.extend_low_i16x8_s(difference), 13),
    low(d2, d6),
    low(z3, z4),
    low(d7, d1),
    low(d5, d3),
    shift,
    WORK + 128,
  );
  half(
    i32x4.shl(i32x4.extend_high_i16x8_s(sum), 13),
    i32x4.shl(i32x4.extend_high_i16x8_s(difference), 13),
    high(d2, d6),
    high(z3, z4),
    high(d7, d1),
    high(d5, d3),
    shift,
    WORK + 256,
  );
}

/** Both halves of a row of a pass's results. */
// @ts-ignore: decorator
@inline
function result(row: usize): v128 {
  return i16x8.narrow_i32x4_s(v128.load(WORK + 128 + (row << 4)), v128.load(WORK + 256 + (row << 4)));
}

/** The results with rows and columns exchanged, at WORK. */
// @ts-ignore: decorator
@inline
function exchange(): void {
  const r0 = result(0);
  const r1 = result(1);
  const r2 = result(2);
  const r3 = result(3);
  const r4 = result(4);
  const r5 = result(5);
  const r6 = result(6);
  const r7 = result(7);
  const a0 = low(r0, r4);
  const a1 = high(r0, r4);
  const a2 = low(r1, r5);
  const a3 = high(r1, r5);
  const a4 = low(r2, r6);
  const a5 = high(r2, r6);
  const a6 = low(r3, r7);
  const a7 = high(r3, r7);
  const b0 = low(a0, a4);
  const b1 = high(a0, a4);
  const b2 = low(a1, a5);
  const b3 = high(a1, a5);
  const b4 = low(a2, a6);
  const b5 = high(a2, a6);
  const b6 = low(a3, a7);
  const b7 = high(a3, a7);
  v128.store(WORK, low(b0, b4));
  v128.store(WORK, high(b0, b4), 16);
  v128.store(WORK, low(b1, b5), 32);
  v128.store(WORK, high(b1, b5), 48);
  v128.store(WORK, low(b2, b6), 64);
  v128.store(WORK, high(b2, b6), 80);
  v128.store(WORK, low(b3, b7), 96);
  v128.store(WORK, high(b3, b7), 112);
}

// @ts-ignore: decorator
@inline
function dequantised(quant: usize, row: usize): v128 {
  return i16x8.mul(v128.load(COEFFICIENTS + (row << 4)), v128.load(quant + (row << 4)));
}

/** Samples of a whole block, 8 rows of 8 bytes at `to`; leaves the coefficients zero. */
export function inverse8(quant: usize, to: usize, stride: usize): void {
  pass(
    dequantised(quant, 0),
    dequantised(quant, 1),
    dequantised(quant, 2),
    dequantised(quant, 3),
    dequantised(quant, 4),
    dequantised(quant, 5),
    dequantised(quant, 6),
    dequantised(quant, 7),
    11,
  );
  clear();
  exchange();
  pass(
    v128.load(WORK),
    v128.load(WORK, 16),
    v128.load(WORK, 32),
    v128.load(WORK, 48),
    v128.load(WORK, 64),
    v128.load(WORK, 80),
    v128.load(WORK, 96),
    v128.load(WORK, 112),
    18,
  );
  // the results are columns; as bytes they change places with rows in half as many steps
  const c04 = i8x16.narrow_i16x8_s(result(0), result(4));
  const c15 = i8x16.narrow_i16x8_s(result(1), result(5));
  const c26 = i8x16.narrow_i16x8_s(result(2), result(6));
  const c37 = i8x16.narrow_i16x8_s(result(3), result(7));
  const c01 = lowBytes(c04, c15);
  const c23 = lowBytes(c26, c37);
  const c45 = highBytes(c04, c15);
  const c67 = highBytes(c26, c37);
  storeRows(to, low(c01, c23), low(c45, c67), stride);
  storeRows(to + (stride << 2), high(c01, c23), high(c45, c67), stride);
}

// @ts-ignore: decorator
@inline
function lowBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorator
@inline
function highBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/** Four rows of 8 samples from their left and right halves. */
// @ts-ignore: decorator
@inline
function storeRows(to: usize, left: v128, right: v128, stride: usize): void {
  const middle = i8x16.splat(-128);
  const upper = v128.xor(v128.shuffle<i32>(left, right, 0, 4, 1, 5), middle);
  const lower = v128.xor(v128.shuffle<i32>(left, right, 2, 6, 3, 7), middle);
  v128.store64_lane(to, upper, 0);
  v128.store64_lane(to + stride, upper, 1);
  v128.store64_lane(to + 2 * stride, lower, 0);
  v128.store64_lane(to + 3 * stride, lower, 1);
}

// @ts-ignore: decorator
@inline
function clear(): void {
  const zero = i64x2.splat(0);
  v128.store(COEFFICIENTS, zero);
  v128.store(COEFFICIENTS, zero, 16);
  v128.store(COEFFICIENTS, zero, 32);
  v128.store(COEFFICIENTS, zero, 48);
  v128.store(COEFFICIENTS, zero, 64);
  v128.store(COEFFICIENTS, zero, 80);
  v128.store(COEFFICIENTS, zero, 96);
  v128.store(COEFFICIENTS, zero, 112);
}

/** A row of the 4x4 coefficients, which lie one behind the other. */
// @ts-ignore: decorator
@inline
function dequantised4(quant: usize, row: usize): v128 {
  return i32x4.mul(v128.load16x4_s(COEFFICIENTS + (row << 3)), v128.load16x4_u(quant + (row << 4)));
}

/** Even part of the 4-point transform, from d0 + d2 or d0 - d2: scaled by 2^13, with what rounds a shift. */
// @ts-ignore: decorator
@inline
function even4(scaled: v128, shift: i32): v128 {
  return i32x4.add(i32x4.shl(scaled, 13), i32x4.splat(1 << (shift - 1)));
}

/** Odd part, with factors of 2^13: sqrt(2) cos(pi/8) = 10703, sqrt(2) cos(3pi/8) = 4433. */
// @ts-ignore: decorator
@inline
function outer4(d1: v128, d3: v128): v128 {
  return i32x4.add(i32x4.mul(d1, i32x4.splat(10703)), i32x4.mul(d3, i32x4.splat(4433)));
}

// @ts-ignore: decorator
@inline
function inner4(d1: v128, d3: v128): v128 {
  return i32x4.sub(i32x4.mul(d1, i32x4.splat(4433)), i32x4.mul(d3, i32x4.splat(10703)));
}

/** A block at half size: 4 rows of 4 bytes from its 16 lowest frequencies; leaves those zero. */
export function inverse4(quant: usize, to: usize, stride: usize): void {
  let d0 = dequantised4(quant, 0);
  let d1 = dequantised4(quant, 1);
  let d2 = dequantised4(quant, 2);
  let d3 = dequantised4(quant, 3);
  v128.store(COEFFICIENTS, i64x2.splat(0));
  v128.store(COEFFICIENTS, i64x2.splat(0), 16);
  let sum = even4(i32x4.add(d0, d2), 11);
  let difference = even4(i32x4.sub(d0, d2), 11);
  let outer = outer4(d1, d3);
  let inner = inner4(d1, d3);
  const r0 = i32x4.shr_s(i32x4.add(sum, outer), 11);
  const r1 = i32x4.shr_s(i32x4.add(difference, inner), 11);
  const r2 = i32x4.shr_s(i32x4.sub(difference, inner), 11);
  const r3 = i32x4.shr_s(i32x4.sub(sum, outer), 11);
  const a = v128.shuffle<i32>(r0, r1, 0, 4, 1, 5);
  const b = v128.shuffle<i32>(r2, r3, 0, 4, 1, 5);
  const c = v128.shuffle<i32>(r0, r1, 2, 6, 3, 7);
  const d = v128.shuffle<i32>(r2, r3, 2, 6, 3, 7);
  d0 = v128.shuffle<i64>(a, b, 0, 2);
  d1 = v128.shuffle<i64>(a, b, 1, 3);
  d2 = v128.shuffle<i64>(c, d, 0, 2);
  d3 = v128.shuffle<i64>(c, d, 1, 3);
  sum = even4(i32x4.add(d0, d2), 18);
  difference = even4(i32x4.sub(d0, d2), 18);
  outer = outer4(d1, d3);
  inner = inner4(d1, d3);
  const left = i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(sum, outer), 18),
    i32x4.shr_s(i32x4.add(difference, inner), 18),
  );
  const right = i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.sub(difference, inner), 18),
    i32x4.shr_s(i32x4.sub(sum, outer), 18),
  );
  // column by column so far
  const all = v128.xor(
    i8x16.swizzle(i8x16.narrow_i16x8_s(left, right), i8x16(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)),
    i8x16.splat(-128),
  );
  v128.store32_lane(to, all, 0);
  v128.store32_lane(to + stride, all, 1);
  v128.store32_lane(to + 2 * stride, all, 2);
  v128.store32_lane(to + 3 * stride, all, 3);
}

// @ts-ignore: decorator
@inline
function sample(sum: i32): u8 {
  return max(0, min(255, ((sum + 4) >> 3) + 128)) as u8;
}

/** A block at a quarter of its size: 2 rows of 2 bytes from its 4 lowest frequencies; leaves those zero. */
export function inverse2(quant: usize, to: usize, stride: usize): void {
  const c = COEFFICIENTS;
  const c00 = (load<i16>(c) as i32) * (load<u16>(quant) as i32);
  const c01 = (load<i16>(c, 2) as i32) * (load<u16>(quant, 2) as i32);
  const c10 = (load<i16>(c, 4) as i32) * (load<u16>(quant, 16) as i32);
  const c11 = (load<i16>(c, 6) as i32) * (load<u16>(quant, 18) as i32);
  store<u64>(c, 0);
  store<u8>(to, sample(c00 + c01 + c10 + c11));
  store<u8>(to, sample(c00 - c01 + c10 - c11), 1);
  store<u8>(to + stride, sample(c00 + c01 - c10 - c11));
  store<u8>(to + stride, sample(c00 - c01 - c10 + c11), 1);
}

/** A block of one value, `edge` (8, 4, 2 or 1) bytes on a side: from its DC coefficient alone. */
export function flat(dc: i32, edge: i32, to: usize, stride: usize): void {
  const value = sample(dc);
  if (edge == 8) {
    const eight = (value as u64) * 0x0101010101010101;
    for (let row = 0; row < 8; row++, to += stride) store<u64>(to, eight);
  } else if (edge == 4) {
    const four = (value as u32) * 0x01010101;
    for (let row = 0; row < 4; row++, to += stride) store<u32>(to, four);
  } else if (edge == 2) {
    const two = ((value as u32) * 0x0101) as u16;
    store<u16>(to, two);
    store<u16>(to + stride, two);
  } else store<u8>(to, value);
}
