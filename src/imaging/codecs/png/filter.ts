// Chooses and applies row filters when writing (PNG specification 9.2, 12.7).

import type { PixelBuffer } from "../../pipeline/pixels.ts";

/**
 * Returns the rows of an image, each preceded by its filter type, ready to be deflated; 16-bit samples
 * big-endian. Each row gets the filter whose output has the least sum of absolute values (as signed bytes).
 */
export function filterRows(pixels: PixelBuffer): Uint8Array {
  const { width, height, bands, data } = pixels;
  const wide = data instanceof Uint16Array;
  const step = bands * (wide ? 2 : 1);
  const length = width * step;
  const out = new Uint8Array((length + 1) * height);
  // A pixel of zeros precedes each row, so that no column is special.
  let row = new Uint8Array(length + step);
  let above = new Uint8Array(length + step);
  const samples = width * bands;
  for (let y = 0; y < height; y++) {
    if (wide) bigEndian(data, y * samples, samples, row, step);
    else row.set(data.subarray(y * samples, (y + 1) * samples), step);
    const filter = cheapest(row, above, step);
    const at = y * (length + 1);
    out[at] = filter;
    applyFilter[filter](row, above, step, out, at + 1 - step);
    [row, above] = [above, row];
  }
  return out;
}

function bigEndian(data: Uint16Array, from: number, count: number, row: Uint8Array, at: number): void {
  for (let i = 0; i < count; i++) {
    const sample = data[from + i]!;
    row[at + 2 * i] = sample >> 8;
    row[at + 2 * i + 1] = sample;
  }
}

/** Paeth is omitted: on photographs it saved no bytes and took half of the filtering time. */
type Filter = 0 | 1 | 2 | 3;

/**
 * One of this many neighbouring pixels is examined: the choice hardly changes, and costs more than the
 * filter.
 */
const sampling = 4;

/** Sums in one pass, so that each neighbour is loaded once. */
function cheapest(row: Uint8Array, above: Uint8Array, step: number): Filter {
  let none = 0;
  let sub = 0;
  let up = 0;
  let average = 0;
  for (let start = step; start < row.length; start += step * sampling) {
    for (let i = start; i < start + step; i++) {
      const x = row[i]!;
      const a = row[i - step]!;
      const b = above[i]!;
      none += magnitude(x);
      sub += magnitude(x - a);
      up += magnitude(x - b);
      average += magnitude(x - ((a + b) >> 1));
    }
  }
  const least = Math.min(none, sub, up, average);
  return least === none ? 0 : least === sub ? 1 : least === up ? 2 : 3;
}

/** Returns the absolute value of a difference as a signed byte. */
function magnitude(difference: number): number {
  const signed = (difference << 24) >> 24;
  return signed < 0 ? -signed : signed;
}

type Apply = (row: Uint8Array, above: Uint8Array, step: number, out: Uint8Array, offset: number) => void;

/** Filters by type: write the filtered byte of `row[i]` to `out[offset + i]`. */
const applyFilter: readonly [Apply, Apply, Apply, Apply] = [
  (row, _, step, out, offset) => out.set(row.subarray(step), offset + step),
  (row, _, step, out, offset) => {
    for (let i = step; i < row.length; i++) out[offset + i] = row[i]! - row[i - step]!;
  },
  (row, above, step, out, offset) => {
    for (let i = step; i < row.length; i++) out[offset + i] = row[i]! - above[i]!;
  },
  (row, above, step, out, offset) => {
    for (let i = step; i < row.length; i++) out[offset + i] = row[i]! - ((row[i - step]! + above[i]!) >> 1);
  },
];
