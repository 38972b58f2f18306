// Sums along a row of pixels, vector by vector: the filter Sub of PNG, and the horizontal predictor of TIFF.

/**
 * Writes to `to`, up to `end`, each sample at `from` plus the one `step` bytes before it in the result, as
 * far as whole vectors fit, of which there has to be one: sums over a vector in steps of doubled distance.
 * Pixels have at most 8 bytes; sums wrap. `to` may be `from`. Returns the first byte that is left. Reads up
 * to 16 bytes too many.
 */
export function sumVectors<T>(from: usize, to: usize, end: usize, step: i32): usize {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  // Lanes before the first become large numbers, for which swizzle returns zeros.
  const once = i8x16.sub(lanes, i8x16.splat(<i8>step));
  const twice = i8x16.sub(once, i8x16.splat(<i8>step));
  const fourTimes = i8x16.sub(twice, i8x16.splat(<i8>(2 * step)));
  const eightTimes = i8x16.sub(fourTimes, i8x16.splat(<i8>(4 * step)));
  const whole = 16 - (16 % step);
  // lane modulo step, in the last whole pixel
  let last = lanes;
  for (let i = step; i < 16; i += step) last = i8x16.min_u(last, i8x16.sub(last, i8x16.splat(<i8>step)));
  last = i8x16.add(last, i8x16.splat(<i8>(whole - step)));
  let left = i8x16.splat(0);
  let next = v128.load(from);
  for (; to + 16 <= end; from += <usize>whole, to += <usize>whole) {
    let sum = next;
    // Read before this vector is written, since the two overlap if the row is changed in place.
    next = v128.load(from + <usize>whole);
    sum = v128.add<T>(sum, i8x16.swizzle(sum, once));
    if (step < 8) sum = v128.add<T>(sum, i8x16.swizzle(sum, twice));
    if (step < 4) sum = v128.add<T>(sum, i8x16.swizzle(sum, fourTimes));
    if (step < 2) sum = v128.add<T>(sum, i8x16.swizzle(sum, eightTimes));
    sum = v128.add<T>(sum, left);
    v128.store(to, sum);
    left = i8x16.swizzle(sum, last);
  }
  // The last vector ends after its last whole pixel.
  return to - <usize>whole + 16;
}
