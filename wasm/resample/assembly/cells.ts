// Converts source rows to rows of cells: single samples or box averages, with colour multiplied by alpha if
// the last band is alpha. Cells are f32, or i16 with 7 fraction bits for small boxes of 8-bit samples. All
// functions may read 64 bytes beyond the rows and write 64 bytes beyond the last sample.

/** One level of 8 bits in i16 cells. */
const cellOne = 128;
/** Number of rows whose u8 samples always fit a u16 sum. */
const rowsPerWord = 256;

/** 16-bit samples, 8 at a time. */
export function wordsToFloats(from: usize, samples: i32, to: usize): void {
  for (const end = from + ((<usize>samples) << 1); from < end; from += 16, to += 32) {
    const words = v128.load(from);
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(words)));
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(words)), 16);
  }
}

/**
 * For 8 bytes of pixels: the alpha of each colour sample as a u16, and nothing in the place of alpha itself.
 */
// @ts-ignore: decorator
@inline
function alphaOfBytes(bands: i32): v128 {
  return bands === 2
    ? i8x16(1, -1, -1, -1, 3, -1, -1, -1, 5, -1, -1, -1, 7, -1, -1, -1)
    : i8x16(3, -1, 3, -1, 3, -1, -1, -1, 7, -1, 7, -1, 7, -1, -1, -1);
}

// @ts-ignore: decorator
@inline
function oneForAlpha(bands: i32): v128 {
  return bands === 2 ? i16x8(0, 1, 0, 1, 0, 1, 0, 1) : i16x8(0, 0, 0, 1, 0, 0, 0, 1);
}

/** 8-bit samples of 2 or 4 bands: colour times alpha, and alpha. */
export function weightedBytesToFloats(from: usize, samples: i32, bands: i32, to: usize): void {
  const alpha = alphaOfBytes(bands);
  const one = oneForAlpha(bands);
  for (const end = from + <usize>samples; from < end; from += 8, to += 32) {
    const bytes = v128.load64_zero(from);
    const products = i16x8.mul(i16x8.extend_low_i8x16_u(bytes), v128.or(i8x16.swizzle(bytes, alpha), one));
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(products)));
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(products)), 16);
  }
}

/** 16-bit samples of 2 or 4 bands: colour times alpha, and alpha. */
export function weightedWordsToFloats(from: usize, samples: i32, bands: i32, to: usize): void {
  const alpha =
    bands === 2
      ? i8x16(4, 5, 6, 7, -1, -1, -1, -1, 12, 13, 14, 15, -1, -1, -1, -1)
      : i8x16(12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, -1, -1, -1, -1);
  const one = bands === 2 ? f32x4(0, 1, 0, 1) : f32x4(0, 0, 0, 1);
  for (const end = from + ((<usize>samples) << 1); from < end; from += 8, to += 16) {
    const words = f32x4.convert_i32x4_u(v128.load_ext<u16>(from));
    v128.store(to, f32x4.mul(words, v128.or(i8x16.swizzle(words, alpha), one)));
  }
}

/** Adds `rows` rows of 8-bit samples to the u16 `sums`, which hold 257 rows at most. */
export function addFewBytes(from: usize, stride: usize, rows: i32, samples: i32, sums: usize): void {
  for (let s = 0; s < samples; s += 16) {
    const to = sums + ((<usize>s) << 1);
    let low = v128.load(to);
    let high = v128.load(to, 16);
    let p = from + <usize>s;
    for (let y = 0; y < rows; y++, p += stride) {
      const bytes = v128.load(p);
      low = i16x8.add(low, i16x8.extend_low_i8x16_u(bytes));
      high = i16x8.add(high, i16x8.extend_high_i8x16_u(bytes));
    }
    v128.store(to, low);
    v128.store(to, high, 16);
  }
}

/** Adds `rows` rows of 8-bit samples to the u32 `sums`. */
export function addBytes(from: usize, stride: usize, rows: i32, samples: i32, sums: usize): void {
  while (rows > 0) {
    const part = min(rows, rowsPerWord);
    for (let s = 0; s < samples; s += 16) {
      let low = i16x8.splat(0);
      let high = low;
      let p = from + <usize>s;
      for (let y = 0; y < part; y++, p += stride) {
        const bytes = v128.load(p);
        low = i16x8.add(low, i16x8.extend_low_i8x16_u(bytes));
        high = i16x8.add(high, i16x8.extend_high_i8x16_u(bytes));
      }
      const to = sums + ((<usize>s) << 2);
      addWords8(to, low);
      addWords8(to + 32, high);
    }
    from += <usize>part * stride;
    rows -= part;
  }
}

/** Adds `rows` rows of 16-bit samples to the u32 `sums`. */
export function addWords(from: usize, stride: usize, rows: i32, samples: i32, sums: usize): void {
  for (let s = 0; s < samples; s += 8) {
    const to = sums + ((<usize>s) << 2);
    let low = v128.load(to);
    let high = v128.load(to, 16);
    let p = from + ((<usize>s) << 1);
    for (let y = 0; y < rows; y++, p += stride) {
      const words = v128.load(p);
      low = i32x4.add(low, i32x4.extend_low_i16x8_u(words));
      high = i32x4.add(high, i32x4.extend_high_i16x8_u(words));
    }
    v128.store(to, low);
    v128.store(to, high, 16);
  }
}

