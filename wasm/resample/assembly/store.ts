// Four sums of four rows each, as four samples in each of four rows. What three bands write beyond their
// pixel is overwritten by the next one, and rows end with room for it.

/** Clamps to 0..255; 4 bytes in each row. */
// @ts-ignore: decorator
@inline
export function storeBytes(a: v128, b: v128, c: v128, d: v128, target: usize, stride: usize): void {
  const sums = i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
  const rows = i8x16.shuffle(sums, sums, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  v128.store32_lane(target, rows, 0);
  target += stride;
  v128.store32_lane(target, rows, 1);
  target += stride;
  v128.store32_lane(target, rows, 2);
  v128.store32_lane(target + stride, rows, 3);
}

/** Clamps to 0..65535; 8 bytes in each row. */
// @ts-ignore: decorator
@inline
export function storeWords(a: v128, b: v128, c: v128, d: v128, target: usize, stride: usize): void {
  const ac = i16x8.narrow_i32x4_u(a, c);
  const bd = i16x8.narrow_i32x4_u(b, d);
  const ab = v128.shuffle<i16>(ac, bd, 0, 8, 1, 9, 2, 10, 3, 11);
  const cd = v128.shuffle<i16>(ac, bd, 4, 12, 5, 13, 6, 14, 7, 15);
  const rows01 = v128.shuffle<i32>(ab, cd, 0, 4, 1, 5);
  const rows23 = v128.shuffle<i32>(ab, cd, 2, 6, 3, 7);
  v128.store64_lane(target, rows01, 0);
  target += stride;
  v128.store64_lane(target, rows01, 1);
  target += stride;
  v128.store64_lane(target, rows23, 0);
  v128.store64_lane(target + stride, rows23, 1);
}
