// Limits how often something may be done under one key, such as a network: immediately at first, then with
// growing pauses.

import { createLru } from "../imaging/lib/lru.ts";

/** Limits of attempts over time, in milliseconds. */
export interface Schedule {
  /** How many of `count` attempts still count `ms` milliseconds after the last of them. */
  remaining(count: number, ms: number): number;
  /** Returns the wait after the last of `count` attempts. */
  pause(count: number): number;
}

export interface Limiter {
  /** Returns the wait until the next attempt; 0 if it may be made now. */
  waitMs(key: string): number;
  /** Counts an attempt. The returned function takes it back, once. */
  count(key: string): () => void;
}

interface Tally {
  readonly count: number;
  /** Time of the last attempt. */
  readonly at: number;
}

/**
 * Creates an empty memory of `most` keys that forgets the least recently used first. `now` returns
 * milliseconds and never goes back. The limiter itself never waits.
 */
export function createLimiter(
  { remaining, pause }: Schedule,
  most: number,
  now = () => performance.now(),
): Limiter {
  const tallies = createLru<string, Tally>(most);
  const since = ({ at }: Tally) => now() - at;
  return {
    waitMs(key) {
      const tally = tallies.get(key);
      if (!tally) return 0;
      const wait = remaining(tally.count, since(tally)) > 0 ? pause(tally.count) - since(tally) : 0;
      // Rounding errors of the sums are smaller.
      return wait < 1 ? 0 : wait;
    },
    count(key) {
      const before = tallies.get(key);
      const tally = { count: (before ? remaining(before.count, since(before)) : 0) + 1, at: now() };
      tallies.set(key, tally, 1);
      let open = true;
      return () => {
        const current = tallies.get(key);
        if (!open || !current) return;
        open = false;
        // Without attempts in between, the tally is fully restored.
        const restored = current === tally ? before : { ...current, count: current.count - 1 };
        if (restored && restored.count > 0) tallies.set(key, restored, 1);
        else tallies.delete(key);
      };
    },
  };
}
