// Logins that failed, by network and by user: the first few are free, then each makes the next one wait. A
// network from which a user has logged in does not wait for what others do in that user's name.

import { createLru, type Lru } from "../../imaging/lib/lru.ts";
import { createLimiter, type Limiter } from "../limiter.ts";
import { networkOf } from "../network.ts";

export interface FailureLimits {
  /** Failures that cause no waiting. */
  readonly free: number;
  /** Milliseconds after the first failure that is not free; doubled with each further one. */
  readonly firstWaitMs: number;
  /** Longest wait of a network. */
  readonly longestWaitMs: number;
  /** Longest wait of a user in networks that are new to them. */
  readonly longestUserWaitMs: number;
  /** Failures are forgotten so long after the last of them. */
  readonly forgetMs: number;
  /** A network is known to a user so long after their last login from it. */
  readonly knownMs: number;
  /**
   * Networks, users, and networks known to users that are remembered; those that were used least lately are
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

/**
 * An attempt that may be made. It counts as failed until it has succeeded, so that attempts at the same time
 * count too.
 */
export interface Attempt {
  /** Takes the failure back; the network is known to the user from now on. */
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
 *   hour, from any number of
 *   addresses.
 * - In a network from which the user has logged in within 30 days, only the first of these applies. An
 *   attacker elsewhere does not lock
 *   the user out there, and a login there does not help the attacker, since it forgets none of those failures.
 */
export class LoginFailures {
  readonly #now: () => number;
  readonly #knownMs: number;
  readonly #networks: Limiter;
  readonly #users: Limiter;
  /** Milliseconds of the last login, by network and user. */
  readonly #logins: Lru<string, number>;

  /** `now`: milliseconds, never going back. */
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
   * An attempt to log in, or how many milliseconds to wait before the next. All clients without a known
   * address share one network. `user`: the name with that of its profile, as names may be there in several.
   */
  attempt(address: string | undefined, user: string): Attempt | { readonly waitMs: number } {
    const network = networkOf(address, 64);
    // Names come from anybody, and may be long.
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
