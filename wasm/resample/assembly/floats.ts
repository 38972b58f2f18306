// Samples as f32: 16 bit, colour weighted by alpha, and box cells. Sums always add the taps in order, so that
// a window has the same bits as the whole picture.

import { turn } from "./bytes";
import { storeBytes, storeWords } from "./store";

/**
 * 16 samples from `column` (in bytes) on: the weighted sum of the rows in `pointers`, as 16 f32 at `target`.
 */
export function blendFloats(pointers: usize, weights: usize, count: i32, column: usize, target: usize): void {
  let a = f32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (const end = pointers + ((<usize>count) << 2); pointers < end; pointers += 4, weights += 4) {
    const w = v128.load32_splat(weights);
    const p = <usize>load<u32>(pointers) + column;
    a = f32x4.add(a, f32x4.mul(v128.load(p), w));
    b = f32x4.add(b, f32x4.mul(v128.load(p, 16), w));
    c = f32x4.add(c, f32x4.mul(v128.load(p, 32), w));
    d = f32x4.add(d, f32x4.mul(v128.load(p, 48), w));
  }
  v128.store(target, a);
  v128.store(target, b, 16);
  v128.store(target, c, 32);
  v128.store(target, d, 48);
}

/**
 * Samples `from` to `to` (in steps of 4) of four lines as quads of 16 bytes: the sample in each of the four
 * rows.
 */
export function quadLines(lines: usize, stride: usize, from: i32, to: i32, quads: usize): void {
  for (let s = from; s < to; s += 4) {
    const line0 = lines + ((<usize>s) << 2);
    const line1 = line0 + stride;
    const line2 = line1 + stride;
    turn(v128.load(line0), v128.load(line1), v128.load(line2), v128.load(line2 + stride), quads + ((<usize>s) << 4));
  }
}

/**
 * Output pixels `from` to `to` of four rows at `target`, rows `stride` bytes apart, with samples of `depth`
 * bytes. `weighted`: the last band is alpha and the others are divided by it. One or two bands: several
 * pixels at a time, so `from` is a multiple of 4, and up to 3 pixels after `to` are written.
 */
export function filterQuads(
  bands: i32,
  depth: i32,
  weighted: bool,
  quads: usize,
  starts: usize,
  weights: usize,
  count: i32,
  from: i32,
  to: i32,
  target: usize,
  stride: usize,
): void {
  const length = (<usize>count) << 2;
  const step = bands === 1 ? 4 : bands === 2 ? 2 : 1;
  const wide = (<usize>bands) << 4;
  for (let i = from; i < to; i += step) {
    const s = starts + ((<usize>i) << 2);
    let w = weights + <usize>i * length;
    let p = quads + <usize>load<u32>(s) * wide;
    let a = f32x4.splat(0);
    let b = a;
    let c = a;
    let d = a;
    if (bands === 1) {
      a = sum1(p, w, length);
      b = sum1(quads + <usize>load<u32>(s, 4) * wide, w + length, length);
      c = sum1(quads + <usize>load<u32>(s, 8) * wide, w + 2 * length, length);
      d = sum1(quads + <usize>load<u32>(s, 12) * wide, w + 3 * length, length);
    } else if (bands === 2) {
      for (const end = w + length; w < end; w += 4, p += 32) {
        const k = v128.load32_splat(w);
        a = f32x4.add(a, f32x4.mul(v128.load(p), k));
        b = f32x4.add(b, f32x4.mul(v128.load(p, 16), k));
      }
      p = quads + <usize>load<u32>(s, 4) * wide;
      for (const end = w + length; w < end; w += 4, p += 32) {
        const k = v128.load32_splat(w);
        c = f32x4.add(c, f32x4.mul(v128.load(p), k));
        d = f32x4.add(d, f32x4.mul(v128.load(p, 16), k));
      }
    } else if (bands === 3) {
      for (const end = w + length; w < end; w += 4, p += 48) {
        const k = v128.load32_splat(w);
        a = f32x4.add(a, f32x4.mul(v128.load(p), k));
        b = f32x4.add(b, f32x4.mul(v128.load(p, 16), k));
        c = f32x4.add(c, f32x4.mul(v128.load(p, 32), k));
      }
    } else {
      for (const end = w + length; w < end; w += 4, p += 64) {
        const k = v128.load32_splat(w);
        a = f32x4.add(a, f32x4.mul(v128.load(p), k));
        b = f32x4.add(b, f32x4.mul(v128.load(p, 16), k));
        c = f32x4.add(c, f32x4.mul(v128.load(p, 32), k));
        d = f32x4.add(d, f32x4.mul(v128.load(p, 48), k));
      }
    }
    if (weighted) {
      if (bands === 2) {
        a = divide(a, b);
        c = divide(c, d);
      } else {
        a = divide(a, d);
        b = divide(b, d);
        c = divide(c, d);
      }
    }
    const at = target + <usize>(i * bands * depth);
    if (depth === 1) storeBytes(round(a), round(b), round(c), round(d), at, stride);
    else storeWords(round(a), round(b), round(c), round(d), at, stride);
  }
}

// @ts-ignore: decorator
@inline
function sum1(p: usize, w: usize, length: usize): v128 {
  let a = f32x4.splat(0);
  for (const end = w + length; w < end; w += 4, p += 16)
    a = f32x4.add(a, f32x4.mul(v128.load(p), v128.load32_splat(w)));
  return a;
}

/** Colour from premultiplied colour; 0 if alpha rounds to 0. */
// @ts-ignore: decorator
@inline
function divide(colour: v128, alpha: v128): v128 {
  return v128.and(f32x4.div(colour, alpha), f32x4.ge(alpha, f32x4.splat(0.5)));
}

/** Halves round up; narrowing clamps negative values. */
// @ts-ignore: decorator
@inline
function round(sum: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.add(sum, f32x4.splat(0.5)));
}
