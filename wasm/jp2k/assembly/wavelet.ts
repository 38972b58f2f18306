// Inverse wavelet transforms of one resolution, in windows (ITU-T T.800, Annex F).
//
// Each row is made along its own direction just before the vertical steps reach it. The vertical steps follow
// one another by a row each, so that a sweep over the window finishes it and keeps six rows in the first
// cache.

import { makeRow, prepareAcross, scratchBytes } from "./wavelet/across";
import { finishRowsFloat, finishRowsInt } from "./wavelet/down";

/** Bytes that `scratch` needs for a window that is `width` samples wide. */
export function waveletScratchBytes(width: i32): i32 {
  return scratchBytes(width);
}

/**
 * Makes the window [x0, x1) x [y0, y1) of a resolution from the windows of its four bands, by the reversible
 * 5/3 filter on i32 (T.800, F.3). The signal is extended symmetrically at the ends of the window, so samples
 * at ends that are not ends of the resolution are right from the third on.
 *
 * Strides are in samples. `ll` begins at column ceil(x0 / 2) and row ceil(y0 / 2), and has rows at any
 * `llStride`. `hl` (horizontally high) begins at column floor(x0 / 2), `lh` (vertically high) at row floor(y0
 * / 2), `hh` at both; their strides are their widths, rounded up to a multiple of four. `outStride` is a
 * multiple of four and at least the width; samples between the width and the stride are written without
 * meaning. Up to 64 bytes behind each buffer are read or written. `scratch` is {@link waveletScratchBytes}
 * bytes at a multiple of 16.
 */
export function inverse53(
  x0: u32,
  y0: u32,
  x1: u32,
  y1: u32,
  ll: usize,
  llStride: i32,
  hl: usize,
  lh: usize,
  hh: usize,
  out: usize,
  outStride: i32,
  scratch: usize,
): void {
  inverse<i32>(x0, y0, x1, y1, ll, llStride, hl, lh, hh, out, outStride, scratch);
}

/**
 * Does the same by the irreversible 9/7 filter on f32. Samples at ends that are not ends of the resolution
 * are right from the fifth on. The scale factors K of F.3.8.2 are not applied: bands come with them, which
 * also holds for signals of one sample.
 */
export function inverse97(
  x0: u32,
  y0: u32,
  x1: u32,
  y1: u32,
  ll: usize,
  llStride: i32,
  hl: usize,
  lh: usize,
  hh: usize,
  out: usize,
  outStride: i32,
  scratch: usize,
): void {
  inverse<f32>(x0, y0, x1, y1, ll, llStride, hl, lh, hh, out, outStride, scratch);
}

function inverse<T>(
  x0: u32,
  y0: u32,
  x1: u32,
  y1: u32,
  ll: usize,
  llStride: i32,
  hl: usize,
  lh: usize,
  hh: usize,
  out: usize,
  outStride: i32,
  scratch: usize,
): void {
  if (x0 >= x1 || y0 >= y1) return;
  const width = <i32>(x1 - x0);
  const odd = <i32>(x0 & 1);
  const lowWidth = (width + 1 - odd) >> 1;
  prepareAcross<T>(odd, width, scratch);

  const ends = <i32>(y0 & 1) + <i32>(y1 - y0);
  const llBytes = (<usize>llStride) << 2;
  const lowBytes = bytesOfRow(lowWidth);
  const highBytes = bytesOfRow(width - lowWidth);
  const outBytes = (<usize>outStride) << 2;

  // rows are counted so that those of even coordinates are even, from 0 or 1
  const first = <i32>(y0 & 1);
  let made = first;
  const origin = out - <usize>first * outBytes;
  for (let row = first << 1; row < ends + 3; row += 2) {
    for (const need = min(row + 2, ends); made < need; made++) {
      const k = <usize>((made - first) >> 1);
      const target = origin + <usize>made * outBytes;
      if (made & 1) makeRow<T>(lh + k * lowBytes, hh + k * highBytes, target);
      else makeRow<T>(ll + k * llBytes, hl + k * highBytes, target);
    }
    if (isInteger<T>()) finishRowsInt(origin, outBytes, first, ends, row, width);
    else finishRowsFloat(origin, outBytes, first, ends, row, width);
  }
}

/** Rows of the three high bands lie at multiples of four samples. */
// @ts-ignore: decorator
@inline
function bytesOfRow(samples: i32): usize {
  return (<usize>((samples + 3) & ~3)) << 2;
}
