// Chooses and applies row filters (PNG specification 9.2, 12.7).

/**
 * Filters `count` rows of `rowBytes` bytes at `from`, packed, and writes each to `to` with its filter type
 * before it. The row above the first one is at `from - rowBytes`. `step` is the number of bytes of a pixel,
 * at most 8. Each row gets the filter whose output has the least sum of absolute values, as signed bytes.
 * Reads and writes up to 16 bytes too many.
 */
export function filterRows(from: usize, rowBytes: i32, count: i32, step: i32, to: usize): void {
  for (let y = 0; y < count; y++, from += <usize>rowBytes, to += <usize>rowBytes + 1) {
    const filter = cheapest(from, rowBytes, step);
    store<u8>(to, <u8>filter);
    if (filter === 0) memory.copy(to + 1, from, rowBytes);
    else apply(filter, from, rowBytes, step, to + 1);
  }
}

/** Ones in the bytes from `first` up to but not `end`. */
// @ts-ignore: decorator
@inline
function lanesFrom(first: i32, end: i32): v128 {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return v128.and(i8x16.ge_u(lanes, i8x16.splat(<i8>first)), i8x16.lt_u(lanes, i8x16.splat(<i8>end)));
}

/**
 * Returns the filter type: none, sub, up or average. Paeth is omitted: on photographs it saves no bytes, and
 * takes longer to undo.
 */
function cheapest(from: usize, rowBytes: i32, step: i32): i32 {
  let none = i32x4.splat(0);
  let sub = i32x4.splat(0);
  let up = i32x4.splat(0);
  let average = i32x4.splat(0);
  // left of the first pixel are zeros
  let inside = lanesFrom(step, 16);
  for (let i = 0; i < rowBytes; i += 16) {
    const at = from + <usize>i;
    const counted = lanesFrom(0, min<i32>(16, rowBytes - i));
    const x = v128.load(at);
    const a = v128.and(v128.load(at - <usize>step), inside);
    const b = v128.load(at - <usize>rowBytes);
    none = i32x4.add(none, magnitudes(x, counted));
    sub = i32x4.add(sub, magnitudes(i8x16.sub(x, a), counted));
    up = i32x4.add(up, magnitudes(i8x16.sub(x, b), counted));
    average = i32x4.add(average, magnitudes(i8x16.sub(x, averageOf(a, b)), counted));
    inside = i8x16.splat(-1);
  }
  const sums = total(none);
  const least = min(min(sums, total(sub)), min(total(up), total(average)));
  if (least === sums) return 0;
  if (least === total(sub)) return 1;
  return least === total(up) ? 2 : 3;
}

function apply(filter: i32, from: usize, rowBytes: i32, step: i32, to: usize): void {
  let inside = lanesFrom(step, 16);
  for (let i = 0; i < rowBytes; i += 16) {
    const at = from + <usize>i;
    const a = v128.and(v128.load(at - <usize>step), inside);
    const b = v128.load(at - <usize>rowBytes);
    const predicted = filter === 1 ? a : filter === 2 ? b : averageOf(a, b);
    v128.store(to + <usize>i, i8x16.sub(v128.load(at), predicted));
    inside = i8x16.splat(-1);
  }
}

/** Averages of bytes, rounded down. */
// @ts-ignore: decorator
@inline
function averageOf(a: v128, b: v128): v128 {
  return i8x16.sub(i8x16.avgr_u(a, b), v128.and(v128.xor(a, b), i8x16.splat(1)));
}

/** Sums of the absolute values of the signed bytes that are counted. */
// @ts-ignore: decorator
@inline
function magnitudes(differences: v128, counted: v128): v128 {
  const values = v128.and(i8x16.abs(differences), counted);
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(values));
}

// @ts-ignore: decorator
@inline
function total(sums: v128): u32 {
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

/** Swaps the bytes of samples of 16 bit in `length` bytes at `from`. Changes up to 16 bytes too many. */
export function swapBytes(from: usize, length: i32): void {
  for (const end = from + <usize>length; from < end; from += 16) {
    const v = v128.load(from);
    v128.store(from, i8x16.shuffle(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  }
}
