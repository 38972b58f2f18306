// Vertical lifting steps on rows in place. Step s of a filter runs on row `row - s`, once the adjacent rows
// have had the steps before. Rows beyond an end mirror those inside it (T.800, F.3.7).

import { ALPHA, BETA, DELTA, GAMMA, highInts, lowInts, stepFloats } from "./steps";

/**
 * Does the 5/3 steps that are due once the rows up to `row + 1` are there. Rows are `first` to `ends - 1`.
 */
export function finishRowsInt(origin: usize, stride: usize, first: i32, ends: i32, row: i32, width: i32): void {
  const bytes = (<usize>width) << 2;
  if (ends - first === 1) {
    if (first && row === 2) halve(origin + stride, bytes);
    return;
  }
  if (row - 2 >= first && row + 1 < ends) liftBothInts(origin + <usize>row * stride, stride, bytes);
  else {
    if (row >= first && row < ends) liftLowInts(origin, stride, first, ends, row, bytes);
    if (row - 1 >= first && row - 1 < ends) liftHighInts(origin, stride, first, ends, row - 1, bytes);
  }
}

/** Finishes rows of the filter 9/7. */
export function finishRowsFloat(origin: usize, stride: usize, first: i32, ends: i32, row: i32, width: i32): void {
  if (ends - first === 1) return;
  const bytes = (<usize>width) << 2;
  if (row - 4 >= first && row + 1 < ends) liftFourFloats(origin + <usize>row * stride, stride, bytes);
  else {
    liftFloats(origin, stride, first, ends, row, bytes, DELTA);
    liftFloats(origin, stride, first, ends, row - 1, bytes, GAMMA);
    liftFloats(origin, stride, first, ends, row - 2, bytes, BETA);
    liftFloats(origin, stride, first, ends, row - 3, bytes, ALPHA);
  }
}

// @ts-ignore: decorator
@inline
function above(origin: usize, stride: usize, first: i32, row: i32): usize {
  return origin + <usize>(row > first ? row - 1 : row + 1) * stride;
}

// @ts-ignore: decorator
@inline
function below(origin: usize, stride: usize, ends: i32, row: i32): usize {
  return origin + <usize>(row + 1 < ends ? row + 1 : row - 1) * stride;
}

/** A column of one sample that is a high one (T.800, F.3.6); an odd one is rounded toward zero. */
function halve(at: usize, bytes: usize): void {
  for (const end = at + bytes; at < end; at += 16) {
    const value = v128.load(at);
    v128.store(at, i32x4.shr_s(i32x4.add(value, i32x4.shr_u(value, 31)), 1));
  }
}

function liftLowInts(origin: usize, stride: usize, first: i32, ends: i32, row: i32, bytes: usize): void {
  const at = origin + <usize>row * stride;
  const up = above(origin, stride, first, row);
  const down = below(origin, stride, ends, row);
  for (let x: usize = 0; x < bytes; x += 16)
    v128.store(at + x, lowInts(v128.load(at + x), v128.load(up + x), v128.load(down + x)));
}

function liftHighInts(origin: usize, stride: usize, first: i32, ends: i32, row: i32, bytes: usize): void {
  const at = origin + <usize>row * stride;
  const up = above(origin, stride, first, row);
  const down = below(origin, stride, ends, row);
  for (let x: usize = 0; x < bytes; x += 16)
    v128.store(at + x, highInts(v128.load(at + x), v128.load(up + x), v128.load(down + x)));
}

/** Both steps away from the ends: the low row `at`, then the high one above it. */
function liftBothInts(at: usize, stride: usize, bytes: usize): void {
  const below = at + stride;
  const above = at - stride;
  const higher = above - stride;
  for (let x: usize = 0; x < bytes; x += 16) {
    const high = v128.load(above + x);
    const low = lowInts(v128.load(at + x), high, v128.load(below + x));
    v128.store(at + x, low);
    v128.store(above + x, highInts(high, v128.load(higher + x), low));
  }
}

/** One step on one row, if it is there. */
function liftFloats(origin: usize, stride: usize, first: i32, ends: i32, row: i32, bytes: usize, factor: f32): void {
  if (row < first || row >= ends) return;
  const at = origin + <usize>row * stride;
  const up = above(origin, stride, first, row);
  const down = below(origin, stride, ends, row);
  const by = f32x4.splat(factor);
  for (let x: usize = 0; x < bytes; x += 16)
    v128.store(at + x, stepFloats(v128.load(at + x), v128.load(up + x), v128.load(down + x), by));
}

/** All four steps away from the ends: on the row `at` and the three above it. */
function liftFourFloats(at: usize, stride: usize, bytes: usize): void {
  const alpha = f32x4.splat(ALPHA);
  const beta = f32x4.splat(BETA);
  const gamma = f32x4.splat(GAMMA);
  const delta = f32x4.splat(DELTA);
  const below = at + stride;
  const above1 = at - stride;
  const above2 = above1 - stride;
  const above3 = above2 - stride;
  const above4 = above3 - stride;
  for (let x: usize = 0; x < bytes; x += 16) {
    const high = v128.load(above1 + x);
    const low = v128.load(above2 + x);
    const higher = v128.load(above3 + x);
    const row0 = stepFloats(v128.load(at + x), high, v128.load(below + x), delta);
    const row1 = stepFloats(high, low, row0, gamma);
    const row2 = stepFloats(low, higher, row1, beta);
    v128.store(at + x, row0);
    v128.store(above1 + x, row1);
    v128.store(above2 + x, row2);
    v128.store(above3 + x, stepFloats(higher, v128.load(above4 + x), row2, alpha));
  }
}
