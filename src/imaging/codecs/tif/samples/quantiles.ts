// Converts a window in percent to the values that become black and white, using the quantiles of a picture.

import type { ReadRequest } from "../../plan.ts";
import type { Range } from "./samples.ts";

/**
 * Converts a window in percent to values, exchanged if the least value is white; undefined if that is no
 * range.
 */
export function rangeOf(
  quantiles: Float32Array,
  { low, high }: NonNullable<ReadRequest["window"]>,
  inverted: boolean,
): Range | undefined {
  const range = {
    low: quantileAt(quantiles, inverted ? 100 - high : low),
    high: quantileAt(quantiles, inverted ? 100 - low : high),
  };
  return range.high > range.low ? range : undefined;
}

function quantileAt(quantiles: Float32Array, percent: number): number {
  const at = (percent / 100) * (quantiles.length - 1);
  const below = quantiles[Math.floor(at)] ?? 0;
  const above = quantiles[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}
