// The latest of what happened: a ring of values with its percentiles, and a ring of events.

/** The latest events. */
export interface Ring<T> {
  add(event: T): void;
  /** The newest first. */
  read(): readonly T[];
}

/** An empty ring of at most `size` events. */
export function createRing<T>(size: number): Ring<T> {
  const events: T[] = [];
  let next = 0;
  return {
    add(event) {
      events[next] = event;
      next = (next + 1) % size;
    },
    read: () => [...events.slice(next), ...events.slice(0, next)].reverse(),
  };
}

/** The latest numbers, in memory that is allocated once. */
export class LatestValues {
  readonly #values: Float64Array;
  #count = 0;

  constructor(size: number) {
    this.#values = new Float64Array(size);
  }

  add(value: number): void {
    this.#values[this.#count++ % this.#values.length] = value;
  }

  /**
   * For each share `p` (above 0, up to 1) the smallest of the latest values that at least that share of them
   * does not exceed: the nearest-rank percentile. Undefined if there are no values.
   */
  percentiles(shares: readonly number[]): readonly (number | undefined)[] {
    const sorted = this.#values.slice(0, Math.min(this.#count, this.#values.length)).sort();
    return shares.map((p) => sorted[Math.ceil(p * sorted.length) - 1]);
  }
}
