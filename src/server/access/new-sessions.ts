// Limits the sessions that the clients of one network may begin, so that nobody fills the session store for
// all others.

import { networkOf } from "../../base/index.ts";
import { createLimiter, steadily } from "./limiter.ts";

/**
 * Sessions of one network: the first value immediately, the second in addition within the lifetime of a
 * session, and never less than one a minute. A reading room behind one address begins 200 immediately and,
 * with sessions of a day, 416 more an hour. It then has at most 10,200 of the 200,000 sessions and tokens
 * that memory holds.
 */
const [free, inLifetime, maxMs] = [200, 10_000, 60_000];
/** Number of networks that are remembered one by one. */
const max = 10_000;

export interface NewSessions {
  /**
   * Counts a session that is about to begin, or returns the milliseconds to wait before the next may. All
   * clients without a known address share one network.
   */
  begin(address: string | undefined): { takeBack(): void } | { readonly waitMs: number };
}

export interface NewSessionsOptions {
  /** Lifetime of a session in milliseconds. */
  readonly ttlMs: number;
  /** Called when a network has to wait. */
  readonly onRefused?: () => void;
  /** Returns milliseconds and never goes back. */
  readonly now?: () => number;
}

/** Creates the counts of one service. Sessions that replace others are not counted. */
export function createNewSessions({ ttlMs, onRefused: refused, now }: NewSessionsOptions): NewSessions {
  const eachMs = Math.min(maxMs, ttlMs / inLifetime);
  const limiter = createLimiter(steadily(free, eachMs), max, now);
  return {
    begin(address) {
      const network = networkOf(address, 48);
      const waitMs = limiter.waitMs(network);
      if (waitMs === 0) return { takeBack: limiter.count(network) };
      refused?.();
      return { waitMs };
    },
  };
}
