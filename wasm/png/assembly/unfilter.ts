// Undoes the five row filters (PNG specification 9.2). Rows are written apart from what is read, so that
// vectors may write past the end of one: the next row is written after it.

import { sumVectors } from "../../shared/assembly/sums";

/**
 * Undoes the filters of `count` rows at `from`, each a filter type and `rowBytes` bytes, as far as their
 * first `length` bytes, and writes these to `to`, packed. `step` is the number of bytes of a pixel: 1, 2, 3,
 * 4, 6 or 8. The row above the first one is at `to - length`; afterwards the last one is. Returns the number
 * of rows before one with an unknown filter. Reads and writes up to 16 bytes too many.
 */
export function unfilterRows(from: usize, rowBytes: i32, count: i32, step: i32, length: i32, to: usize): i32 {
  const above = to - <usize>length;
  for (let y = 0; y < count; y++, from += <usize>rowBytes + 1, to += <usize>length) {
    const filter = load<u8>(from);
    if (filter === 0) memory.copy(to, from + 1, length);
    else if (filter === 1) undoSub(from + 1, to, to + <usize>length, step);
    else if (filter === 2) undoUp(from + 1, to - <usize>length, to, to + <usize>length);
    else if (filter === 3) undoAverage(from + 1, to - <usize>length, to, to + <usize>length, step);
    else if (filter === 4) undoPaeth(from + 1, to - <usize>length, to, to + <usize>length, step);
    else return y;
  }
  memory.copy(above, to - <usize>length, length);
  return count;
}

function undoSub(from: usize, to: usize, end: usize, step: i32): void {
  let left = to + <usize>step;
  if (to + 16 <= end) left = sumVectors<u8>(from, to, end, step);
  else memory.copy(to, from, step);
  for (from += left - to; left < end; from++, left++) store<u8>(left, load<u8>(from) + load<u8>(left - <usize>step));
}

function undoUp(from: usize, above: usize, to: usize, end: usize): void {
  for (; to < end; from += 16, above += 16, to += 16) v128.store(to, i8x16.add(v128.load(from), v128.load(above)));
}

// A pixel depends on the one before it: one at a time, its bytes in lanes of 16 bit. Sums of bytes wrap.

function undoAverage(from: usize, above: usize, to: usize, end: usize, step: i32): void {
  let left = i16x8.splat(0);
  for (; to < end; from += <usize>step, above += <usize>step, to += <usize>step) {
    const up = v128.load8x8_u(above);
    left = i8x16.add(v128.load8x8_u(from), i16x8.shr_u(i16x8.add(left, up), 1));
    v128.store64_lane(to, i8x16.narrow_i16x8_u(left, left), 0);
  }
}

/**
 * The nearest to left + up - upperLeft is the greater of left and up if 3 upperLeft - left - up is at most
 * the lesser, the lesser if it is at least the greater, else upperLeft; ties included.
 */
function undoPaeth(from: usize, above: usize, to: usize, end: usize, step: i32): void {
  let left = i16x8.splat(0);
  let upperLeft = i16x8.splat(0);
  for (; to < end; from += <usize>step, above += <usize>step, to += <usize>step) {
    const up = v128.load8x8_u(above);
    const rest = i16x8.sub(i16x8.add(i16x8.add(upperLeft, upperLeft), upperLeft), up);
    const bound = i16x8.sub(rest, left);
    const low = i16x8.min_s(left, up);
    const high = i16x8.max_s(left, up);
    const notHigh = i16x8.gt_s(bound, low);
    const notLow = i16x8.gt_s(high, bound);
    // If both apply, they are equal.
    const nearest = v128.or(
      v128.or(v128.andnot(high, notHigh), v128.andnot(low, notLow)),
      v128.and(v128.and(upperLeft, notLow), notHigh),
    );
    left = i8x16.add(v128.load8x8_u(from), nearest);
    v128.store64_lane(to, i8x16.narrow_i16x8_u(left, left), 0);
    upperLeft = up;
  }
}
