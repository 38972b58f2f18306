// RGB to YCbCr of ITU-R BT.601 as JFIF takes it, in 16-bit fixed point; chroma of half size; edges of the
// strip.

// @ts-ignore: decorator
@inline
function pair(a: i16, b: i16): v128 {
  return i32x4.splat(((<i32>b) << 16) | (<i32>a & 0xffff));
}

// @ts-ignore: decorator
@inline
function bytesOf(a: v128, b: v128, c: v128, d: v128): v128 {
  return i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
}

// @ts-ignore: decorator
@inline
function redGreen(v: v128): v128 {
  return i8x16.swizzle(v, i8x16(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1));
}

// @ts-ignore: decorator
@inline
function blueGreen(v: v128): v128 {
  return i8x16.swizzle(v, i8x16(2, -1, 1, -1, 5, -1, 4, -1, 8, -1, 7, -1, 11, -1, 10, -1));
}

// Weights times 65536. Those above 32767 are split over both pairs, and 0.5 is the subtraction of -0.5.

// @ts-ignore: decorator
@inline
function luma(rg: v128, bg: v128): v128 {
  const sum = i32x4.add(i32x4.dot_i16x8_s(rg, pair(19595, 22086)), i32x4.dot_i16x8_s(bg, pair(7471, 16384)));
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat(32768)), 16);
}

// @ts-ignore: decorator
@inline
function blueness(rg: v128, bg: v128): v128 {
  const sum = i32x4.sub(i32x4.dot_i16x8_s(rg, pair(-11059, -21709)), i32x4.dot_i16x8_s(bg, pair(-32768, 0)));
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat((128 << 16) + 32767)), 16);
}

// @ts-ignore: decorator
@inline
function redness(rg: v128, bg: v128): v128 {
  const sum = i32x4.sub(i32x4.dot_i16x8_s(bg, pair(-5329, -27439)), i32x4.dot_i16x8_s(rg, pair(-32768, 0)));
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat((128 << 16) + 32767)), 16);
}

/** One row of RGB to three rows. Reads up to 51 bytes and writes up to 15 behind the last pixel. */
export function convertRow(rgb: usize, y: usize, cb: usize, cr: usize, width: usize): void {
  for (let x: usize = 0; x < width; x += 16) {
    const v0 = v128.load(rgb);
    const v1 = v128.load(rgb, 12);
    const v2 = v128.load(rgb, 24);
    const v3 = v128.load(rgb, 36);
    rgb += 48;
    const r0 = redGreen(v0);
    const b0 = blueGreen(v0);
    const r1 = redGreen(v1);
    const b1 = blueGreen(v1);
    const r2 = redGreen(v2);
    const b2 = blueGreen(v2);
    const r3 = redGreen(v3);
    const b3 = blueGreen(v3);
    v128.store(y + x, bytesOf(luma(r0, b0), luma(r1, b1), luma(r2, b2), luma(r3, b3)));
    v128.store(cb + x, bytesOf(blueness(r0, b0), blueness(r1, b1), blueness(r2, b2), blueness(r3, b3)));
    v128.store(cr + x, bytesOf(redness(r0, b0), redness(r1, b1), redness(r2, b2), redness(r3, b3)));
  }
}

/**
 * Averages 2x2 samples of the rows `a` and `b`, `width` times. Halves are rounded down and up in turn. Reads
 * up to 30 and writes up to 15 samples after the last one.
 */
export function halveRows(a: usize, b: usize, to: usize, width: usize): void {
  const half = i32x4.splat((2 << 16) | 1);
  for (let x: usize = 0; x < width; x += 16) {
    const at = x << 1;
    const left = i16x8.add(
      i16x8.extadd_pairwise_i8x16_u(v128.load(a + at)),
      i16x8.extadd_pairwise_i8x16_u(v128.load(b + at)),
    );
    const right = i16x8.add(
      i16x8.extadd_pairwise_i8x16_u(v128.load(a + at, 16)),
      i16x8.extadd_pairwise_i8x16_u(v128.load(b + at, 16)),
    );
    v128.store(
      to + x,
      i8x16.narrow_i16x8_u(i16x8.shr_u(i16x8.add(left, half), 2), i16x8.shr_u(i16x8.add(right, half), 2)),
    );
  }
}

/** Repeats the last of `width` samples up to `padded`. */
// @ts-ignore: decorator
@inline
export function extendRow(row: usize, width: usize, padded: usize): void {
  if (padded > width) memory.fill(row + width, load<u8>(row + width - 1), padded - width);
}

/** Repeats the last of `rows` rows up to `padded`. */
export function extendRows(first: usize, stride: usize, width: usize, rows: usize, padded: usize): void {
  const last = first + (rows - 1) * stride;
  for (let row = rows; row < padded; row++) memory.copy(first + row * stride, last, width);
}
