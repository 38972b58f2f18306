// Coefficients of a block to samples: the accurate integer transform of libjpeg at 8x8 ("islow", bit for bit), and
// transforms of the lowest 4x4 and 2x2 coefficients for reduced sizes (ITU-T T.81, A.3.3).

import { COEFFICIENTS, WORK } from "./map";

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

/** One half (four columns) of a pass: results of rows 0 to 7 rounded by `shift`, as i32, at WORK + 128 + 16 * row. */
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

/** One pass over the 8 vectors at `from`, then rows and columns change places; results at WORK. */
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
  const r0 = i16x8.narrow_i32x4_s(v128.load(WORK, 128), v128.load(WORK, 256));
  const r1 = i16x8.narrow_i32x4_s(v128.load(WORK, 144), v128.load(WORK, 272));
  const r2 = i16x8.narrow_i32x4_s(v128.load(WORK, 160), v128.load(WORK, 288));
  const r3 = i16x8.narrow_i32x4_s(v128.load(WORK, 176), v128.load(WORK, 304));
  const r4 = i16x8.narrow_i32x4_s(v128.load(WORK, 192), v128.load(WORK, 320));
  const r5 = i16x8.narrow_i32x4_s(v128.load(WORK, 208), v128.load(WORK, 336));
  const r6 = i16x8.narrow_i32x4_s(v128.load(WORK, 224), v128.load(WORK, 352));
  const r7 = i16x8.narrow_i32x4_s(v128.load(WORK, 240), v128.load(WORK, 368));
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
  const middle = i8x16.splat(-128);
  for (let row: usize = 0; row < 4; row++) {
    const at = WORK + (row << 5);
    const two = v128.xor(i8x16.narrow_i16x8_s(v128.load(at), v128.load(at, 16)), middle);
    v128.store64_lane(to, two, 0);
    v128.store64_lane(to + stride, two, 1);
    to += stride << 1;
  }
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

// @ts-ignore: decorator
@inline
function dequantised4(quant: usize, row: usize): v128 {
  return i32x4.mul(
    v128.load16x4_s(COEFFICIENTS + (row << 4)),
    v128.load16x4_u(quant + (row << 4)),
  );
}

/** One pass of the 4-point transform with factors of 2^13: sqrt(2) cos(pi/8) = 10703, sqrt(2) cos(3pi/8) = 4433. */
// @ts-ignore: decorator
@inline
function pass4(d0: v128, d1: v128, d2: v128, d3: v128, shift: i32, to: usize): void {
  const round = i32x4.splat(1 << (shift - 1));
  const sum = i32x4.add(i32x4.shl(i32x4.add(d0, d2), 13), round);
  const difference = i32x4.add(i32x4.shl(i32x4.sub(d0, d2), 13), round);
  const large = i32x4.splat(10703);
  const small = i32x4.splat(4433);
  const outer = i32x4.add(i32x4.mul(d1, large), i32x4.mul(d3, small));
  const inner = i32x4.sub(i32x4.mul(d1, small), i32x4.mul(d3, large));
  const r0 = i32x4.shr_s(i32x4.add(sum, outer), shift);
  const r1 = i32x4.shr_s(i32x4.add(difference, inner), shift);
  const r2 = i32x4.shr_s(i32x4.sub(difference, inner), shift);
  const r3 = i32x4.shr_s(i32x4.sub(sum, outer), shift);
  const a = v128.shuffle<i32>(r0, r1, 0, 4, 1, 5);
  const b = v128.shuffle<i32>(r2, r3, 0, 4, 1, 5);
  const c = v128.shuffle<i32>(r0, r1, 2, 6, 3, 7);
  const d = v128.shuffle<i32>(r2, r3, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<i64>(a, b, 0, 2));
  v128.store(to, v128.shuffle<i64>(a, b, 1, 3), 16);
  v128.store(to, v128.shuffle<i64>(c, d, 0, 2), 32);
  v128.store(to, v128.shuffle<i64>(c, d, 1, 3), 48);
}

/** A block at half size: 4 rows of 4 bytes from its 16 lowest frequencies; leaves the coefficients zero. */
export function inverse4(quant: usize, to: usize, stride: usize): void {
  pass4(
    dequantised4(quant, 0),
    dequantised4(quant, 1),
    dequantised4(quant, 2),
    dequantised4(quant, 3),
    11,
    WORK,
  );
  clear();
  pass4(v128.load(WORK), v128.load(WORK, 16), v128.load(WORK, 32), v128.load(WORK, 48), 18, WORK);
  const upper = i16x8.narrow_i32x4_s(v128.load(WORK), v128.load(WORK, 16));
  const lower = i16x8.narrow_i32x4_s(v128.load(WORK, 32), v128.load(WORK, 48));
  const all = v128.xor(i8x16.narrow_i16x8_s(upper, lower), i8x16.splat(-128));
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

/** A block at a quarter of its size: 2 rows of 2 bytes; leaves the coefficients zero. */
export function inverse2(quant: usize, to: usize, stride: usize): void {
  const c = COEFFICIENTS;
  const c00 = (load<i16>(c) as i32) * (load<u16>(quant) as i32);
  const c01 = (load<i16>(c, 2) as i32) * (load<u16>(quant, 2) as i32);
  const c10 = (load<i16>(c, 16) as i32) * (load<u16>(quant, 16) as i32);
  const c11 = (load<i16>(c, 18) as i32) * (load<u16>(quant, 18) as i32);
  clear();
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
