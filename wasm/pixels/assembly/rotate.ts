// Sampling a turned picture with six by six taps. Pixels wait as four f32: up to three colours times alpha,
// then alpha, 0 to 1.

/** Taps of one axis. */
const taps: usize = 6;
/** Bytes of one phase in the table: its taps and two more f32. */
const phaseBytes = 32;

/**
 * `left` times the first, `count` of the, `right` times the last of the pixels at `from`. 1 to 4 bands; 2 and
 * 4 end in alpha.
 */
export function widenRow(from: usize, left: i32, count: i32, right: i32, bands: i32, depth: i32, to: usize): void {
  const colours = bands - ((bands & 1) === 0 ? 1 : 0);
  const full: f32 = depth === 1 ? 255 : 65535;
  const first = to + ((<usize>left) << 4);
  let at = first;
  for (let i = 0; i < count; i++, at += 16, from += <usize>(bands * depth)) {
    const a = sampleAt(from, 0, depth);
    const b = colours === 3 ? sampleAt(from, 1, depth) : 0;
    const c = colours === 3 ? sampleAt(from, 2, depth) : 0;
    const alpha: f32 = colours === bands ? 1 : sampleAt(from, colours, depth) / full;
    store<f32>(at, a * alpha);
    store<f32>(at, b * alpha, 4);
    store<f32>(at, c * alpha, 8);
    store<f32>(at, alpha, 12);
  }
  const leftmost = v128.load(first);
  const rightmost = v128.load(at - 16);
  for (let p = to; p < first; p += 16) v128.store(p, leftmost);
  for (const end = at + ((<usize>right) << 4); at < end; at += 16) v128.store(at, rightmost);
}

// @ts-ignore: decorator
@inline
function sampleAt(from: usize, band: i32, depth: i32): f32 {
  return depth === 1 ? <f32>load<u8>(from + <usize>band) : <f32>load<u16>(from + ((<usize>band) << 1));
}

/**
 * Writes `columns` by `rows` output pixels of `colours` and alpha to `out`, rows `outStride` bytes apart;
 * pixels that the picture does not cover are left unchanged. Output pixel 0, 0 is centred on the picture's
 * `x`, `y`; the next to the right is `cosine` and -`sine` further, the one below `sine` and `cosine`.
 * `window`: widened pixels from column `left` and row `top` of the picture on, `stride` bytes a row. `table`:
 * the taps of each of `phases` + 1 phases.
 */
export function rotateBlock(
  columns: i32,
  rows: i32,
  x: f64,
  y: f64,
  cosine: f64,
  sine: f64,
  width: i32,
  height: i32,
  window: usize,
  stride: i32,
  left: i32,
  top: i32,
  table: usize,
  phases: i32,
  colours: i32,
  depth: i32,
  out: usize,
  outStride: i32,
): void {
  const full: f32 = depth === 1 ? 255 : 65535;
  const pixel = <usize>((colours + 1) * depth);
  for (let row = 0; row < rows; row++) {
    let to = out + <usize>(row * outStride);
    for (let column = 0; column < columns; column++, to += pixel) {
      const sx = x + cosine * <f64>column + sine * <f64>row;
      const sy = y + cosine * <f64>row - sine * <f64>column;
      const cover = overlap(sx, width) * overlap(sy, height);
      if (cover <= 0) continue;
      const cx = sx - 0.5;
      const cy = sy - 0.5;
      const baseX = <i32>Math.floor(cx);
      const baseY = <i32>Math.floor(cy);
      const across = table + <usize>(<i32>((cx - <f64>baseX) * <f64>phases + 0.5) * phaseBytes);
      const down = table + <usize>(<i32>((cy - <f64>baseY) * <f64>phases + 0.5) * phaseBytes);
      const w0 = v128.load32_splat(across);
      const w1 = v128.load32_splat(across, 4);
      const w2 = v128.load32_splat(across, 8);
      const w3 = v128.load32_splat(across, 12);
      const w4 = v128.load32_splat(across, 16);
      const w5 = v128.load32_splat(across, 20);
      let p = window + <usize>((baseY - 2 - top) * stride) + ((<usize>(baseX - 2 - left)) << 4);
      let sum = f32x4.splat(0);
      for (let k: usize = 0; k < taps; k++, p += <usize>stride) {
        let line = f32x4.mul(v128.load(p), w0);
        line = f32x4.add(line, f32x4.mul(v128.load(p, 16), w1));
        line = f32x4.add(line, f32x4.mul(v128.load(p, 32), w2));
        line = f32x4.add(line, f32x4.mul(v128.load(p, 48), w3));
        line = f32x4.add(line, f32x4.mul(v128.load(p, 64), w4));
        line = f32x4.add(line, f32x4.mul(v128.load(p, 80), w5));
        sum = f32x4.add(sum, f32x4.mul(line, v128.load32_splat(down + (k << 2))));
      }
      const alpha = f32x4.extract_lane(sum, 3);
      const shown = <i32>(min<f32>(1, alpha) * <f32>cover * full + 0.5);
      if (shown <= 0) continue;
      const rounded = i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.div(sum, f32x4.splat(alpha)), f32x4.splat(0.5)));
      const most = i32x4.splat(<i32>full);
      const mixed = i32x4.min_s(i32x4.max_s(rounded, i32x4.splat(0)), most);
      put(to, 0, depth, i32x4.extract_lane(mixed, 0));
      if (colours === 3) {
        put(to, 1, depth, i32x4.extract_lane(mixed, 1));
        put(to, 2, depth, i32x4.extract_lane(mixed, 2));
      }
      put(to, colours, depth, shown);
    }
  }
}

// @ts-ignore: decorator
@inline
function put(to: usize, band: i32, depth: i32, value: i32): void {
  if (depth === 1) store<u8>(to + <usize>band, <u8>value);
  else store<u16>(to + ((<usize>band) << 1), <u16>value);
}

/** Returns the part of the unit interval around `centre` that is within 0 to `size`. */
// @ts-ignore: decorator
@inline
function overlap(centre: f64, size: i32): f64 {
  return max<f64>(0, min<f64>(<f64>size, centre + 0.5) - max<f64>(0, centre - 0.5));
}
