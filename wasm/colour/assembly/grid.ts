// Three or four bands through a grid of nodes, by tetrahedral interpolation.
//
// A cell of three bands is cut along its diagonal by the order of the fractions: from its low corner one
// steps along the band with the largest fraction first. Nodes are four i16, of which full scale is 16384
// steps of the tone table; fractions are 0 to 16384. A key is a fraction above the 16 bits of how many bytes
// one step along its band is, so that keys sort by fraction and keep their step.

import { lastStep, storeBytes, storeWords } from "./tone";

/** Weights have 14 bits. */
const weightBits: i32 = 14;
const one: i32 = 1 << weightBits;
const stepMask: i32 = 0xffff;

// @ts-ignore: decorator
@inline
function larger(a: i32, b: i32): i32 {
  return select(a, b, a > b);
}

// @ts-ignore: decorator
@inline
function smaller(a: i32, b: i32): i32 {
  return select(b, a, a > b);
}

/** Two nodes by two weights, in four i32. */
// @ts-ignore: decorator
@inline
function two(p: usize, q: usize, wp: i32, wq: i32): v128 {
  const nodes = v128.shuffle<i16>(v128.load64_zero(p), v128.load64_zero(q), 0, 8, 1, 9, 2, 10, 3, 11);
  return i32x4.dot_i16x8_s(nodes, i32x4.splat(wp | (wq << 16)));
}

// @ts-ignore: decorator
@inline
function inThree(node: usize, a: i32, b: i32, c: i32): v128 {
  const high = larger(a, b);
  const low = smaller(a, b);
  const middle = smaller(high, c);
  const k0 = larger(high, c);
  const k1 = larger(low, middle);
  const k2 = smaller(low, middle);
  const f0 = k0 >> 16;
  const f1 = k1 >> 16;
  const f2 = k2 >> 16;
  const n1 = node + <usize>(k0 & stepMask);
  const n2 = n1 + <usize>(k1 & stepMask);
  const n3 = n2 + <usize>(k2 & stepMask);
  return i32x4.add(two(node, n1, one - f0, f0 - f1), two(n2, n3, f1 - f2, f2));
}

/** Along the first band between the results of the other three, as LittleCMS does it in four dimensions. */
// @ts-ignore: decorator
@inline
function inFour(node: usize, first: i32, b: i32, c: i32, d: i32): v128 {
  const half = i32x4.splat(one >> 1);
  const part = first >> 16;
  const low = i32x4.shr_s(i32x4.add(inThree(node, b, c, d), half), weightBits);
  const high = i32x4.shr_s(i32x4.add(inThree(node + <usize>(first & stepMask), b, c, d), half), weightBits);
  const both = i16x8.narrow_i32x4_s(low, high);
  const pairs = v128.shuffle<i16>(both, both, 0, 4, 1, 5, 2, 6, 3, 7);
  return i32x4.dot_i16x8_s(pairs, i32x4.splat((one - part) | (part << 16)));
}

/**
 * 8 bit. `axes`: for each band and each of its 256 values the offset of the cell (low 32 bits) and the key
 * (high). The `inputs` may be followed by an alpha band, which passes. `tone`: a byte for every step of the
 * nodes' scale.
 */
export function grid8(
  source: usize,
  target: usize,
  pixels: i32,
  inputs: i32,
  alpha: i32,
  axes: usize,
  nodes: usize,
  tone: usize,
): void {
  const half = i32x4.splat(one >> 1);
  const zero = i32x4.splat(0);
  const full = i32x4.splat(lastStep);
  const from = <usize>(inputs + alpha);
  const to = <usize>(3 + alpha);
  for (const end = target + <usize>pixels * to; target < end; source += from, target += to) {
    const a = load<i64>(axes + ((<usize>load<u8>(source)) << 3));
    const b = load<i64>(axes + ((<usize>load<u8>(source, 1)) << 3), 2048);
    const c = load<i64>(axes + ((<usize>load<u8>(source, 2)) << 3), 4096);
    let node = nodes + <usize>(<u32>a) + <usize>(<u32>b) + <usize>(<u32>c);
    let sum: v128;
    if (inputs == 4) {
      const d = load<i64>(axes + ((<usize>load<u8>(source, 3)) << 3), 6144);
      node += <usize>(<u32>d);
      sum = inFour(node, <i32>(a >> 32), <i32>(b >> 32), <i32>(c >> 32), <i32>(d >> 32));
    } else sum = inThree(node, <i32>(a >> 32), <i32>(b >> 32), <i32>(c >> 32));
    const steps = i32x4.shr_s(i32x4.add(sum, half), weightBits);
    storeBytes(target, i32x4.min_s(full, i32x4.max_s(zero, steps)), tone);
    if (alpha) store<u8>(target, load<u8>(source + <usize>inputs), 3);
  }
}

/**
 * 16 bit, with 65536 values for each band. `tone`: the f32 value, 0 to 65535, at every step and once more the
 * last.
 */
export function grid16(
  source: usize,
  target: usize,
  pixels: i32,
  inputs: i32,
  alpha: i32,
  axes: usize,
  nodes: usize,
  tone: usize,
): void {
  const toSteps = f32x4.splat(1.0 / <f32>one);
  const zero = f32x4.splat(0);
  const full = f32x4.splat(<f32>lastStep);
  const from = (<usize>(inputs + alpha)) << 1;
  const to = (<usize>(3 + alpha)) << 1;
  for (const end = target + <usize>pixels * to; target < end; source += from, target += to) {
    const a = load<i64>(axes + ((<usize>load<u16>(source)) << 3));
    const b = load<i64>(axes + ((<usize>load<u16>(source, 2)) << 3), 524288);
    const c = load<i64>(axes + ((<usize>load<u16>(source, 4)) << 3), 1048576);
    let node = nodes + <usize>(<u32>a) + <usize>(<u32>b) + <usize>(<u32>c);
    let sum: v128;
    if (inputs == 4) {
      const d = load<i64>(axes + ((<usize>load<u16>(source, 6)) << 3), 1572864);
      node += <usize>(<u32>d);
      sum = inFour(node, <i32>(a >> 32), <i32>(b >> 32), <i32>(c >> 32), <i32>(d >> 32));
    } else sum = inThree(node, <i32>(a >> 32), <i32>(b >> 32), <i32>(c >> 32));
    const places = f32x4.mul(f32x4.convert_i32x4_s(sum), toSteps);
    storeWords(target, f32x4.pmin(full, f32x4.pmax(zero, places)), tone);
    if (alpha) store<u16>(target, load<u16>(source + ((<usize>inputs) << 1)), 6);
  }
}
