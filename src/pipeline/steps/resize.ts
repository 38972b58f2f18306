// Resampling to any size: exact box averages for large reductions, then Lanczos-3, first along rows, then down columns.

import { cellRows } from "../cells.ts";
import { axisTaps, boxFactor, isCopy, type Taps } from "../kernel.ts";
import { fullScale, hasAlpha, type PixelBuffer, samplesLike } from "../pixels.ts";
import type { ResampleAxis } from "../step.ts";

export { sourceWindow } from "../kernel.ts";

/**
 * `x.size` by `y.size` pixels of the same bands and depth; beyond the buffer the edge repeats. Colour is weighted by
 * alpha, so transparent pixels never show. Flat colour stays exactly flat, rounding happens once, and an axis of
 * scale 1 at a whole origin copies. Box cells count from the buffer's first pixel: crop to `sourceWindow` before.
 */
export function resize(pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis): PixelBuffer {
  if (isCopy(x) && isCopy(y)) return copy(pixels, x, y);
  const { bands } = pixels;
  const boxX = boxFactor(x.scale);
  const boxY = boxFactor(y.scale);
  const rows = Math.ceil(pixels.height / boxY);
  const across = axisTaps(x, Math.ceil(pixels.width / boxX));
  const down = axisTaps(y, rows);
  const weighted = hasAlpha(pixels) && !isOpaque(pixels);
  const fill = cellRows(pixels, boxX, boxY, weighted);
  const filter = rowFilters[bands - 1] ?? filterRow;

  const stride = x.size * bands;
  const cells = new Float64Array((Math.ceil(pixels.width / boxX) + across.count) * bands); // zeros for taps past the end
  const ring = Array.from({ length: down.count }, () => new Float64Array(stride));
  const sums = new Float64Array(stride);
  const data = samplesLike(pixels, stride * y.size);
  const store = weighted ? storeWeighted : storePlain;
  let next = 0;
  for (let row = 0; row < y.size; row++) {
    const start = down.starts[row]!;
    next = Math.max(next, start);
    for (; next < Math.min(rows, start + down.count); next++) {
      fill(next, cells);
      filter(cells, across, ring[next % down.count]!);
    }
    filterColumns(ring, down, row, sums);
    store(sums, data, row * stride, bands, fullScale(pixels));
  }
  return { ...pixels, width: x.size, height: y.size, data };
}

function copy(pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis): PixelBuffer {
  const { width, height, bands } = pixels;
  const data = samplesLike(pixels, x.size * y.size * bands);
  const inside = x.origin >= 0 && x.origin + x.size <= width;
  for (let row = 0; row < y.size; row++) {
    const from = Math.min(height - 1, Math.max(0, y.origin + row)) * width;
    const to = row * x.size;
    if (inside) {
      const start = (from + x.origin) * bands;
      data.set(pixels.data.subarray(start, start + x.size * bands), to * bands);
      continue;
    }
    for (let column = 0; column < x.size; column++) {
      const source = from + Math.min(width - 1, Math.max(0, x.origin + column));
      for (let b = 0; b < bands; b++) data[(to + column) * bands + b] = pixels.data[source * bands + b]!;
    }
  }
  return { ...pixels, width: x.size, height: y.size, data };
}

function isOpaque({ data, bands }: PixelBuffer): boolean {
  const full = fullScale({ data });
  for (let p = bands - 1; p < data.length; p += bands) if (data[p] !== full) return false;
  return true;
}

type RowFilter = (cells: Float64Array, taps: Taps, out: Float64Array) => void;

/** By number of bands, four taps at a time: the sums stay in registers. */
const rowFilters: readonly RowFilter[] = [filterRow1, filterRow2, filterRow3, filterRow4];

/** Any number of bands. */
function filterRow(cells: Float64Array, { count, starts, weights }: Taps, out: Float64Array): void {
  const bands = out.length / starts.length;
  for (let i = 0; i < starts.length; i++)
    for (let b = 0; b < bands; b++) {
      let a = 0;
      for (let k = 0, p = starts[i]! * bands + b; k < count; k++, p += bands)
        a += cells[p]! * weights[i * count + k]!;
      out[i * bands + b] = a;
    }
}

function filterRow1(cells: Float64Array, { count, starts, weights }: Taps, out: Float64Array): void {
  for (let i = 0, k = 0; i < starts.length; i++) {
    let p = starts[i]!;
    let a = 0;
    for (const end = k + count; k < end; k += 4, p += 4) {
      const u = weights[k]!;
      const v = weights[k + 1]!;
      const w = weights[k + 2]!;
      const z = weights[k + 3]!;
      a = a + cells[p]! * u + cells[p + 1]! * v + cells[p + 2]! * w + cells[p + 3]! * z;
    }
    out[i] = a;
  }
}

