// Failed logins by network and by user: the first few are free, then each delays the next attempt. A network
// from which a user has logged in is not delayed by what others do in that user's name.

import { createLru, type Lru } from "../../imaging/lib/lru.ts";
import { createLimiter, type Limiter } from "../limiter.ts";
import { networkOf } from "../network.ts";

export interface FailureLimits {
  /** Failures that cause no waiting. */
  readonly free: number;
  /** Milliseconds after the first failure that causes a wait; doubled with each further one. */
  readonly firstWaitMs: number;
  /** Longest wait of a network, in milliseconds. */
  readonly longestWaitMs: number;
  /** Longest wait of a user in unknown networks, in milliseconds. */
  readonly longestUserWaitMs: number;
  /** Milliseconds after the last failure until failures are forgotten. */
  readonly forgetMs: number;
  /** Milliseconds after a user's last login during which a network is known to them. */
  readonly knownMs: number;
  /**
   * Maximum number of networks, users, and known networks that are remembered; the least recently used are
   * forgotten first.
   */
  readonly most: number;
}

export const usualLimits: FailureLimits = {
  free: 5,
  firstWaitMs: 1000,
  longestWaitMs: 60_000,
  longestUserWaitMs: 8000,
  forgetMs: 15 * 60_000,
  knownMs: 30 * 24 * 3_600_000,
  most: 10_000,
};

/** A permitted attempt. It counts as failed until it succeeds, so that concurrent attempts count too. */
export interface Attempt {
  /** Removes the failure; from now on the network is known to the user. */
  noteSuccess(): void;
  /** Takes the failure back if nobody could find out whether the password was correct. */
  cancel(): void;
}

/**
 * Failed logins of one service. It never waits itself.
 *
 * Three bounds apply, with the usual limits:
 * - A network has five failures, then at most one a minute, for any names: 60 an hour.
 * - A user has five failures in all networks that are new to them, then at most one every 8 seconds: 450 an
 *   hour, from any number of addresses.
 * - In a network from which the user has logged in within 30 days, only the first of these applies. An
 *   attacker elsewhere does not lock the user out there, and a login there does not help the attacker, since
 *   it forgets none of those failures.
 */
export class LoginFailures {
  readonly #now: () => number;
  readonly #knownMs: number;
  readonly #networks: Limiter;
  readonly #users: Limiter;
  /** Time of the last login in milliseconds, by network and user. */
  readonly #logins: Lru<string, number>;

  /** `now` returns milliseconds and never goes back. */
  constructor({
    now = () => performance.now(),
    limits = usualLimits,
  }: {
    readonly now?: () => number;
    readonly limits?: FailureLimits;
  } = {}) {
    const { free, firstWaitMs, forgetMs, most } = limits;
    const until = (longestMs: number) => ({
      remaining: (count: number, ms: number) => (ms < forgetMs ? count : 0),
      pause: (count: number) => (count < free ? 0 : Math.min(longestMs, firstWaitMs * 2 ** (count - free))),
    });
    this.#now = now;
    this.#knownMs = limits.knownMs;
    this.#networks = createLimiter(until(limits.longestWaitMs), most, now);
    this.#users = createLimiter(until(limits.longestUserWaitMs), most, now);
    this.#logins = createLru(most);
  }

  /**
   * Returns an attempt to log in, or the milliseconds to wait before the next. All clients without a known
   * address share one network. `user`: the name qualified with its profile, since profiles may share names.
   */
  attempt(address: string | undefined, user: string): Attempt | { readonly waitMs: number } {
    const network = networkOf(address, 64);
    // Names are untrusted and may be long.
    const name = user.slice(0, 200);
    const pair = `${network} ${name}`;
    const known = this.#logins.get(pair);
    const isNew = known === undefined || this.#now() - known >= this.#knownMs;
    const waitMs = Math.max(this.#networks.waitMs(network), isNew ? this.#users.waitMs(name) : 0);
    if (waitMs > 0) return { waitMs };
    const counted = [this.#networks.count(network), ...(isNew ? [this.#users.count(name)] : [])];
    const cancel = () => {
      for (const takeBack of counted) takeBack();
    };
    return {
      cancel: cancel,
      noteSuccess: () => {
        // Other failures stay: somebody who knows one password may be guessing another, and others may be
        // guessing this one.
        cancel();
        this.#logins.set(pair, this.#now(), 1);
      },
    };
  }
}
