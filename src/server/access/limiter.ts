// Limits how often something may be done under one key, such as a network: immediately at first, then with
// growing pauses.

import { createLru } from "../../base/index.ts";

/** Limits of attempts over time, in milliseconds. */
export interface Schedule {
  /** How many of `count` attempts still count `ms` milliseconds after the last of them. */
  remaining(count: number, ms: number): number;
  /** Returns the wait after the last of `count` attempts; none if it is not positive. */
  pause(count: number): number;
}

export interface Limiter {
  /** Returns the wait until the next attempt; 0 if it may be made now. */
  waitMs(key: string): number;
  /** Returns how many attempts still count. */
  counted(key: string): number;
  /** Counts an attempt. The returned function takes it back, once. */
  count(key: string): () => void;
}

/** Permits `free` attempts immediately, and one more in each `eachMs` milliseconds. */
export const steadily = (free: number, eachMs: number): Schedule => ({
  remaining: (count, ms) => Math.max(0, count - ms / eachMs),
  pause: (count) => (count - free + 1) * eachMs,
});

interface Tally {
  readonly count: number;
  /** Time of the last attempt. */
  readonly at: number;
}

/** Number of tallies that forgotten keys share. */
const slots = 2 ** 16;

/**
 * Creates an empty memory of `max` keys. `now` returns milliseconds and never goes back. The limiter itself
 * never waits.
 *
 * Keys come from clients, who could send many in order to have one forgotten. So a tally that still counts
 * when its key is forgotten, the least recently used first, is kept without the key, as one of a fixed number
 * that such keys share: a shared tally may be too strict, but never too lenient. A random seed keeps others
 * from choosing keys that share one.
 */
export function createLimiter(
  { remaining, pause }: Schedule,
  max: number,
  now = () => performance.now(),
): Limiter {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] as number;
  const slotOf = (key: string) => scramble(key, seed) % slots;
  const shared = new Map<number, Tally>();
  const tallies = createLru<string, Tally>(max, (key, tally) => {
    const slot = slotOf(key);
    if (remainingOf(tally) > remainingOf(shared.get(slot))) shared.set(slot, tally);
  });
  const tallyOf = (key: string) => tallies.get(key) ?? shared.get(slotOf(key));
  const ageOf = ({ at }: Tally) => now() - at;
  const remainingOf = (tally: Tally | undefined) => (tally ? remaining(tally.count, ageOf(tally)) : 0);
  return {
    waitMs(key) {
      const tally = tallyOf(key);
      if (!tally || remainingOf(tally) <= 0) return 0;
      const wait = pause(tally.count) - ageOf(tally);
      // Rounding errors of the sums are smaller.
      return wait < 1 ? 0 : wait;
    },
    counted: (key) => remainingOf(tallyOf(key)),
    count(key) {
      const before = tallyOf(key);
      const tally = { count: remainingOf(before) + 1, at: now() };
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

/** Returns 32 bits that depend on all characters and on the seed (the finalizer of MurmurHash3). */
function scramble(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x85ebca6b);
    hash ^= hash >>> 13;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
