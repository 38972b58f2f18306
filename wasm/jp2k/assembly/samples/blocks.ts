// Decoded code-blocks: samples with one fraction bit to coefficients of a band.

/**
 * Copies a rectangle of i32 with one fraction bit as i32 without it, rounded toward zero. Strides are in
 * samples; nothing outside the rectangle is written.
 */
export function copyInts(from: usize, fromStride: i32, to: usize, toStride: i32, width: i32, height: i32): void {
  const whole = (<usize>(width & ~3)) << 2;
  const all = (<usize>width) << 2;
  for (; height > 0; height--) {
    let x: usize = 0;
    for (; x < whole; x += 16) {
      const value = v128.load(from + x);
      v128.store(to + x, i32x4.shr_s(i32x4.sub(value, i32x4.shr_s(value, 31)), 1));
    }
    for (; x < all; x += 4) store<i32>(to + x, load<i32>(from + x) / 2);
    from += (<usize>fromStride) << 2;
    to += (<usize>toStride) << 2;
  }
}

/** Copies a rectangle of i32 as f32 times `scale` (T.800, E.1.1.2). The rest is as for {@link copyInts}. */
export function copyFloats(
  from: usize,
  fromStride: i32,
  to: usize,
  toStride: i32,
  width: i32,
  height: i32,
  scale: f32,
): void {
  const whole = (<usize>(width & ~3)) << 2;
  const all = (<usize>width) << 2;
  const by = f32x4.splat(scale);
  for (; height > 0; height--) {
    let x: usize = 0;
    for (; x < whole; x += 16) v128.store(to + x, f32x4.mul(f32x4.convert_i32x4_s(v128.load(from + x)), by));
    for (; x < all; x += 4) store<f32>(to + x, <f32>load<i32>(from + x) * scale);
    from += (<usize>fromStride) << 2;
    to += (<usize>toStride) << 2;
  }
}

/**
 * Undoes the scaling of a region of interest (T.800, H.1) on `count` i32 with one fraction bit, in place:
 * samples whose magnitude without the fraction is 2^`shift` or more are moved down by `shift`, and keep the
 * highest of the removed bits as their fraction bit. A shift of 31 or more clears all samples. Up to three
 * samples after them are read and written unchanged.
 */
export function shiftDown(at: usize, count: i32, shift: i32): void {
  const end = at + ((<usize>count) << 2);
  if (shift > 30) {
    memory.fill(at, 0, end - at);
    return;
  }
  const most = i32x4.splat(<i32>(((<u32>2) << shift) - 1));
  const ramp = i32x4(0, 1, 2, 3);
  for (let left = count; left > 0; left -= 4, at += 16) {
    const value = v128.load(at);
    const magnitude = i32x4.abs(value);
    const moved = i32x4.shr_s(magnitude, shift);
    const sign = i32x4.shr_s(value, 31);
    const result = i32x4.sub(v128.xor(moved, sign), sign);
    const chosen = v128.and(i32x4.gt_s(magnitude, most), i32x4.lt_s(ramp, i32x4.splat(left)));
    v128.store(at, v128.bitselect(result, value, chosen));
  }
}
