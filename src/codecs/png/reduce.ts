// Averaging boxes of pixels while rows arrive, so that a small picture of a large master needs no large buffer.

import type { Samples } from "./samples.ts";

/** What is reduced: a region of `width` by `height` pixels at 1/factor; boxes at the far edges may be smaller. */
export interface Reduction {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly alpha: boolean;
  readonly factor: number;
}

/**
 * A reducer for whole rows from top to bottom. Sums run in 32 or, with alpha, 53 bits: exact for factors to 1024.
 * Averages are rounded, halves up; colours are weighted by alpha, and 0 where all of the box is transparent.
 */
export function rowReducer(reduction: Reduction, out: Samples): (row: Samples) => void {
  const { width, height, bands, alpha, factor } = reduction;
  const columns = alpha ? new Float64Array(width * bands) : new Uint32Array(width * bands);
  const outWidth = Math.ceil(width / factor);
  const box = new Float64Array(outWidth * bands);
  let y = 0;
  return (row) => {
    if (alpha) addWeighted(row, columns, bands);
    else for (let i = 0; i < columns.length; i++) columns[i] = columns[i]! + row[i]!;
    y++;
    if (y % factor !== 0 && y !== height) return;
    box.fill(0);
    for (let x = 0, from = 0; x < width; x++) {
      const to = Math.floor(x / factor) * bands;
      for (let band = 0; band < bands; band++, from++) box[to + band] = box[to + band]! + columns[from]!;
    }
    columns.fill(0);
    const outRow = Math.ceil(y / factor) - 1;
    settle(box, reduction, y - outRow * factor, out, outRow * outWidth * bands);
  };
}

/** A reducer for pixels in any order, each coming once: `finish` writes the averages. Same rounding as {@link rowReducer}. */
export function scatterReducer(reduction: Reduction, out: Samples) {
  const { width, height, bands, alpha, factor } = reduction;
  const outWidth = Math.ceil(width / factor);
  const outHeight = Math.ceil(height / factor);
  const sums = new Float64Array(outWidth * outHeight * bands);
  return {
    /** `count` pixels of row `y`, from column `x` every `step` columns. */
    add(pixels: Samples, count: number, x: number, y: number, step: number): void {
      const rowStart = Math.floor(y / factor) * outWidth;
      for (let i = 0, from = 0; i < count; i++, from += bands) {
        const to = (rowStart + Math.floor((x + i * step) / factor)) * bands;
        const weight = alpha ? pixels[from + bands - 1]! : 1;
        const colours = alpha ? bands - 1 : bands;
        for (let band = 0; band < colours; band++)
          sums[to + band] = sums[to + band]! + weight * pixels[from + band]!;
        if (alpha) sums[to + colours] = sums[to + colours]! + weight;
      }
    },
    finish(): void {
      const rowLength = outWidth * bands;
      for (let y = 0; y < outHeight; y++) {
        const rows = Math.min(factor, height - y * factor);
        settle(sums.subarray(y * rowLength, (y + 1) * rowLength), reduction, rows, out, y * rowLength);
      }
    },
  };
}

function addWeighted(row: Samples, columns: Float64Array | Uint32Array, bands: number): void {
  for (let i = 0; i < columns.length; i += bands) {
    const last = i + bands - 1;
    const weight = row[last]!;
    for (let k = i; k < last; k++) columns[k] = columns[k]! + weight * row[k]!;
    columns[last] = columns[last]! + weight;
  }
}

/** Turns the sums of one row of boxes, each `rows` high, into averages at `out[at]`. */
function settle(sums: Float64Array, reduction: Reduction, rows: number, out: Samples, at: number): void {
  const { width, bands, alpha, factor } = reduction;
  const colours = alpha ? bands - 1 : bands;
  for (let i = 0, left = width; i < sums.length; i += bands, left -= factor) {
    const area = rows * Math.min(factor, left);
    const weight = alpha ? sums[i + colours]! : area;
    for (let band = 0; band < colours; band++)
      out[at + i + band] = weight === 0 ? 0 : rounded(sums[i + band]!, weight);
    if (alpha) out[at + i + colours] = rounded(weight, area);
  }
}

/** sum / count to the nearest whole number, halves up, without the error of adding 0.5 to a quotient. */
function rounded(sum: number, count: number): number {
  return Math.floor((2 * sum + count) / (2 * count));
}
