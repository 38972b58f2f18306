// Converts planes to interleaved samples, with libjpeg's conversion of full-range BT.601 (JFIF 1.02) if
// requested.

// @ts-ignore: decorator
@inline
function plus(y: v128, chroma: v128): v128 {
  return i16x8.add(y, chroma);
}

// @ts-ignore: decorator
@inline
function red(y: v128, cr: v128): v128 {
  return plus(plus(y, cr), i16x8.q15mulr_sat_s(cr, i16x8.splat(13173)));
}

// @ts-ignore: decorator
@inline
function blue(y: v128, cb: v128): v128 {
  return plus(plus(y, i16x8.shl(cb, 1)), i16x8.q15mulr_sat_s(cb, i16x8.splat(-7471)));
}

// @ts-ignore: decorator
@inline
function green(y: v128, cb: v128, cr: v128): v128 {
  const factors = i16x8(-22554, 18734, -22554, 18734, -22554, 18734, -22554, 18734);
  const half = i32x4.splat(32768);
  const low = i32x4.dot_i16x8_s(v128.shuffle<i16>(cb, cr, 0, 8, 1, 9, 2, 10, 3, 11), factors);
  const high = i32x4.dot_i16x8_s(v128.shuffle<i16>(cb, cr, 4, 12, 5, 13, 6, 14, 7, 15), factors);
  const scaled = i16x8.narrow_i32x4_s(i32x4.shr_s(i32x4.add(low, half), 16), i32x4.shr_s(i32x4.add(high, half), 16));
  return i16x8.sub(plus(y, scaled), cr);
}

// @ts-ignore: decorator
@inline
function store3(to: usize, a: v128, b: v128, c: v128): void {
  const low = v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const high = v128.shuffle<u8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const middle = v128.shuffle<i64>(low, high, 1, 2);
  v128.store(to, v128.shuffle<u8>(low, c, 0, 1, 16, 2, 3, 17, 4, 5, 18, 6, 7, 19, 8, 9, 20, 10));
  v128.store(to, v128.shuffle<u8>(middle, c, 3, 21, 4, 5, 22, 6, 7, 23, 8, 9, 24, 10, 11, 25, 12, 13), 16);
  v128.store(to, v128.shuffle<u8>(high, c, 26, 6, 7, 27, 8, 9, 28, 10, 11, 29, 12, 13, 30, 14, 15, 31), 32);
}

// @ts-ignore: decorator
@inline
function store4(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab0 = v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const ab1 = v128.shuffle<u8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const cd0 = v128.shuffle<u8>(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const cd1 = v128.shuffle<u8>(c, d, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  v128.store(to, v128.shuffle<u16>(ab0, cd0, 0, 8, 1, 9, 2, 10, 3, 11));
  v128.store(to, v128.shuffle<u16>(ab0, cd0, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  v128.store(to, v128.shuffle<u16>(ab1, cd1, 0, 8, 1, 9, 2, 10, 3, 11), 32);
  v128.store(to, v128.shuffle<u16>(ab1, cd1, 4, 12, 5, 13, 6, 14, 7, 15), 48);
}

/**
 * Writes one row of `count` pixels from rows of 3 or 4 planes; d is 0 for 3. `convert`: 1 if the first three
 * are Y, Cb and Cr. `flip`: 255 complements the result (of four planes, all but d are complemented once more
 * after a conversion, as in YCCK); else 0. Works on 16 pixels at a time: reads up to 15 bytes and writes up
 * to 60 bytes more.
 */
export function colourRow(
  a: usize,
  b: usize,
  c: usize,
  d: usize,
  to: usize,
  count: i32,
  convert: i32,
  flip: i32,
): void {
  const middle = i16x8.splat(128);
  const complement = i8x16.splat(flip as i8);
  // in YCCK it is the complement of C, M and Y that was converted
  const complement3 = convert && d != 0 ? v128.not(complement) : complement;
  for (; count > 0; count -= 16) {
    let p = v128.load(a);
    let q = v128.load(b);
    let r = v128.load(c);
    if (convert) {
      const y0 = i16x8.extend_low_i8x16_u(p);
      const y1 = i16x8.extend_high_i8x16_u(p);
      const cb0 = i16x8.sub(i16x8.extend_low_i8x16_u(q), middle);
      const cb1 = i16x8.sub(i16x8.extend_high_i8x16_u(q), middle);
      const cr0 = i16x8.sub(i16x8.extend_low_i8x16_u(r), middle);
      const cr1 = i16x8.sub(i16x8.extend_high_i8x16_u(r), middle);
      p = i8x16.narrow_i16x8_u(red(y0, cr0), red(y1, cr1));
      q = i8x16.narrow_i16x8_u(green(y0, cb0, cr0), green(y1, cb1, cr1));
      r = i8x16.narrow_i16x8_u(blue(y0, cb0), blue(y1, cb1));
    }
    p = v128.xor(p, complement3);
    q = v128.xor(q, complement3);
    r = v128.xor(r, complement3);
    if (d != 0) {
      store4(to, p, q, r, v128.xor(v128.load(d), complement));
      d += 16;
      to += 64;
    } else {
      store3(to, p, q, r);
      to += 48;
    }
    a += 16;
    b += 16;
    c += 16;
  }
}
