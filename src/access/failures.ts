// Logins that failed, by address and by user: the first few are free, then each makes the next one wait.

import { parseIp } from "../lib/ip-range.ts";
import { createLru, type Lru } from "../lib/lru.ts";

export interface FailureLimits {
  /** Failures after which nobody waits. */
  readonly free: number;
  /** Milliseconds after the first failure that is not free; doubled with each further one. */
  readonly firstWaitMs: number;
  /** Longest wait of an address. */
  readonly longestWaitMs: number;
  /** Longest wait of a user, shorter, so that nobody is kept out for long by somebody else. */
  readonly longestUserWaitMs: number;
  /** Failures are forgotten so long after the last of them. */
  readonly forgetMs: number;
  /** Addresses, and users, that are remembered; those whose last failure is the oldest are forgotten first. */
  readonly most: number;
}

export const usualLimits: FailureLimits = {
  free: 5,
  firstWaitMs: 1000,
  longestWaitMs: 60_000,
  longestUserWaitMs: 8000,
  forgetMs: 15 * 60_000,
  most: 10_000,
};

/** An attempt that may be made. It counts as failed until it has succeeded, so that attempts at the same time count too. */
export interface Attempt {
  /** Takes the failure back, and forgets those of the user. */
  succeeded(): void;
  /** Takes the failure back where nobody found out whether the password was right. */
  undecided(): void;
}

interface Failures {
  readonly count: number;
  /** Milliseconds, of the last one. */
  readonly at: number;
}

/** The memory of one service. It never waits by itself. */
export class LoginFailures {
  readonly #now: () => number;
  readonly #limits: FailureLimits;
  readonly #addresses: Lru<string, Failures>;
  readonly #users: Lru<string, Failures>;

  /** `now`: milliseconds, never going back. */
  constructor({
    now = () => performance.now(),
    limits = usualLimits,
  }: {
    readonly now?: () => number;
    readonly limits?: FailureLimits;
  } = {}) {
    this.#now = now;
    this.#limits = limits;
    this.#addresses = createLru(limits.most);
    this.#users = createLru(limits.most);
  }

  /**
   * An attempt to log in, or how many milliseconds to wait before the next. All clients without a known address share one. `user`: the
   * name with that of its profile, as names may be there in several.
   */
  attempt(address: string | undefined, user: string): Attempt | { readonly waitMs: number } {
    const { longestWaitMs, longestUserWaitMs } = this.#limits;
    const place = networkOf(address);
    // Names come from anybody, and may be long.
    const name = user.slice(0, 200);
    const waitMs = Math.max(
      this.#waitOf(this.#addresses, place, longestWaitMs),
      this.#waitOf(this.#users, name, longestUserWaitMs),
    );
    if (waitMs > 0) return { waitMs };
    const takePlaceBack = this.#count(this.#addresses, place);
    const takeNameBack = this.#count(this.#users, name);
    let open = true;
    const take = (act: () => void) => () => {
      if (open) act();
      open = false;
    };
    return {
      succeeded: take(() => {
        // Those of the address stay: whoever has one password may be guessing another.
        takePlaceBack();
        this.#users.delete(name);
      }),
      undecided: take(() => {
        takePlaceBack();
        takeNameBack();
      }),
    };
  }

  #known(memory: Lru<string, Failures>, key: string): Failures | undefined {
    const failures = memory.get(key);
    if (!failures || this.#now() - failures.at < this.#limits.forgetMs) return failures;
    memory.delete(key);
    return undefined;
  }

  #waitOf(memory: Lru<string, Failures>, key: string, longestMs: number): number {
    const { free, firstWaitMs } = this.#limits;
    const failures = this.#known(memory, key);
    if (!failures || failures.count < free) return 0;
    const wait = Math.min(longestMs, firstWaitMs * 2 ** (failures.count - free));
    return Math.max(0, failures.at + wait - this.#now());
  }

  /** Counts a failure; what it returns takes it back. */
  #count(memory: Lru<string, Failures>, key: string): () => void {
    const before = this.#known(memory, key);
    const at = this.#now();
    memory.set(key, { count: (before?.count ?? 0) + 1, at }, 1);
    return () => {
      const failures = memory.get(key);
      if (!failures) return;
      const count = failures.count - 1;
      // Unless another failed meanwhile, the next wait is again from the one before.
      const last = failures.at === at && before ? before.at : failures.at;
      if (count <= 0) memory.delete(key);
      else memory.set(key, { count, at: last }, 1);
    };
  }
}

/** What counts as one address: of IPv6 the network of 64 bits, which one household or machine has. */
function networkOf(address = ""): string {
  const ip = parseIp(address);
  if (!ip) return "";
  return ip.bits === 32 ? `4 ${ip.value}` : `6 ${ip.value >> 64n}`;
}
