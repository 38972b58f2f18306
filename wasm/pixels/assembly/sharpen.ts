// An unsharp mask on luma: luma blurred along rows, then down columns, and its difference added to all
// colours of a pixel. Pixels are taken four at a time; samples of any depth and number of bands come to lanes
// by tables of bytes.

/** The bytes of one band of four pixels as four u32, for the first 16 bytes of the pixels. */
function lanesOf(band: i32, bands: i32, depth: i32): v128 {
  let lanes = i8x16.splat(-1);
  const at0 = band * depth;
  const pixel = bands * depth;
  lanes = i8x16.replace_lane(lanes, 0, <i8>at0);
  lanes = i8x16.replace_lane(lanes, 4, <i8>(at0 + pixel));
  lanes = i8x16.replace_lane(lanes, 8, <i8>(at0 + 2 * pixel));
  lanes = i8x16.replace_lane(lanes, 12, <i8>(at0 + 3 * pixel));
  if (depth === 1) return lanes;
  lanes = i8x16.replace_lane(lanes, 1, <i8>(at0 + 1));
  lanes = i8x16.replace_lane(lanes, 5, <i8>(at0 + pixel + 1));
  lanes = i8x16.replace_lane(lanes, 9, <i8>(at0 + 2 * pixel + 1));
  return i8x16.replace_lane(lanes, 13, <i8>(at0 + 3 * pixel + 1));
}

/**
 * One band of four pixels that lie in `low` and `high`, as f32. Places after 15 are found in `high`, no place
 * is 255.
 */
// @ts-ignore: decorator
@inline
function bandOf(low: v128, high: v128, lanes: v128): v128 {
  const inHigh = i8x16.sub(lanes, i8x16.splat(16));
  return f32x4.convert_i32x4_u(v128.or(i8x16.swizzle(low, lanes), i8x16.swizzle(high, inHigh)));
}

/**
 * Filters one row of `width` pixels: writes its luma to `light`, its luma (times alpha if the last of 2 or 4
 * bands is alpha) blurred along the row to `blurred`, and alpha blurred to `cover`. `weights`: half of the
 * kernel, `reach` + 1 f32. `line`: room for two rows of f32 with `reach` + 8 more at both ends.
 */
export function across(
  from: usize,
  width: i32,
  bands: i32,
  depth: i32,
  weights: usize,
  reach: i32,
  line: usize,
  light: usize,
  blurred: usize,
  cover: usize,
): void {
  const alpha = (bands & 1) === 0;
  const first = lanesOf(0, bands, depth);
  const second = bands > 2 ? lanesOf(1, bands, depth) : first;
  const third = bands > 2 ? lanesOf(2, bands, depth) : first;
  const last = lanesOf(bands - 1, bands, depth);
  const red = f32x4.splat(0.299);
  const green = f32x4.splat(0.587);
  const blue = f32x4.splat(0.114);
  const side = (<usize>reach) << 2;
  const values = line + side;
  const alphas = values + ((<usize>(width + 8)) << 2) + 2 * side;
  const step = <usize>(4 * bands * depth);
  for (let x = 0; x < width; x += 4, from += step) {
    const low = v128.load(from);
    const high = v128.load(from, 16);
    let luma = bandOf(low, high, first);
    if (bands > 2)
      luma = f32x4.add(
        f32x4.add(f32x4.mul(luma, red), f32x4.mul(bandOf(low, high, second), green)),
        f32x4.mul(bandOf(low, high, third), blue),
      );
    const at = (<usize>x) << 2;
    v128.store(light + at, luma);
    if (alpha) {
      const shown = bandOf(low, high, last);
      luma = f32x4.mul(luma, shown);
      v128.store(alphas + at, shown);
    }
    v128.store(values + at, luma);
  }
  blurRow(values, width, weights, reach, blurred);
  if (alpha) blurRow(alphas, width, weights, reach, cover);
}

/** `values` has room for the repeated edges on both sides. */
function blurRow(values: usize, width: i32, weights: usize, reach: i32, to: usize): void {
  const end = values + ((<usize>width) << 2);
  const left = load<f32>(values);
  const right = load<f32>(end - 4);
  for (let k = 0; k < reach; k++) {
    store<f32>(values - ((<usize>(k + 1)) << 2), left);
    store<f32>(end + ((<usize>k) << 2), right);
  }
  const middle = v128.load32_splat(weights);
  for (let at = values; at < end; at += 16, to += 16) {
    let sum = f32x4.mul(v128.load(at), middle);
    for (let k = 1; k <= reach; k++) {
      const away = (<usize>k) << 2;
      const both = f32x4.add(v128.load(at - away), v128.load(at + away));
      sum = f32x4.add(sum, f32x4.mul(both, v128.load32_splat(weights + away)));
    }
    v128.store(to, sum);
  }
}

