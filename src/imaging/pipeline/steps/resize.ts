// Plain resampling in double precision: for copies, five bands, and sizes for which the module "resample" has
// not enough memory.

import { axisTaps, boxFactor, isCopy, type Taps } from "../kernel.ts";
import { fullScale, hasAlpha, type PixelBuffer, samplesLike } from "../pixels.ts";
import type { ResampleAxis } from "../step.ts";

/**
 * `x.size` by `y.size` pixels of the same bands and depth: exact box averages for large reductions, then
 * Lanczos-3, first along rows, then down columns. Beyond the buffer the edge repeats. Colour is weighted by
 * alpha, so transparent pixels never show. Flat colour stays exactly flat, rounding happens once, and an axis
 * of scale 1 at a whole origin copies. Box cells start at the buffer's first pixel: crop to `sourceWindow`
 * first.
 */
export function resize(pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis): PixelBuffer {
  if (isCopy(x) && isCopy(y)) return copy(pixels, x, y);
  const { bands } = pixels;
  const fill = cellRows(pixels, boxFactor(x.scale), boxFactor(y.scale));
  const columns = Math.ceil(pixels.width / boxFactor(x.scale));
  const rows = Math.ceil(pixels.height / boxFactor(y.scale));
  const across = axisTaps(x, columns);
  const down = axisTaps(y, rows);
  const stride = x.size * bands;
  const cells = new Float64Array((columns + across.count) * bands); // zeros for taps past the end
  const ring = Array.from({ length: down.count }, () => new Float64Array(stride));
  const sums = new Float64Array(stride);
  const data = samplesLike(pixels, stride * y.size);
  let next = 0;
  for (let row = 0; row < y.size; row++) {
    const start = down.starts[row]!;
    next = Math.max(next, start);
    for (; next < Math.min(rows, start + down.count); next++) {
      fill(next, cells);
      filterRow(cells, across, ring[next % down.count]!);
    }
    filterColumns(ring, down, row, sums);
    storeRow(sums, data, row * stride, pixels);
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

/** Writes one row of cells, `bands` numbers each, in the depth's own range and not rounded. */
type FillCells = (row: number, cells: Float64Array) => void;

/**
 * A filler of cell rows. Cell `k` is the average of the pixels `k * boxX` up to `(k + 1) * boxX` that exist,
 * likewise in y; colour is colour * alpha / full scale, which leaves opaque pixels exactly as they are.
 */
function cellRows(pixels: PixelBuffer, boxX: number, boxY: number): FillCells {
  const { width, height, bands, data } = pixels;
  const full = fullScale(pixels);
  const weighted = hasAlpha(pixels) ? bands - 1 : 0;
  const stride = width * bands;
  const sums = new Float64Array(stride);
  return (row, cells) => {
    const top = row * boxY;
    const bottom = Math.min(height, top + boxY);
    sums.fill(0);
    for (let y = top; y < bottom; y++)
      for (let p = 0, from = y * stride; p < stride; p += bands, from += bands) {
        const alpha = data[from + bands - 1]!;
        for (let b = 0; b < weighted; b++) sums[p + b]! += (data[from + b]! * alpha) / full;
        for (let b = weighted; b < bands; b++) sums[p + b]! += data[from + b]!;
      }
    for (let left = 0, out = 0; left < width; left += boxX) {
      const end = Math.min(width, left + boxX);
      for (let b = 0; b < bands; b++) {
        let sum = 0;
        for (let x = left; x < end; x++) sum += sums[x * bands + b]!;
        cells[out++] = sum / ((end - left) * (bottom - top));
      }
    }
  };
}

function filterRow(cells: Float64Array, { count, starts, weights }: Taps, out: Float64Array): void {
  const bands = out.length / starts.length;
  for (let i = 0; i < starts.length; i++)
    for (let b = 0; b < bands; b++) {
      let sum = 0;
      for (let k = 0, p = starts[i]! * bands + b; k < count; k++, p += bands)
        sum += cells[p]! * weights[i * count + k]!;
      out[i * bands + b] = sum;
    }
}

/** The weighted sum of rows, always added in their order. */
function filterColumns(ring: readonly Float64Array[], taps: Taps, row: number, sums: Float64Array): void {
  const { count, weights } = taps;
  const start = taps.starts[row]!;
  sums.fill(0);
  for (let k = 0; k < count; k++) {
    const cells = ring[(start + k) % count]!;
    const weight = weights[row * count + k]!;
    for (let x = 0; x < sums.length; x++) sums[x]! += cells[x]! * weight;
  }
}

/** Rounds one row; the store drops the fraction. Colour is divided by the alpha that it was weighted by. */
function storeRow(
  sums: Float64Array,
  data: Uint8Array | Uint16Array,
  offset: number,
  pixels: PixelBuffer,
): void {
  const { bands } = pixels;
  const full = fullScale(pixels);
  const roundSample = (value: number) => Math.min(full, Math.max(0, value + 0.5));
  const weighted = hasAlpha(pixels) ? bands - 1 : 0;
  for (let p = 0; p < sums.length; p += bands) {
    const alpha = sums[p + bands - 1]!;
    if (weighted > 0 && alpha + 0.5 < 1) continue; // the new buffer is zero
    for (let b = p; b < p + weighted; b++) data[offset + b] = roundSample(sums[b]! / (alpha / full));
    for (let b = p + weighted; b < p + bands; b++) data[offset + b] = roundSample(sums[b]!);
  }
}
