// Undoes predictors, in place and row by row: horizontal differences (TIFF 6.0 section 14) and those of
// floating point (TIFF Technical Note 3).

import { sumVectors } from "../../shared/assembly/sums";

/**
 * Adds to each sample the one `step` samples before it, in `count` rows of `rowBytes` bytes at `at`. `size`
 * is the number of bytes of a sample: 1, 2, 4 or 8. Sums wrap.
 */
export function undoDifferences(at: usize, count: i32, rowBytes: i32, step: i32, size: i32): void {
  for (let y = 0; y < count; y++, at += <usize>rowBytes) {
    const end = at + <usize>rowBytes;
    if (size === 1) addAlong<u8>(at, end, step);
    else if (size === 2) addAlong<u16>(at, end, step * 2);
    else if (size === 4) addAlong<u32>(at, end, step * 4);
    else addAlong<u64>(at, end, step * 8);
  }
}

/** Adds to each sample up to `end` the one `step` bytes before it. */
function addAlong<T>(at: usize, end: usize, step: i32): void {
  at = step <= 8 && at + 16 <= end ? sumVectors<T>(at, at, end, step) : at + <usize>step;
  for (; at < end; at += sizeof<T>()) store<T>(at, <T>(load<T>(at) + load<T>(at - <usize>step)));
}

/**
 * Undoes the predictor of floating point in `count` rows of `rowBytes` bytes at `at`: planes of bytes, the
 * most significant first, with differences of bytes `step` apart. `size` is the number of bytes of a sample;
 * `scratch` has room for a row.
 */
export function undoFloatDifferences(at: usize, count: i32, rowBytes: i32, step: i32, size: i32, scratch: usize): void {
  const samples = rowBytes / size;
  for (let y = 0; y < count; y++, at += <usize>rowBytes) {
    addAlong<u8>(at, at + <usize>rowBytes, step);
    memory.copy(scratch, at, rowBytes);
    const first = size === 4 ? joinFours(scratch, samples, at) : 0;
    for (let i = first; i < samples; i++)
      for (let b = 0; b < size; b++)
        store<u8>(at + <usize>(size * i + b), load<u8>(scratch + <usize>((size - 1 - b) * samples + i)));
  }
}

/** Joins four planes of bytes at `from`, as far as whole vectors fit; returns the number of samples. */
function joinFours(from: usize, samples: i32, to: usize): i32 {
  let i = 0;
  for (; i + 16 <= samples; i += 16) {
    const a = v128.load(from + <usize>i);
    const b = v128.load(from + <usize>(samples + i));
    const c = v128.load(from + <usize>(2 * samples + i));
    const d = v128.load(from + <usize>(3 * samples + i));
    const low = i8x16.shuffle(d, c, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const lowEnd = i8x16.shuffle(d, c, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const high = i8x16.shuffle(b, a, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const highEnd = i8x16.shuffle(b, a, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const out = to + <usize>(4 * i);
    v128.store(out, i16x8.shuffle(low, high, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(out, i16x8.shuffle(low, high, 4, 12, 5, 13, 6, 14, 7, 15), 16);
    v128.store(out, i16x8.shuffle(lowEnd, highEnd, 0, 8, 1, 9, 2, 10, 3, 11), 32);
    v128.store(out, i16x8.shuffle(lowEnd, highEnd, 4, 12, 5, 13, 6, 14, 7, 15), 48);
  }
  return i;
}

/**
 * Reverses the bytes of each sample of `size` bytes (2, 3, 4 or 8) in `length` bytes at `at`. Changes up to
 * 16 bytes too many.
 */
export function swapBytes(at: usize, length: i32, size: i32): void {
  const end = at + <usize>length;
  if (size === 3) {
    for (; at + 3 <= end; at += 3) {
      const first = load<u8>(at);
      store<u8>(at, load<u8>(at, 2));
      store<u8>(at, first, 2);
    }
    return;
  }
  const order =
    size === 2
      ? i8x16(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
      : size === 4
        ? i8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
        : i8x16(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  for (; at < end; at += 16) v128.store(at, i8x16.swizzle(v128.load(at), order));
}
