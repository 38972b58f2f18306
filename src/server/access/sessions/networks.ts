// The known networks of one user, as stores without operations of their own keep them.

import { maxNetworks } from "./store.ts";

/** Milliseconds since 1970 until which each is known. */
export type Networks = ReadonlyMap<string, number>;

/** Returns the networks with one more, and without those that expire first if there are too many. */
export function withNetwork(before: Networks | undefined, network: string, expiresAt: number): Networks {
  const all = new Map(before).set(network, expiresAt);
  return new Map([...all].sort(([, a], [, b]) => a - b).slice(-maxNetworks));
}