/**
 * One output row. `pointers`: 2 `reach` + 1 addresses of rows that `across` blurred, from the topmost on;
 * those of their covers follow. `light` and `from` are of the row itself. Differences below `least` change
 * nothing. Writes up to 16 bytes too many.
 */
export function sharpenRows(
  from: usize,
  width: i32,
  bands: i32,
  depth: i32,
  weights: usize,
  reach: i32,
  light: usize,
  pointers: usize,
  amount: f32,
  least: f32,
  out: usize,
): void {
  const alpha = (bands & 1) === 0;
  const middle = pointers + ((<usize>reach) << 2);
  const covers = middle + ((<usize>(2 * reach + 1)) << 2);
  const nothing = f32x4.splat(0);
  for (let x = 0; x < width; x += 4) {
    const at = (<usize>x) << 2;
    const own = v128.load(light + at);
    let around = columns(middle, reach, weights, at);
    if (alpha) {
      const cover = columns(covers, reach, weights, at);
      around = v128.bitselect(f32x4.div(around, cover), own, f32x4.gt(cover, nothing));
    }
    const detail = f32x4.sub(own, around);
    const counts = f32x4.ge(f32x4.abs(detail), f32x4.splat(least));
    const more = f32x4.floor(f32x4.add(f32x4.mul(v128.and(detail, counts), f32x4.splat(amount)), f32x4.splat(0.5)));
    const change = i32x4.trunc_sat_f32x4_s(more);
    const p = <usize>(x * bands * depth);
    if (bands === 1) addTo(from + p, change, depth, out + p);
    else if (bands === 2) {
      const half = <usize>(4 * depth);
      const none = i32x4.splat(0);
      addTo(from + p, v128.shuffle<i32>(change, none, 0, 4, 1, 5), depth, out + p);
      addTo(from + p + half, v128.shuffle<i32>(change, none, 2, 4, 3, 5), depth, out + p + half);
    } else if (bands === 3) {
      const part = <usize>(4 * depth);
      addTo(from + p, v128.shuffle<i32>(change, change, 0, 0, 0, 1), depth, out + p);
      addTo(from + p + part, v128.shuffle<i32>(change, change, 1, 1, 2, 2), depth, out + p + part);
      addTo(from + p + 2 * part, v128.shuffle<i32>(change, change, 2, 3, 3, 3), depth, out + p + 2 * part);
    } else {
      const part = <usize>(4 * depth);
      const none = i32x4.splat(0);
      addTo(from + p, v128.shuffle<i32>(change, none, 0, 0, 0, 4), depth, out + p);
      addTo(from + p + part, v128.shuffle<i32>(change, none, 1, 1, 1, 4), depth, out + p + part);
      addTo(from + p + 2 * part, v128.shuffle<i32>(change, none, 2, 2, 2, 4), depth, out + p + 2 * part);
      addTo(from + p + 3 * part, v128.shuffle<i32>(change, none, 3, 3, 3, 4), depth, out + p + 3 * part);
    }
  }
}

/** The sum down the columns of four pixels, from the middle outwards. */
// @ts-ignore: decorator
@inline
function columns(middle: usize, reach: i32, weights: usize, at: usize): v128 {
  let sum = f32x4.mul(v128.load(<usize>load<u32>(middle) + at), v128.load32_splat(weights));
  for (let k = 1; k <= reach; k++) {
    const away = (<usize>k) << 2;
    const both = f32x4.add(
      v128.load(<usize>load<u32>(middle - away) + at),
      v128.load(<usize>load<u32>(middle + away) + at),
    );
    sum = f32x4.add(sum, f32x4.mul(both, v128.load32_splat(weights + away)));
  }
  return sum;
}

/** Four samples and their changes, clamped to the depth. */
// @ts-ignore: decorator
@inline
function addTo(from: usize, change: v128, depth: i32, to: usize): void {
  if (depth === 1) {
    const sums = i32x4.add(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(from))), change);
    const words = i16x8.narrow_i32x4_s(sums, sums);
    v128.store32_lane(to, i8x16.narrow_i16x8_u(words, words), 0);
  } else {
    const sums = i32x4.add(v128.load_ext<u16>(from), change);
    v128.store64_lane(to, i16x8.narrow_i32x4_u(sums, sums), 0);
  }
}
