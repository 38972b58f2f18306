// Counts events per second over a recent span.

/** Whole seconds that a rate is taken over. */
const window = 10;

export interface Rate {
  /** One more event. `now`: milliseconds, never going back. */
  add(now: number): void;
  /** Events a second over the last ten whole seconds before `now`. */
  read(now: number): number;
}

/** A rate over events that begins at zero. */
export function createRate(): Rate {
  const size = window + 1;
  const counts = new Float64Array(size);
  /** The second that each count is of. */
  const seconds = new Float64Array(size).fill(-1);
  return {
    add(now) {
      const second = Math.floor(now / 1000);
      const at = second % size;
      if (seconds[at] !== second) {
        seconds[at] = second;
        counts[at] = 0;
      }
      counts[at] = (counts[at] as number) + 1;
    },
    read(now) {
      const second = Math.floor(now / 1000);
      let sum = 0;
      for (let at = 0; at < size; at++) {
        const age = second - (seconds[at] as number);
        if (seconds[at] !== -1 && age >= 1 && age <= window) sum += counts[at] as number;
      }
      return sum / window;
    },
  };
}
