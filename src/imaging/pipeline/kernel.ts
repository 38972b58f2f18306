// The Lanczos-3 kernel as weights per output sample, and the source pixels they reach (one grid for all tiles
// of a level, so that they meet without a seam).

import type { ResampleAxis } from "./step.ts";

/** Lobes of the kernel: it reaches three source pixels to each side, or three output pixels when reducing. */
const lobes = 3;
/** Weights are whole multiples of 1/65536 and sum to exactly 1, so flat colour stays flat. */
const one = 65536;
/** Phases are snapped to 1/65536 of a cell: a window's shifted origin then has the very same weights. */
const phases = 65536;
/** Rounds phases at about half a step, but never at a tie that whole-number ratios can produce. */
const snapBias = 0.618034;

/**
 * For each output sample, `count` weights (multiples of 1/65536, sum 1) for the cells from `starts[i]` on.
 * `starts` ascends. `count` is a multiple of four, filled up with zeros: when there are fewer cells, these
 * reach past the last.
 */
export interface Taps {
  readonly count: number;
  readonly starts: Int32Array;
  readonly weights: Float64Array;
}

interface Reach {
  /** Offset of the first weight from the base cell. */
  readonly first: number;
  /** In units of 1/65536. */
  readonly weights: Int32Array;
}

/**
 * Source pixels averaged into one cell before the kernel: a third of the reduction, so that the kernel still
 * does the last 3:1 or more.
 */
export function boxFactor(scale: number): number {
  return Math.max(1, Math.floor(scale / 3));
}

/** Returns the axis of the samples from `start` to `end` (exclusive) at half the size. */
export const halving = (start: number, end: number): ResampleAxis => ({
  size: end - start,
  origin: 2 * start,
  scale: 2,
});

/** True if the axis only copies: no scaling, whole-pixel origin. */
export function isCopy(axis: ResampleAxis): boolean {
  return axis.scale === 1 && Number.isInteger(axis.origin);
}

/**
 * The source pixels `start` to `end` (exclusive) that the outputs of `axis` need, in a picture of
 * `sourceSize`. `start` is a multiple of the box factor, `end` too unless it is the edge: cropped to this
 * window, with `start` subtracted from `origin`, the axis has exactly the samples that the whole picture has
 * there.
 */
export function sourceWindow(axis: ResampleAxis, sourceSize: number): { start: number; end: number } {
  const box = boxFactor(axis.scale);
  const cells = Math.ceil(sourceSize / box);
  const support = isCopy(axis) ? 0 : lobes * Math.max(1, axis.scale / box);
  const low = Math.ceil(position(axis, box, 0) / phases - support);
  const high = Math.floor(position(axis, box, axis.size - 1) / phases + support);
  const first = clamp(low, 0, cells - 1);
  const last = clamp(high, first, cells - 1);
  return { start: first * box, end: Math.min(sourceSize, (last + 1) * box) };
}

/** Returns the taps of every output of `axis` over `cells` cells; positions outside repeat the edge. */
export function axisTaps(axis: ResampleAxis, cells: number): Taps {
  const box = boxFactor(axis.scale);
  const stretch = Math.max(1, axis.scale / box);
  const known = new Map<number, Reach>();
  const reaches: Reach[] = [];
  const lows = new Int32Array(axis.size);
  const highs = new Int32Array(axis.size);
  for (let i = 0; i < axis.size; i++) {
    const at = position(axis, box, i);
    const base = Math.floor(at / phases);
    const phase = at - base * phases;
    let reach = known.get(phase);
    if (!reach) known.set(phase, (reach = reachAt(phase / phases, stretch)));
    reaches.push(reach);
    lows[i] = base + reach.first;
    highs[i] = base + reach.first + reach.weights.length - 1;
  }

  // Ascending starts let the caller drop rows it has passed.
  const starts = new Int32Array(axis.size);
  let count = 1;
  let ceiling = cells - 1;
  for (let i = axis.size - 1; i >= 0; i--) {
    ceiling = starts[i] = clamp(lows[i]!, 0, ceiling);
    count = Math.max(count, clamp(highs[i]!, 0, cells - 1) - ceiling + 1);
  }
  count = Math.ceil(count / 4) * 4;
  const last = Math.max(0, cells - count);
  const weights = new Float64Array(axis.size * count);
  for (let i = 0; i < axis.size; i++) {
    const start = (starts[i] = Math.min(starts[i]!, last));
    const reach = reaches[i]!.weights;
    for (let k = 0; k < reach.length; k++)
      weights[i * count + clamp(lows[i]! + k, 0, cells - 1) - start]! += reach[k]! / one;
  }
  return { count, starts, weights };
}

/** Returns the centre of output `i`, in 1/65536 cells, counted from the centre of cell 0. */
function position(axis: ResampleAxis, box: number, i: number): number {
  const centre = (axis.origin + (i + 0.5) * axis.scale) / box - 0.5;
  return Math.floor(centre * phases + snapBias);
}

/**
 * Returns whole-number weights around a centre that is `phase` (0 to 1) beyond the centre of the base cell.
 */
function reachAt(phase: number, stretch: number): Reach {
  const low = Math.ceil(phase - lobes * stretch);
  const high = Math.floor(phase + lobes * stretch);
  const exact = new Float64Array(high - low + 1);
  let sum = 0;
  for (let k = 0; k < exact.length; k++) sum += exact[k] = lanczos((low + k - phase) / stretch);
  const weights = new Int32Array(exact.length);
  let rest = one;
  let largest = 0;
  for (let k = 0; k < exact.length; k++) {
    rest -= weights[k] = Math.round((exact[k]! / sum) * one);
    if (weights[k]! > weights[largest]!) largest = k;
  }
  weights[largest]! += rest;
  let from = 0;
  let to = weights.length;
  while (weights[from] === 0) from++;
  while (weights[to - 1] === 0) to--;
  return { first: low + from, weights: weights.subarray(from, to) };
}

/** sinc(x) sinc(x / 3) within three lobes. */
export function lanczos(x: number): number {
  if (x === 0) return 1;
  if (x <= -lobes || x >= lobes) return 0;
  const angle = Math.PI * x;
  return (lobes * Math.sin(angle) * Math.sin(angle / lobes)) / (angle * angle);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
