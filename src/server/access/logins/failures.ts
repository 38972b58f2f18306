// Failed logins by network and by user: the first few are free, then each delays the next attempt. What
// others do in a user's name delays that user only in networks that have failed too.

import { networkOf, parseIp } from "../../../base/index.ts";
import { createLimiter, type Limiter, steadily } from "../limiter.ts";

/** Tries in the name of one user: `free` immediately, then one in each `eachMs` milliseconds. */
export interface Allowance {
  /** Failures of a site, in any names, with which its tries begin to count here. */
  readonly from: number;
  readonly free: number;
  readonly eachMs: number;
}

export const usualLimits = {
  /** Failures that cause no waiting. */
  free: 5,
  /** Milliseconds after the first failure that causes a wait; doubled with each further one. */
  firstWaitMs: 1000,
  /** Longest wait of a network, in milliseconds. */
  maxWaitMs: 60_000,
  /** Milliseconds after the last failure until failures are forgotten. */
  forgetMs: 15 * 60_000,
  /**
   * Tries in the name of one user from all networks that are new to them, for each number of failures of
   * their sites: separate allowances, so that somebody who has failed cannot use up those of others.
   */
  ofUser: [
    { from: 0, free: 300, eachMs: 2000 },
    { from: 1, free: 100, eachMs: 8000 },
    { from: 3, free: 10, eachMs: 8000 },
  ] satisfies readonly Allowance[],
} as const;

/** A permitted attempt. It counts as failed until it is taken back, so that concurrent attempts count too. */
export interface Attempt {
  /**
   * Its turn among others: 0 in a network that is known to the user, then 1 and more, the more often others
   * near it have failed.
   */
  readonly rank: number;
  /** Takes the failure back: the password was correct, or nobody could find out. */
  takeBack(): void;
}

/** Number of ranks with the usual limits. */
export const ranks = usualLimits.ofUser.length + 2;

/** Number of networks, and of users, that are remembered one by one. */
const max = 10_000;

/** Names are untrusted and may be long. */
const maxNameLength = 200;

/**
 * Failed logins of one service. It never waits itself.
 *
 * These bounds apply, with the usual limits. A network is an IPv4 address or an IPv6 network of 64 bits, a
 * site an IPv4 address or an IPv6 network of 48 bits:
 * - A network has five failures, then at most one a minute, for any names: 60 an hour.
 * - A user has 410 failures in all networks that are new to them, then at most 2700 an hour, from any number
 *   of networks: 300 and 1800 from sites that have not failed within 15 minutes, 100 and 450 from sites that
 *   have failed once or twice, 10 and 450 from all others. So a reader in a network of their own gets in
 *   however often others fail, unless these have a new network for every second try.
 * - In a network that is known to the user, the first of these applies to that user alone: neither others in
 *   that network nor attackers elsewhere lock the user out there. A login forgets no failures.
 */
export class LoginFailures {
  readonly #networks: Limiter;
  readonly #sites: Limiter;
  /** Neighbours of a network, who may be one attacker: they only change its turn. */
  readonly #regions: Limiter;
  /** By network and user, in known networks. */
  readonly #pairs: Limiter;
  readonly #crowd: number;
  readonly #users: readonly (Allowance & { readonly limiter: Limiter })[];

  /** `now` returns milliseconds and never goes back. */
  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    const { free, firstWaitMs, maxWaitMs, forgetMs, ofUser } = usualLimits;
    const doubling = {
      remaining: (count: number, ms: number) => (ms < forgetMs ? count : 0),
      pause: (count: number) => (count < free ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** (count - free))),
    };
    this.#crowd = free;
    this.#networks = createLimiter(doubling, max, now);
    this.#sites = createLimiter(doubling, max, now);
    this.#regions = createLimiter(doubling, max, now);
    this.#pairs = createLimiter(doubling, max, now);
    this.#users = ofUser.map((allowance) => ({
      ...allowance,
      limiter: createLimiter(steadily(allowance.free, allowance.eachMs), max, now),
    }));
  }

  /**
   * Returns an attempt to log in, or the milliseconds to wait before the next. All clients without a known
   * address share one network. `user`: the name qualified with its profile, since profiles may share names.
   * `isKnown`: true if that user has logged in from the network of the address.
   */
  attempt(address: string | undefined, user: string, isKnown = false): Attempt | { readonly waitMs: number } {
    const [network, site, region] = [networkOf(address, 64), networkOf(address, 48), regionOf(address)];
    const failed = this.#sites.counted(site);
    const level = this.#users.findLastIndex(({ from }) => failed >= from);
    const ofUser = this.#users[level]?.limiter;
    const name = user.slice(0, maxNameLength);
    const pair = `${network} ${name}`;
    const waitMs = isKnown
      ? this.#pairs.waitMs(pair)
      : Math.max(this.#networks.waitMs(network), ofUser?.waitMs(name) ?? 0);
    if (waitMs > 0) return { waitMs };
    const isAlone = level === 0 && this.#regions.counted(region) < this.#crowd;
    const counted = [
      this.#networks.count(network),
      this.#sites.count(site),
      this.#regions.count(region),
      isKnown ? this.#pairs.count(pair) : ofUser?.count(name),
    ];
    return {
      rank: isKnown ? 0 : isAlone ? 1 : level + 2,
      // Other failures stay: somebody who knows one password may be guessing another, and others may be
      // guessing this one.
      takeBack: () => {
        for (const takeBack of counted) takeBack?.();
      },
    };
  }
}

/** Returns the IPv4 network of 24 bits or the IPv6 network of 32 bits, which one provider usually has. */
function regionOf(address: string | undefined): string {
  const ip = parseIp(address ?? "");
  return ip ? `${ip.bits} ${ip.value >> (ip.bits === 32 ? 8n : 96n)}` : "";
}
