// Groups clients by network, since a client with one address of a network can use them all.

import { parseIp } from "../lib/network/ip-range.ts";

/** Length of the common prefix of an IPv6 network. */
export type NetworkBits =
  /** One link, such as a household or a machine (RFC 4291, section 2.5.4). */
  | 64
  /** One site, the largest allocation to one customer (RFC 6177). */
  | 48;

/**
 * Returns the network of an address; for IPv4 the address itself. All unknown or invalid addresses share one.
 */
export function networkOf(address: string | undefined, bits: NetworkBits): string {
  const ip = parseIp(address ?? "");
  if (!ip) return "";
  return ip.bits === 32 ? `4 ${ip.value}` : `6 ${ip.value >> BigInt(128 - bits)}`;
}
