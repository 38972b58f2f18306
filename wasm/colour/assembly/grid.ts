// Three or four bands through a grid of nodes, by simplex interpolation: tetrahedra in three dimensions.
//
// A cell is cut along its diagonal by the order of the fractions: from its low corner one steps along the band with the
// largest fraction first. Nodes are four i16, of which full scale is 16320; fractions are 0 to 16384. A key is a fraction above
// the 16 bits of how many bytes one step along its band is, so that keys sort by fraction and keep their step.

const one: i32 = 16384;
/** 6 bits of nodes and 14 of weights beyond a byte. */
const byteBits: i32 = 20;
const byteHalf: i32 = 1 << 19;
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

// @ts-ignore: decorator
@inline
function inFour(node: usize, a: i32, b: i32, c: i32, d: i32): v128 {
  const ab = larger(a, b);
  const ba = smaller(a, b);
  const cd = larger(c, d);
  const dc = smaller(c, d);
  const k0 = larger(ab, cd);
  const k3 = smaller(ba, dc);
  const m = smaller(ab, cd);
  const n = larger(ba, dc);
  const k1 = larger(m, n);
  const k2 = smaller(m, n);
  const f0 = k0 >> 16;
  const f1 = k1 >> 16;
  const f2 = k2 >> 16;
  const f3 = k3 >> 16;
  const n1 = node + <usize>(k0 & stepMask);
  const n2 = n1 + <usize>(k1 & stepMask);
  const n3 = n2 + <usize>(k2 & stepMask);
  const n4 = n3 + <usize>(k3 & stepMask);
  return i32x4.add(
    i32x4.add(two(node, n1, one - f0, f0 - f1), two(n2, n3, f1 - f2, f2 - f3)),
    two(n4, n4, f3, 0),
  );
}

/**
 * 8 bit. `axes`: for each band and each of its 256 values the offset of the cell (low 32 bits) and the key (high).
 * Three `inputs` may be followed by an alpha band, which passes. Up to 3 bytes after the target are written.
 */
export function grid8(
  source: usize,
  target: usize,
  pixels: i32,
  inputs: i32,
  alpha: i32,
  axes: usize,
  nodes: usize,
): void {
  const half = i32x4.splat(byteHalf);
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
    const value = i32x4.shr_s(i32x4.add(sum, half), byteBits);
    const words = i16x8.narrow_i32x4_s(value, value);
    v128.store_lane<u32>(target, i8x16.narrow_i16x8_u(words, words), 0);
    if (alpha) store<u8>(target, load<u8>(source, 3), 3);
  }
}

/** A 16-bit value as a cell's offset (low 32 bits) and key (high); `step` is the bytes from node to node along its band. */
// @ts-ignore: decorator
@inline
function locate(value: u32, scale: f32, last: i32, step: i32): i64 {
  const position = <i32>(<f32>value * scale + 0.5);
  const cell = smaller(position >> 14, last);
  return ((<i64>(((position - (cell << 14)) << 16) | step)) << 32) | <i64>(cell * step);
}

/** 16 bit, for a grid of `size` nodes along each band. Up to 6 bytes after the target are written. */
export function grid16(
  source: usize,
  target: usize,
  pixels: i32,
  inputs: i32,
  alpha: i32,
  size: i32,
  nodes: usize,
): void {
  const last = size - 2;
  const scale = (<f32>((size - 1) * one)) / 65535;
  const stepD: i32 = 8;
  const stepC: i32 = inputs == 4 ? 8 * size : 8;
  const stepB = stepC * size;
  const stepA = stepB * size;
  const toFull = f32x4.splat(65535.0 / (16320.0 * 16384.0));
  const half = f32x4.splat(0.5);
  const zero = f32x4.splat(0);
  const from = (<usize>(inputs + alpha)) << 1;
  const to = (<usize>(3 + alpha)) << 1;
  for (const end = target + <usize>pixels * to; target < end; source += from, target += to) {
    const a = locate(load<u16>(source), scale, last, stepA);
    const b = locate(load<u16>(source, 2), scale, last, stepB);
    const c = locate(load<u16>(source, 4), scale, last, stepC);
    let node = nodes + <usize>(<u32>a) + <usize>(<u32>b) + <usize>(<u32>c);
    let sum: v128;
    if (inputs == 4) {
      const d = locate(load<u16>(source, 6), scale, last, stepD);
      node += <usize>(<u32>d);
      sum = inFour(node, <i32>(a >> 32), <i32>(b >> 32), <i32>(c >> 32), <i32>(d >> 32));
    } else sum = inThree(node, <i32>(a >> 32), <i32>(b >> 32), <i32>(c >> 32));
    const value = f32x4.pmax(zero, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sum), toFull), half));
    const whole = i32x4.trunc_sat_f32x4_s(value);
    v128.store_lane<u64>(target, i16x8.narrow_i32x4_u(whole, whole), 0);
    if (alpha) store<u16>(target, load<u16>(source, 6), 6);
  }
}
