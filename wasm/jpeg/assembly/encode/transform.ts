// Samples of one 8x8 block to quantised coefficients: forward DCT in 13-bit fixed point (Loeffler, Ligtenberg
// and Moschytz, 11 multiplications), exact division by the quantisation value, zigzag order (ITU T.81, A.3.3,
// A.3.4, A.3.6).

import { BLOCK, DIVISORS, DIVISORS_TABLE, QUANTISATION, ZIGZAG_BYTES } from "./map";

// Offsets of the four parts of a divisor table.
const CORRECTION: usize = 128;
const HALF_STEP: usize = 256;
const FACTOR: usize = 384;

/**
 * Derives the divisors of table 0 or 1 from its 64 values. The DCT delivers 8 times the coefficient, hence
 * 8q; the reciprocal has 16 + floor(log2 8q) fractional bits, and the correction makes truncation equal to
 * rounded division for every input of the DCT.
 */
export function prepareDivisors(table: i32): void {
  const from = QUANTISATION + ((table & 1) << 6);
  const to = DIVISORS + <usize>(table & 1) * DIVISORS_TABLE;
  for (let i: usize = 0; i < 64; i++) {
    const value = <u32>load<u8>(from + i);
    const divisor: u32 = (value > 0 ? value : 1) << 3;
    let bits: u32 = 16 + 31 - clz(divisor);
    let reciprocal: u32 = ((<u32>1) << bits) / divisor;
    const rest: u32 = ((<u32>1) << bits) % divisor;
    let correction: u32 = divisor >> 1;
    if (rest == 0) {
      reciprocal >>= 1;
      bits--;
    } else if (rest <= divisor >> 1) correction++;
    else reciprocal++;
    const shift = bits - 16; // 2 to 10
    const at = to + (i << 1);
    store<u16>(at, <u16>reciprocal);
    store<u16>(at + CORRECTION, <u16>correction);
    store<u16>(at + HALF_STEP, <u16>((<u32>1) << (shift - 1)));
    store<u16>(at + FACTOR, <u16>((<u32>1) << (15 - shift)));
  }
}

// @ts-ignore: decorator
@inline
function pair(a: i16, b: i16): v128 {
  return i32x4.splat(((<i32>b) << 16) | (<i32>a & 0xffff));
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
function dot(a: v128, factors: v128): v128 {
  return i32x4.dot_i16x8_s(a, factors);
}

/** The sum of products plus `addLow` and `addHigh`, which hold the rounding, shifted back to 16 bits. */
// @ts-ignore: decorator
@inline
function turn(l: v128, h: v128, factors: v128, addLow: v128, addHigh: v128, shift: i32): v128 {
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(dot(l, factors), addLow), shift),
    i32x4.shr_s(i32x4.add(dot(h, factors), addHigh), shift),
  );
}

/** Row `row` divided by its quantisation values, rounded to nearest, half away from zero. */
// @ts-ignore: decorator
@inline
function quantise(x: v128, divisors: usize, row: usize): v128 {
  const at = divisors + (row << 4);
  const reciprocal = v128.load(at);
  const a = i16x8.add(i16x8.abs(x), v128.load(at, CORRECTION));
  const product = i16x8.narrow_i32x4_u(
    i32x4.shr_u(i32x4.extmul_low_i16x8_u(a, reciprocal), 16),
    i32x4.shr_u(i32x4.extmul_high_i16x8_u(a, reciprocal), 16),
  );
  // lanes have shifts of their own: a rounding multiplication that starts half a step lower is a floor shift
  const q = i16x8.q15mulr_sat_s(i16x8.sub(product, v128.load(at, HALF_STEP)), v128.load(at, FACTOR));
  const sign = i16x8.shr_s(x, 15);
  return i16x8.sub(v128.xor(q, sign), sign);
}

/**
 * Transforms and quantises the 8x8 samples at `source` into BLOCK and ZIGZAG_BYTES. Returns one bit for each
 * coefficient that is not zero, in zigzag order from bit 0.
 */
