// Undoes the five row filters (PNG specification 9.2). The hot loop of decoding.

import { damagedError } from "./header.ts";

/**
 * Undoes the filter of a row in place. Rows hold the filter type at index 0 and bytes from 1; only the first
 * `length` bytes are done (filters look left and up only). `above` is the unfiltered row above; zeros above
 * the first. `step` is the number of bytes of a pixel, at least 1. Throws ImagingError `decode` for an
 * unknown filter.
 */
export function unfilter(row: Uint8Array, above: Uint8Array, step: number, length: number): void {
  switch (row[0]) {
    case 0:
      return;
    case 1:
      for (let i = step + 1; i <= length; i++) row[i] = row[i]! + row[i - step]!;
      return;
    case 2:
      for (let i = 1; i <= length; i++) row[i] = row[i]! + above[i]!;
      return;
    case 3: {
      const edge = Math.min(step, length);
      for (let i = 1; i <= edge; i++) row[i] = row[i]! + (above[i]! >> 1);
      for (let i = step + 1; i <= length; i++) row[i] = row[i]! + ((row[i - step]! + above[i]!) >> 1);
      return;
    }
    case 4:
      if (step === 3) paeth3(row, above, length);
      else if (step === 4) paeth4(row, above, length);
      else for (let band = 1; band <= step; band++) paethBand(row, above, band, step, length);
      return;
    default:
      throw damagedError("the filter of a row");
  }
}

/**
 * Returns the one of left, up and upper left that is nearest to left + up - upperLeft; ties in that order.
 */
function nearest(left: number, up: number, upperLeft: number): number {
  const toUp = left - upperLeft;
  const toLeft = up - upperLeft;
  const both = toUp + toLeft;
  const a = toLeft < 0 ? -toLeft : toLeft;
  const b = toUp < 0 ? -toUp : toUp;
  const c = both < 0 ? -both : both;
  if (a <= b && a <= c) return left;
  return b <= c ? up : upperLeft;
}

function paethBand(row: Uint8Array, above: Uint8Array, start: number, step: number, length: number): void {
  let left = 0;
  let upperLeft = 0;
  for (let i = start; i <= length; i += step) {
    const up = above[i]!;
    left = (row[i]! + nearest(left, up, upperLeft)) & 255;
    row[i] = left;
    upperLeft = up;
  }
}

// Interleaved bands are independent dependency chains, which the processor overlaps.

function paeth3(row: Uint8Array, above: Uint8Array, length: number): void {
  let [l0, l1, l2, c0, c1, c2] = [0, 0, 0, 0, 0, 0];
  for (let i = 1; i + 2 <= length; i += 3) {
    const [u0, u1, u2] = [above[i]!, above[i + 1]!, above[i + 2]!];
    row[i] = l0 = (row[i]! + nearest(l0, u0, c0)) & 255;
    row[i + 1] = l1 = (row[i + 1]! + nearest(l1, u1, c1)) & 255;
    row[i + 2] = l2 = (row[i + 2]! + nearest(l2, u2, c2)) & 255;
    c0 = u0;
    c1 = u1;
    c2 = u2;
  }
}

function paeth4(row: Uint8Array, above: Uint8Array, length: number): void {
  let [l0, l1, l2, l3, c0, c1, c2, c3] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 1; i + 3 <= length; i += 4) {
    const [u0, u1, u2, u3] = [above[i]!, above[i + 1]!, above[i + 2]!, above[i + 3]!];
    row[i] = l0 = (row[i]! + nearest(l0, u0, c0)) & 255;
    row[i + 1] = l1 = (row[i + 1]! + nearest(l1, u1, c1)) & 255;
    row[i + 2] = l2 = (row[i + 2]! + nearest(l2, u2, c2)) & 255;
    row[i + 3] = l3 = (row[i + 3]! + nearest(l3, u3, c3)) & 255;
    c0 = u0;
    c1 = u1;
    c2 = u2;
    c3 = u3;
  }
}
