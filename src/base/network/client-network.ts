// Groups clients by network, since a client with one address of a network can use them all.

import { createLru } from "../bytes/lru.ts";
import { isInRange, parseIp, parseRange } from "./ip-range.ts";

/** Length of the common prefix of an IPv6 network. */
export type NetworkBits =
  /** One link, such as a household or a machine (RFC 4291, section 2.5.4). */
  | 64
  /** One site, the largest allocation to one customer (RFC 6177). */
  | 48;

/** IPv6 addresses that contain the IPv4 address of the client, which `shift` and `mask` extract. */
const embedding = [
  { range: parseRange("64:ff9b::/96"), shift: 0n, mask: 0n }, // translated (RFC 6052, section 2.1)
  { range: parseRange("2002::/16"), shift: 80n, mask: 0n }, // 6to4 (RFC 3056, section 2)
  { range: parseRange("2001::/32"), shift: 0n, mask: 0xffffffffn }, // Teredo (RFC 4380, section 4)
] as const;

/** The networks that what a visitor does is counted to. */
export interface VisitorNetworks {
  /** /24 of IPv4, /64 of IPv6; "" for all unknown or invalid addresses. */
  readonly network: string;
  /** The /48 around the network of an IPv6 address, which has 65,536 of them; undefined for others. */
  readonly site: string | undefined;
}

/** Returns the networks of a visitor by an address in any spelling. */
export function visitorNetworks(address: string | undefined): VisitorNetworks {
  let networks = knownVisitors.get(address ?? "");
  if (!networks) knownVisitors.set(address ?? "", (networks = findVisitorNetworks(address)), 1);
  return networks;
}

function findVisitorNetworks(address: string | undefined): VisitorNetworks {
  const network = networkOf(address);
  const [family, value = ""] = network.split(" ");
  if (family === "4") return { network: `4 ${BigInt(value) >> 8n}`, site: undefined };
  return { network, site: family === "6" ? `6/48 ${BigInt(value) >> 16n}` : undefined };
}

const knownVisitors = createLru<string, VisitorNetworks>(4096);

/** Latest networks, since most requests come from few clients. */
const known = createLru<string, string>(4096);

/**
 * Returns the network of an address in any spelling: the prefix of an IPv6 address, or the whole IPv4
 * address, also if an IPv6 address contains it. All unknown or invalid addresses share one.
 */
export function networkOf(address: string | undefined, bits: NetworkBits = 64): string {
  if (address === undefined) return "";
  if (bits !== 64) return findNetwork(address, bits);
  let network = known.get(address);
  if (network === undefined) known.set(address, (network = findNetwork(address, bits)), 1);
  return network;
}

function findNetwork(address: string, bits: NetworkBits): string {
  const ip = parseIp(address);
  if (!ip) return "";
  if (ip.bits === 32) return `4 ${ip.value}`;
  const form = embedding.find(({ range }) => isInRange(ip, range));
  if (form) return `4 ${((ip.value >> form.shift) & 0xffffffffn) ^ form.mask}`;
  return `6 ${ip.value >> BigInt(128 - bits)}`;
}
