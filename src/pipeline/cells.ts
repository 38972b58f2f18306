// Source rows as rows of cells: box averages (or single pixels) in double precision, colour premultiplied by alpha.

import { fullScale, type PixelBuffer } from "./pixels.ts";

/** Writes one row of cells, `bands` numbers each, in the depth's own range and not rounded. */
export type FillCells = (row: number, cells: Float64Array) => void;

/**
 * A filler of cell rows. Cell `k` covers source pixels `k * boxX` up to `(k + 1) * boxX`, likewise in y; cells that
 * the buffer's right or bottom edge cuts average what exists. With `premultiply`, colour becomes colour * alpha / full
 * scale, which leaves opaque pixels exactly as they are.
 */
export function cellRows(pixels: PixelBuffer, boxX: number, boxY: number, premultiply: boolean): FillCells {
  const stride = pixels.width * pixels.bands;
  if (boxX === 1 && boxY === 1)
    return (row, cells) => {
      cells.set(pixels.data.subarray(row * stride, (row + 1) * stride));
      if (premultiply) multiplyRow(cells, pixels.bands, fullScale(pixels));
    };
  const sums = new Float64Array(stride);
  const one = new Float64Array(premultiply ? stride : 0);
  return (row, cells) => {
    const top = row * boxY;
    const rows = Math.min(boxY, pixels.height - top);
    if (premultiply) {
      sums.fill(0);
      for (let y = top; y < top + rows; y++) {
        one.set(pixels.data.subarray(y * stride, (y + 1) * stride));
        multiplyRow(one, pixels.bands, fullScale(pixels));
        for (let x = 0; x < stride; x++) sums[x]! += one[x]!;
      }
    } else sumRows(pixels.data, top * stride, rows, sums);
    averageColumns(sums, pixels.width, pixels.bands, boxX, rows, cells);
  };
}

function multiplyRow(row: Float64Array, bands: number, full: number): void {
  for (let p = 0; p < row.length; p += bands) {
    const alpha = row[p + bands - 1]!;
    if (alpha !== full) for (let b = p; b < p + bands - 1; b++) row[b] = (row[b]! * alpha) / full;
  }
}

/** Four rows at a time: sums are read and written once for four samples. */
function sumRows(data: Uint8Array | Uint16Array, offset: number, rows: number, sums: Float64Array): void {
  const stride = sums.length;
  sums.fill(0);
  let y = 0;
  for (; y + 4 <= rows; y += 4) {
    const a = offset + y * stride;
    const b = a + stride;
    const c = b + stride;
    const d = c + stride;
    for (let x = 0; x < stride; x++) sums[x]! += data[a + x]! + data[b + x]! + data[c + x]! + data[d + x]!;
  }
  for (; y < rows; y++) {
    const a = offset + y * stride;
    for (let x = 0; x < stride; x++) sums[x]! += data[a + x]!;
  }
}

function averageColumns(
  sums: Float64Array,
  width: number,
  bands: number,
  box: number,
  rows: number,
  cells: Float64Array,
): void {
  let out = 0;
  for (let left = 0; left < width; left += box) {
    const columns = Math.min(box, width - left);
    const count = columns * rows;
    const from = left * bands;
    const to = from + columns * bands;
    for (let b = 0; b < bands; b++) {
      let sum = 0;
      for (let p = from + b; p < to; p += bands) sum += sums[p]!;
      cells[out++] = sum / count;
    }
  }
}