/** Adds `rows` rows of 8-bit samples to the u32 `sums`: colour times alpha, and alpha. */
export function addWeightedBytes(from: usize, stride: usize, rows: i32, samples: i32, bands: i32, sums: usize): void {
  const alpha = alphaOfBytes(bands);
  const one = oneForAlpha(bands);
  for (let s = 0; s < samples; s += 8) {
    const to = sums + ((<usize>s) << 2);
    let low = v128.load(to);
    let high = v128.load(to, 16);
    let p = from + <usize>s;
    for (let y = 0; y < rows; y++, p += stride) {
      const bytes = v128.load64_zero(p);
      const products = i16x8.mul(i16x8.extend_low_i8x16_u(bytes), v128.or(i8x16.swizzle(bytes, alpha), one));
      low = i32x4.add(low, i32x4.extend_low_i16x8_u(products));
      high = i32x4.add(high, i32x4.extend_high_i16x8_u(products));
    }
    v128.store(to, low);
    v128.store(to, high, 16);
  }
}

/**
 * Adds `rows` rows of 16-bit samples to the f64 `sums`, which hold whole numbers exactly: colour times alpha,
 * and alpha.
 */
export function addWeightedWords(from: usize, stride: usize, rows: i32, samples: i32, bands: i32, sums: usize): void {
  for (let y = 0; y < rows; y++, from += stride)
    for (let s = 0; s < samples; s += bands) {
      const p = from + ((<usize>s) << 1);
      const to = sums + ((<usize>s) << 3);
      const alpha = <f64>load<u16>(p + ((<usize>(bands - 1)) << 1));
      for (let b = 0; b < bands; b++) {
        const at = to + ((<usize>b) << 3);
        const factor: f64 = b === bands - 1 ? 1 : alpha;
        store<f64>(at, load<f64>(at) + factor * <f64>load<u16>(p + ((<usize>b) << 1)));
      }
    }
}

// @ts-ignore: decorator
@inline
function addWords8(to: usize, words: v128): void {
  v128.store(to, i32x4.add(v128.load(to), i32x4.extend_low_i16x8_u(words)));
  v128.store(to, i32x4.add(v128.load(to, 16), i32x4.extend_high_i16x8_u(words)), 16);
}

/** Box averages of u16 column sums that hold `rows` rows, as i16 cells; `box * rows` is 257 at most. */
export function averageWords(sums: usize, width: i32, bands: i32, box: i32, rows: i32, to: usize): void {
  const pixel = (<usize>bands) << 1;
  const cells = width / box;
  const share = f32x4.splat(<f32>cellOne / <f32>(box * rows));
  let cell = 0;
  if (bands === 1 && box === 2)
    for (; cell + 4 <= cells; cell += 4, sums += 16, to += 8)
      storeCells(to, i32x4.extadd_pairwise_i16x8_u(v128.load(sums)), share);
  for (; cell < cells; cell++, to += pixel) {
    let sum = v128.load64_zero(sums);
    sums += pixel;
    for (let c = box - 1; c > 0; c--, sums += pixel) sum = i16x8.add(sum, v128.load64_zero(sums));
    storeCells(to, i32x4.extend_low_i16x8_u(sum), share);
  }
  const rest = width - cells * box;
  if (rest === 0) return;
  let sum = i16x8.splat(0);
  for (let c = rest; c > 0; c--, sums += pixel) sum = i16x8.add(sum, v128.load64_zero(sums));
  storeCells(to, i32x4.extend_low_i16x8_u(sum), f32x4.splat(<f32>cellOne / <f32>(rest * rows)));
}

/** Four sums as cells; those after the last band are overwritten by the next pixel. */
// @ts-ignore: decorator
@inline
function storeCells(to: usize, sums: v128, share: v128): void {
  const scaled = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sums), share), f32x4.splat(0.5));
  const cells = i32x4.trunc_sat_f32x4_s(scaled);
  v128.store64_lane(to, i16x8.narrow_i32x4_s(cells, cells), 0);
}

/**
 * Averages boxes of u32 column sums over `rows` rows: `box` columns a cell, fewer in the last. `most` is the
 * largest number of columns whose sum fits a u32.
 */
export function averageSums(sums: usize, width: i32, bands: i32, box: i32, rows: i32, most: i32, to: usize): void {
  const pixel = (<usize>bands) << 2;
  for (let left = 0; left < width; left += box, to += pixel) {
    const columns = min(box, width - left);
    let low = f64x2.splat(0);
    let high = low;
    for (let rest = columns; rest > 0; rest -= most) {
      let part = i32x4.splat(0);
      for (let c = min(rest, most); c > 0; c--, sums += pixel) part = i32x4.add(part, v128.load(sums));
      low = f64x2.add(low, f64x2.convert_low_i32x4_u(part));
      high = f64x2.add(high, f64x2.convert_low_i32x4_u(v128.shuffle<i64>(part, part, 1, 0)));
    }
    const share = f64x2.splat(1 / (<f64>columns * <f64>rows));
    // lanes after the last band are overwritten by the next cell
    v128.store(
      to,
      v128.shuffle<i64>(
        f32x4.demote_f64x2_zero(f64x2.mul(low, share)),
        f32x4.demote_f64x2_zero(f64x2.mul(high, share)),
        0,
        2,
      ),
    );
  }
}

/** Box averages of f64 column sums. */
export function averageDoubles(sums: usize, width: i32, bands: i32, box: i32, rows: i32, to: usize): void {
  const pixel = (<usize>bands) << 3;
  for (let left = 0; left < width; left += box) {
    const columns = min(box, width - left);
    const share = 1 / (<f64>columns * <f64>rows);
    for (let b = 0; b < bands; b++, to += 4) {
      let sum: f64 = 0;
      let p = sums + ((<usize>b) << 3);
      for (let c = 0; c < columns; c++, p += pixel) sum += load<f64>(p);
      store<f32>(to, <f32>(sum * share));
    }
    sums += <usize>columns * pixel;
  }
}
