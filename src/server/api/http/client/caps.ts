// Limits on concurrent requests, in total and per network of clients.

import { type Counts, networkOf, type Problem } from "../../../../base/index.ts";

export interface CapLimits {
  /** 0: no cap. */
  readonly all: number;
  /** Cap of one network: an IPv6 prefix of 64 bits, or an IPv4 address. 0: no cap. */
  readonly perNetwork: number;
}

export interface Caps {
  /**
   * Returns a function that releases the permit, or the problem to respond with. An unknown address counts
   * only in total.
   */
  enter(address: string | undefined, limits: CapLimits): (() => void) | Problem;
}

/** Counts running and refused requests; its state is one number and one small map. */
export function createCaps(refused: Counts<"all" | "address">): Caps {
  let all = 0;
  const byNetwork = new Map<string, number>();
  const retry = { "Retry-After": "1" };
  return {
    enter(address, limits) {
      if (limits.all > 0 && all >= limits.all) {
        refused.all.add();
        return {
          status: 503,
          code: "too_many_requests",
          detail: "The service is at its limit of requests. Try again in a moment.",
          headers: retry,
        };
      }
      const network = address === undefined ? undefined : networkOf(address);
      const own = network === undefined ? 0 : (byNetwork.get(network) ?? 0);
      if (network !== undefined && limits.perNetwork > 0 && own >= limits.perNetwork) {
        refused.address.add();
        return {
          status: 429,
          code: "too_many_requests_from_address",
          detail: "Too many requests at the same time from your network. Try again in a moment.",
          headers: retry,
        };
      }
      all++;
      if (network !== undefined) byNetwork.set(network, own + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all--;
        if (network === undefined) return;
        const now = (byNetwork.get(network) ?? 1) - 1;
        if (now > 0) byNetwork.set(network, now);
        else byNetwork.delete(network);
      };
    },
  };
}

/** Longest path and query in characters; longer ones are 414. */
export const maxTarget = 8192;
