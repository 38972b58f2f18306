// How much of the internet a list of address ranges admits.

import { type IpRange, parseRange } from "../../../base/index.ts";

/** All addresses of the internet (all of IPv4; 2000::/3 of IPv6, RFC 4291, section 2.4). */
const internet = ["0.0.0.0/0", "2000::/3"].map(parseRange);

/** Returns the address spaces of which the ranges together cover at least half: `IPv4`, `IPv6`. */
export function coveredSpaces(ranges: readonly IpRange[]): string[] {
  return internet
    .filter((whole) => 2n * countCovered(whole, ranges) >= sizeOf(whole))
    .map(({ bits }) => (bits === 32 ? "IPv4" : "IPv6"));
}

/** Counts the addresses of a range that are in others, each once. */
function countCovered(whole: IpRange, ranges: readonly IpRange[]): bigint {
  const last = endOf(whole);
  let next = startOf(whole);
  let count = 0n;
  for (const range of ranges.filter(({ bits }) => bits === whole.bits).toSorted(byStart)) {
    const from = startOf(range) > next ? startOf(range) : next;
    const to = endOf(range) < last ? endOf(range) : last;
    if (to <= from) continue;
    count += to - from;
    next = to;
  }
  return count;
}

/** True if any address is in both ranges. */
export const overlap = (one: IpRange, other: IpRange): boolean =>
  one.bits === other.bits && startOf(one) < endOf(other) && startOf(other) < endOf(one);

/** True if all addresses of a range are in another. */
export const isWithin = (inner: IpRange, outer: IpRange): boolean =>
  inner.bits === outer.bits && startOf(inner) >= startOf(outer) && endOf(inner) <= endOf(outer);

/** True if an address has bits set that its range ignores, as in 192.0.2.7/24. */
export const hasHostBits = (range: IpRange): boolean => startOf(range) !== range.value;

const sizeOf = ({ bits, prefix }: IpRange): bigint => 1n << BigInt(bits - prefix);
const startOf = (range: IpRange): bigint => range.value - (range.value % sizeOf(range));
const endOf = (range: IpRange): bigint => startOf(range) + sizeOf(range);
const byStart = (a: IpRange, b: IpRange): number => (startOf(a) < startOf(b) ? -1 : 1);

/** Networks that are not reachable from the internet, and this machine. */
const privateRanges = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
].map(parseRange);

export const isPrivate = (range: IpRange): boolean => privateRanges.some((each) => isWithin(range, each));