export function transformBlock(source: usize, stride: usize, divisors: usize): u64 {
  // columns of the block as rows, so that both passes run over whole vectors
  let p = source;
  const r0 = v128.load64_zero(p);
  const r1 = v128.load64_zero((p += stride));
  const r2 = v128.load64_zero((p += stride));
  const r3 = v128.load64_zero((p += stride));
  const r4 = v128.load64_zero((p += stride));
  const r5 = v128.load64_zero((p += stride));
  const r6 = v128.load64_zero((p += stride));
  const r7 = v128.load64_zero((p += stride));
  const a0 = v128.shuffle<i8>(r0, r1, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const a1 = v128.shuffle<i8>(r2, r3, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const a2 = v128.shuffle<i8>(r4, r5, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const a3 = v128.shuffle<i8>(r6, r7, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b0 = low(a0, a1);
  const b1 = high(a0, a1);
  const b2 = low(a2, a3);
  const b3 = high(a2, a3);
  const c0 = v128.shuffle<i32>(b0, b2, 0, 4, 1, 5);
  const c1 = v128.shuffle<i32>(b0, b2, 2, 6, 3, 7);
  const c2 = v128.shuffle<i32>(b1, b3, 0, 4, 1, 5);
  const c3 = v128.shuffle<i32>(b1, b3, 2, 6, 3, 7);
  let d0 = i16x8.extend_low_i8x16_u(c0);
  let d1 = i16x8.extend_high_i8x16_u(c0);
  let d2 = i16x8.extend_low_i8x16_u(c1);
  let d3 = i16x8.extend_high_i8x16_u(c1);
  let d4 = i16x8.extend_low_i8x16_u(c2);
  let d5 = i16x8.extend_high_i8x16_u(c2);
  let d6 = i16x8.extend_low_i8x16_u(c3);
  let d7 = i16x8.extend_high_i8x16_u(c3);

  // first pass, over rows: results keep 2 fractional bits
  let t0 = i16x8.add(d0, d7);
  let t7 = i16x8.sub(d0, d7);
  let t1 = i16x8.add(d1, d6);
  let t6 = i16x8.sub(d1, d6);
  let t2 = i16x8.add(d2, d5);
  let t5 = i16x8.sub(d2, d5);
  let t3 = i16x8.add(d3, d4);
  let t4 = i16x8.sub(d3, d4);
  let t10 = i16x8.add(t0, t3);
  let t13 = i16x8.sub(t0, t3);
  let t11 = i16x8.add(t1, t2);
  let t12 = i16x8.sub(t1, t2);
  // the level shift of 128 for each of 8 samples touches the constant term alone
  const o0 = i16x8.shl(i16x8.sub(i16x8.add(t10, t11), i16x8.splat(1024)), 2);
  const o4 = i16x8.shl(i16x8.sub(t10, t11), 2);
  let round = i32x4.splat(1 << 10);
  let l = low(t13, t12);
  let h = high(t13, t12);
  const o2 = turn(l, h, pair(10703, 4433), round, round, 11);
  const o6 = turn(l, h, pair(4433, -10704), round, round, 11);
  let z3 = i16x8.add(t4, t6);
  let z4 = i16x8.add(t5, t7);
  l = low(z3, z4);
  h = high(z3, z4);
  let z3l = i32x4.add(dot(l, pair(-6436, 9633)), round);
  let z3h = i32x4.add(dot(h, pair(-6436, 9633)), round);
  let z4l = i32x4.add(dot(l, pair(9633, 6437)), round);
  let z4h = i32x4.add(dot(h, pair(9633, 6437)), round);
  l = low(t4, t7);
  h = high(t4, t7);
  const o7 = turn(l, h, pair(-4927, -7373), z3l, z3h, 11);
  const o1 = turn(l, h, pair(-7373, 4926), z4l, z4h, 11);
  l = low(t5, t6);
  h = high(t5, t6);
  const o5 = turn(l, h, pair(-4176, -20995), z4l, z4h, 11);
  const o3 = turn(l, h, pair(-20995, 4177), z3l, z3h, 11);

  // transpose
  const e0 = low(o0, o1);
  const e1 = high(o0, o1);
  const e2 = low(o2, o3);
  const e3 = high(o2, o3);
  const e4 = low(o4, o5);
  const e5 = high(o4, o5);
  const e6 = low(o6, o7);
  const e7 = high(o6, o7);
  const f0 = v128.shuffle<i32>(e0, e2, 0, 4, 1, 5);
  const f1 = v128.shuffle<i32>(e0, e2, 2, 6, 3, 7);
  const f2 = v128.shuffle<i32>(e1, e3, 0, 4, 1, 5);
  const f3 = v128.shuffle<i32>(e1, e3, 2, 6, 3, 7);
  const f4 = v128.shuffle<i32>(e4, e6, 0, 4, 1, 5);
  const f5 = v128.shuffle<i32>(e4, e6, 2, 6, 3, 7);
  const f6 = v128.shuffle<i32>(e5, e7, 0, 4, 1, 5);
  const f7 = v128.shuffle<i32>(e5, e7, 2, 6, 3, 7);
  d0 = v128.shuffle<i64>(f0, f4, 0, 2);
  d1 = v128.shuffle<i64>(f0, f4, 1, 3);
  d2 = v128.shuffle<i64>(f1, f5, 0, 2);
  d3 = v128.shuffle<i64>(f1, f5, 1, 3);
  d4 = v128.shuffle<i64>(f2, f6, 0, 2);
  d5 = v128.shuffle<i64>(f2, f6, 1, 3);
  d6 = v128.shuffle<i64>(f3, f7, 0, 2);
  d7 = v128.shuffle<i64>(f3, f7, 1, 3);

  // second pass, over columns: the fractional bits go
  t0 = i16x8.add(d0, d7);
  t7 = i16x8.sub(d0, d7);
  t1 = i16x8.add(d1, d6);
  t6 = i16x8.sub(d1, d6);
  t2 = i16x8.add(d2, d5);
  t5 = i16x8.sub(d2, d5);
  t3 = i16x8.add(d3, d4);
  t4 = i16x8.sub(d3, d4);
  t10 = i16x8.add(t0, t3);
  t13 = i16x8.sub(t0, t3);
  t11 = i16x8.add(t1, t2);
  t12 = i16x8.sub(t1, t2);
  const two = i16x8.splat(2);
  const q0 = quantise(i16x8.shr_s(i16x8.add(i16x8.add(t10, t11), two), 2), divisors, 0);
  const q4 = quantise(i16x8.shr_s(i16x8.add(i16x8.sub(t10, t11), two), 2), divisors, 4);
  round = i32x4.splat(1 << 14);
  l = low(t13, t12);
  h = high(t13, t12);
  const q2 = quantise(turn(l, h, pair(10703, 4433), round, round, 15), divisors, 2);
  const q6 = quantise(turn(l, h, pair(4433, -10704), round, round, 15), divisors, 6);
  z3 = i16x8.add(t4, t6);
  z4 = i16x8.add(t5, t7);
  l = low(z3, z4);
  h = high(z3, z4);
  z3l = i32x4.add(dot(l, pair(-6436, 9633)), round);
  z3h = i32x4.add(dot(h, pair(-6436, 9633)), round);
  z4l = i32x4.add(dot(l, pair(9633, 6437)), round);
  z4h = i32x4.add(dot(h, pair(9633, 6437)), round);
  l = low(t4, t7);
  h = high(t4, t7);
  const q7 = quantise(turn(l, h, pair(-4927, -7373), z3l, z3h, 15), divisors, 7);
  const q1 = quantise(turn(l, h, pair(-7373, 4926), z4l, z4h, 15), divisors, 1);
  l = low(t5, t6);
  h = high(t5, t6);
  const q5 = quantise(turn(l, h, pair(-4176, -20995), z4l, z4h, 15), divisors, 5);
  const q3 = quantise(turn(l, h, pair(-20995, 4177), z3l, z3h, 15), divisors, 3);

  v128.store(BLOCK, q0);
  v128.store(BLOCK, q1, 16);
  v128.store(BLOCK, q2, 32);
  v128.store(BLOCK, q3, 48);
  v128.store(BLOCK, q4, 64);
  v128.store(BLOCK, q5, 80);
  v128.store(BLOCK, q6, 96);
  v128.store(BLOCK, q7, 112);

  // natural positions 0 to 15, 16 to 31, 32 to 47 and 48 to 63 as bytes; each part of the zigzag takes the
  // ones it needs
  const a = i8x16.narrow_i16x8_s(q0, q1);
  const b = i8x16.narrow_i16x8_s(q2, q3);
  const c = i8x16.narrow_i16x8_s(q4, q5);
  const d = i8x16.narrow_i16x8_s(q6, q7);
  // biome-ignore format: the lanes in one line
  const s0 = v128.shuffle<i8>(
    v128.shuffle<i8>(a, b, 0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 0, 25, 18, 11, 4, 5),
    c,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 11, 12, 13, 14, 15,
  );
  // biome-ignore format: the lanes in one line
  const s1 = v128.shuffle<i8>(
    v128.shuffle<i8>(a, b, 12, 19, 26, 0, 0, 0, 0, 0, 27, 20, 13, 6, 7, 14, 21, 28),
    v128.shuffle<i8>(c, d, 0, 0, 0, 1, 8, 16, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0),
    0, 1, 2, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15,
  );
  // biome-ignore format: the lanes in one line
  const s2 = v128.shuffle<i8>(
    v128.shuffle<i8>(a, b, 0, 0, 0, 0, 0, 0, 0, 0, 29, 22, 15, 23, 30, 0, 0, 0),
    v128.shuffle<i8>(c, d, 3, 10, 17, 24, 25, 18, 11, 4, 0, 0, 0, 0, 0, 5, 12, 19),
    16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 29, 30, 31,
  );
  // biome-ignore format: the lanes in one line
  const s3 = v128.shuffle<i8>(
    v128.shuffle<i8>(c, d, 26, 27, 20, 13, 6, 0, 7, 14, 21, 28, 29, 22, 15, 23, 30, 31),
    b,
    0, 1, 2, 3, 4, 31, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  );
  v128.store(ZIGZAG_BYTES, s0);
  v128.store(ZIGZAG_BYTES, s1, 16);
  v128.store(ZIGZAG_BYTES, s2, 32);
  v128.store(ZIGZAG_BYTES, s3, 48);
  const zero = i8x16.splat(0);
  return ~(
    <u64>i8x16.bitmask(i8x16.eq(s0, zero)) |
    ((<u64>i8x16.bitmask(i8x16.eq(s1, zero))) << 16) |
    ((<u64>i8x16.bitmask(i8x16.eq(s2, zero))) << 32) |
    ((<u64>i8x16.bitmask(i8x16.eq(s3, zero))) << 48)
  );
}
