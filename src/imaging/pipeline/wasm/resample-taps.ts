// Weight tables in the forms that the resampling module takes: 14-bit integers, or floats.

import { createLru } from "../../../base/index.ts";
import { axisTaps } from "../kernel.ts";
import type { ResampleAxis } from "../step.ts";

/** Sum of integer weights. */
const one = 16384;
/** Total bytes of cached tables: those of about a hundred tiles. */
const cacheBytes = 4 << 20;

/** `i16`: sums of exactly 16384, an even count. `f32`: multiples of 1/65536 with a sum of 1. */
export type TapsFormat = "i16" | "f32";

/**
 * For each of `size` outputs, and up to 3 more that repeat the last start with no weights, `count` weights
 * for the cells from `starts[i]` on. `starts` ascends. In `i16` one tap may lie past the last cell, with the
 * weight 0; in `f32` none does.
 */
export interface PackedTaps {
  readonly size: number;
  readonly count: number;
  readonly starts: Int32Array;
  readonly weights: Int16Array | Float32Array;
}

/** Returns a cache of tables for axes over a number of cells; the most recently used are kept. */
export function createTapTables(): (axis: ResampleAxis, cells: number, format: TapsFormat) => PackedTaps {
  const cache = createLru<string, PackedTaps>(cacheBytes);
  return (axis, cells, format) => {
    const key = `${format} ${axis.size} ${axis.origin} ${axis.scale} ${cells}`;
    const known = cache.get(key);
    if (known) return known;
    const made = packedTaps(axis, cells, format);
    cache.set(key, made, made.starts.byteLength + made.weights.byteLength);
    return made;
  };
}

function packedTaps(axis: ResampleAxis, cells: number, format: TapsFormat): PackedTaps {
  const { count: stride, starts, weights } = axisTaps(axis, cells);
  const { size } = axis;
  let count = 1;
  for (let i = 0; i < size; i++)
    for (let k = stride - 1; k >= count; k--) if (weights[i * stride + k] !== 0) count = k + 1;
  if (format === "i16") count += count % 2;
  const padded = Math.ceil(size / 4) * 4;
  const packed = format === "i16" ? new Int16Array(padded * count) : new Float32Array(padded * count);
  for (let i = 0; i < size; i++) {
    const row = weights.subarray(i * stride, i * stride + count);
    if (format === "i16") quantise(row, packed.subarray(i * count, i * count + count));
    else packed.set(row, i * count);
  }
  const ascending = new Int32Array(padded).fill(starts[size - 1]!);
  ascending.set(starts);
  return { size, count, starts: ascending, weights: packed };
}

/** Rounds each weight; the remainder of the sum goes to the largest, where it changes least. */
function quantise(weights: Float64Array, to: Int16Array | Float32Array): void {
  let rest = one;
  let largest = 0;
  for (let k = 0; k < weights.length; k++) {
    rest -= to[k] = Math.round(weights[k]! * one);
    if (to[k]! > to[largest]!) largest = k;
  }
  to[largest]! += rest;
}
