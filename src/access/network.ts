// Which clients are counted as one: those of one network, since who has one address of it can have them all.

import { parseIp } from "../lib/network/ip-range.ts";

/** Bits of an IPv6 address that its network has in common. */
export type NetworkBits =
  /** One link, as a household or a machine has (RFC 4291, section 2.5.4). */
  | 64
  /** One site, the most that is handed to one customer (RFC 6177). */
  | 48;

/** The network of an address: of IPv4 the address itself. All that are not known, or no address, are one. */
export function networkOf(address: string | undefined, bits: NetworkBits): string {
  const ip = parseIp(address ?? "");
  if (!ip) return "";
  return ip.bits === 32 ? `4 ${ip.value}` : `6 ${ip.value >> BigInt(128 - bits)}`;
}