function filterRow2(cells: Float64Array, { count, starts, weights }: Taps, out: Float64Array): void {
  for (let i = 0, k = 0; i < starts.length; i++) {
    let p = starts[i]! * 2;
    let a = 0;
    let b = 0;
    for (const end = k + count; k < end; k += 4, p += 8) {
      const u = weights[k]!;
      const v = weights[k + 1]!;
      const w = weights[k + 2]!;
      const z = weights[k + 3]!;
      a = a + cells[p]! * u + cells[p + 2]! * v + cells[p + 4]! * w + cells[p + 6]! * z;
      b = b + cells[p + 1]! * u + cells[p + 3]! * v + cells[p + 5]! * w + cells[p + 7]! * z;
    }
    out[i * 2] = a;
    out[i * 2 + 1] = b;
  }
}

function filterRow3(cells: Float64Array, { count, starts, weights }: Taps, out: Float64Array): void {
  for (let i = 0, k = 0; i < starts.length; i++) {
    let p = starts[i]! * 3;
    let a = 0;
    let b = 0;
    let c = 0;
    for (const end = k + count; k < end; k += 4, p += 12) {
      const u = weights[k]!;
      const v = weights[k + 1]!;
      const w = weights[k + 2]!;
      const z = weights[k + 3]!;
      a = a + cells[p]! * u + cells[p + 3]! * v + cells[p + 6]! * w + cells[p + 9]! * z;
      b = b + cells[p + 1]! * u + cells[p + 4]! * v + cells[p + 7]! * w + cells[p + 10]! * z;
      c = c + cells[p + 2]! * u + cells[p + 5]! * v + cells[p + 8]! * w + cells[p + 11]! * z;
    }
    out[i * 3] = a;
    out[i * 3 + 1] = b;
    out[i * 3 + 2] = c;
  }
}

function filterRow4(cells: Float64Array, { count, starts, weights }: Taps, out: Float64Array): void {
  for (let i = 0, k = 0; i < starts.length; i++) {
    let p = starts[i]! * 4;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (const end = k + count; k < end; k += 4, p += 16) {
      const u = weights[k]!;
      const v = weights[k + 1]!;
      const w = weights[k + 2]!;
      const z = weights[k + 3]!;
      a = a + cells[p]! * u + cells[p + 4]! * v + cells[p + 8]! * w + cells[p + 12]! * z;
      b = b + cells[p + 1]! * u + cells[p + 5]! * v + cells[p + 9]! * w + cells[p + 13]! * z;
      c = c + cells[p + 2]! * u + cells[p + 6]! * v + cells[p + 10]! * w + cells[p + 14]! * z;
      d = d + cells[p + 3]! * u + cells[p + 7]! * v + cells[p + 11]! * w + cells[p + 15]! * z;
    }
    out[i * 4] = a;
    out[i * 4 + 1] = b;
    out[i * 4 + 2] = c;
    out[i * 4 + 3] = d;
  }
}

/** The weighted sum of `count` rows, four at a time, always added in the order of the rows. */
function filterColumns(ring: readonly Float64Array[], taps: Taps, row: number, sums: Float64Array): void {
  const { count, weights } = taps;
  const start = taps.starts[row]!;
  sums.fill(0);
  for (let k = 0; k < count; k += 4)
    addRows(
      sums,
      ring[(start + k) % count]!,
      ring[(start + k + 1) % count]!,
      ring[(start + k + 2) % count]!,
      ring[(start + k + 3) % count]!,
      weights.subarray(row * count + k, row * count + k + 4),
    );
}

function addRows(
  sums: Float64Array,
  a: Float64Array,
  b: Float64Array,
  c: Float64Array,
  d: Float64Array,
  weights: Float64Array,
): void {
  const u = weights[0]!;
  const v = weights[1]!;
  const w = weights[2]!;
  const z = weights[3]!;
  const { length } = sums;
  for (let x = 0; x < length; x++) sums[x] = sums[x]! + a[x]! * u + b[x]! * v + c[x]! * w + d[x]! * z;
}

type StoreRow = (
  sums: Float64Array,
  data: Uint8Array | Uint16Array,
  offset: number,
  bands: number,
  full: number,
) => void;

const storePlain: StoreRow = (sums, data, offset, _bands, full) => {
  for (let x = 0; x < sums.length; x++) {
    const value = sums[x]! + 0.5;
    data[offset + x] = Math.min(full, Math.max(0, value)); // the store drops the fraction
  }
};

const storeWeighted: StoreRow = (sums, data, offset, bands, full) => {
  for (let p = 0; p < sums.length; p += bands) {
    const alpha = sums[p + bands - 1]!;
    const rounded = Math.min(full, Math.floor(alpha + 0.5));
    if (rounded <= 0) continue; // the new buffer is zero
    for (let b = p; b < p + bands - 1; b++) {
      const value = sums[b]! / (alpha / full) + 0.5;
      data[offset + b] = Math.min(full, Math.max(0, value));
    }
    data[offset + p + bands - 1] = rounded;
  }
};
