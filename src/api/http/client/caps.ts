// Limits on concurrent requests, in total and per client address.

import type { Problem } from "../../../lib/network/problem-document.ts";
import type { Counts } from "../../../lib/telemetry/count.ts";

export interface CapLimits {
  /** 0: no cap. */
  readonly all: number;
  readonly perAddress: number;
}

export interface Caps {
  /** Returns a function that releases the permit, or the problem to respond with. */
  enter(address: string | undefined, limits: CapLimits): (() => void) | Problem;
}

/** Counts running and refused requests; its state is one number and one small map. */
export function createCaps(refused: Counts<"all" | "address">): Caps {
  let all = 0;
  const byAddress = new Map<string, number>();
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
      const own = address === undefined ? 0 : (byAddress.get(address) ?? 0);
      if (address !== undefined && limits.perAddress > 0 && own >= limits.perAddress) {
        refused.address.add();
        return {
          status: 429,
          code: "too_many_requests_from_address",
          detail: "Too many requests at the same time from your address. Try again in a moment.",
          headers: retry,
        };
      }
      all++;
      if (address !== undefined) byAddress.set(address, own + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all--;
        if (address === undefined) return;
        const now = (byAddress.get(address) ?? 1) - 1;
        if (now > 0) byAddress.set(address, now);
        else byAddress.delete(address);
      };
    },
  };
}

/** Longest path and query in characters; longer ones are 414. */
export const maxTarget = 8192;
