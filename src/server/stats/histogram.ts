// Distribution of values: a count for each bucket, their sum, and the percentiles of the latest.

import type { Recorder } from "../../base/index.ts";
import { LatestValues } from "./ring.ts";

export interface HistogramReading {
  /** For each upper bound, the number of values up to it, including those of smaller bounds. */
  readonly buckets: readonly { readonly upTo: number; readonly count: number }[];
  readonly count: number;
  readonly sum: number;
}

export interface Histogram extends Recorder {
  read(): HistogramReading;
  /** Percentiles of the latest values, see {@link LatestValues.percentiles}; undefined if none are stored. */
  percentiles(shares: readonly number[]): readonly (number | undefined)[];
}

/**
 * An empty histogram. `bounds`: upper bounds in ascending order, inclusive; `latest`: how many values have
 * percentiles.
 */
export function createHistogram(bounds: readonly number[], latest = 0): Histogram {
  return new Buckets(bounds, latest);
}

class Buckets implements Histogram {
  readonly #bounds: Float64Array;
  /** One more than bounds: the last is of the values above all of them. */
  readonly #counts: Float64Array;
  readonly #latest: LatestValues | undefined;
  #sum = 0;

  constructor(bounds: readonly number[], latest: number) {
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
    this.#latest = latest > 0 ? new LatestValues(latest) : undefined;
  }

  record(value: number): void {
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && value > (bounds[i] as number)) i++;
    this.#counts[i] = (this.#counts[i] as number) + 1;
    this.#sum += value;
    this.#latest?.add(value);
  }

  read(): HistogramReading {
    let count = 0;
    const buckets = Array.from(this.#bounds, (upTo, i) => {
      count += this.#counts[i] as number;
      return { upTo, count };
    });
    return { buckets, count: count + (this.#counts.at(-1) as number), sum: this.#sum };
  }

  percentiles(shares: readonly number[]): readonly (number | undefined)[] {
    return this.#latest?.percentiles(shares) ?? shares.map(() => undefined);
  }
}
