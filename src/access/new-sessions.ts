// How many sessions the clients of one network may begin, so that nobody fills the store of sessions for all others.

import { createLru } from "../lib/caching/lru.ts";
import { networkOf } from "./network.ts";

export interface NewSessionLimits {
  /** Sessions that one network may begin at once. */
  readonly free: number;
  /** Sessions that it may begin beside them within the lifetime of one. */
  readonly inLifetime: number;
  /** Longest time from one of these to the next in milliseconds, which counts where sessions live for long. */
  readonly longestMs: number;
  /** Networks that are remembered; those that began none for the longest time are forgotten first. */
  readonly most: number;
}

/**
 * A reading room behind one address begins 200 sessions at once, and with sessions of a day 416 more in each hour. It then has
 * at most 10,200 of the 200,000 sessions and tokens that memory holds.
 */
export const usualNewSessions: NewSessionLimits = {
  free: 200,
  inLifetime: 10_000,
  longestMs: 60_000,
  most: 10_000,
};

export interface NewSessions {
  /**
   * Counts a session that is about to begin, or returns how many milliseconds to wait before the next may. All clients without a known
   * address share one network.
   */
  begin(address: string | undefined): { takeBack(): void } | { readonly waitMs: number };
}

export interface NewSessionsOptions {
  /** Lifetime of a session in milliseconds. */
  readonly ttlMs: number;
  /** Called when a network has to wait. */
  readonly refused?: () => void;
  readonly limits?: NewSessionLimits;
  /** Milliseconds, never going back. */
  readonly now?: () => number;
}

/** The memory of one service. Sessions that take the place of others are not counted. */
export function createNewSessions({
  ttlMs,
  refused = () => {},
  limits: { free, inLifetime, longestMs, most } = usualNewSessions,
  now = () => performance.now(),
}: NewSessionsOptions): NewSessions {
  const eachMs = Math.min(longestMs, ttlMs / inLifetime);
  /** When a network may begin as many at once again as one that began none. */
  const restedAt = createLru<string, number>(most);
  return {
    begin(address) {
      const network = networkOf(address, 48);
      const time = now();
      const at = Math.max(time, restedAt.get(network) ?? 0);
      const waitMs = at + eachMs - (time + free * eachMs);
      // Sums of fractions are off by less than that.
      if (waitMs >= 1) {
        refused();
        return { waitMs };
      }
      restedAt.set(network, at + eachMs, 1);
      let open = true;
      return {
        takeBack() {
          const current = restedAt.get(network);
          if (open && current !== undefined) restedAt.set(network, current - eachMs, 1);
          open = false;
        },
      };
    },
  };
}
