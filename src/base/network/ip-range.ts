// IP addresses and CIDR ranges (RFC 4632, RFC 4291), for trusted proxies and access by address.

/** An address as a number of 32 or 128 bits; IPv4-mapped IPv6 counts as IPv4. */
export interface IpNumber {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface IpRange {
  readonly bits: 32 | 128;
  readonly value: bigint;
  readonly prefix: number;
}

/**
 * Returns an IPv4 or IPv6 address (brackets, zone and surrounding space allowed) as a number; undefined if
 * it is not an address.
 */
export function parseIp(text: string): IpNumber | undefined {
  const bare = text
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/%.*$/, "");
  const v4 = parseIpv4(bare);
  if (v4 !== undefined) return { bits: 32, value: v4 };
  const v6 = parseIpv6(bare);
  if (v6 === undefined) return undefined;
  return v6 >> 32n === 0xffffn ? { bits: 32, value: v6 & 0xffffffffn } : { bits: 128, value: v6 };
}

/**
 * Returns the canonical form of an address, which is used to count, log and compare it (RFC 5952):
 * IPv4-mapped IPv6 as IPv4, without zone, and without the port that some proxies append (`1.2.3.4:80`,
 * `[::1]:80`). Returns undefined for anything but an address.
 */
export function normaliseIp(text: string): string | undefined {
  const ip = parseIp(text.trim().replace(/^(\[.*\]|[^:]*):\d{1,5}$/, "$1"));
  return ip && (ip.bits === 32 ? ipv4Text(ip.value) : ipv6Text(ip.value));
}

/** Returns the network of an address, /24 of IPv4, /48 of IPv6; undefined for anything but an address. */
export function anonymiseIp(text: string): string | undefined {
  const ip = parseIp(text);
  if (!ip) return undefined;
  return ip.bits === 32
    ? `${ipv4Text((ip.value >> 8n) << 8n)}/24`
    : `${ipv6Text((ip.value >> 80n) << 80n)}/48`;
}

const ipv4Text = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");

/** Returns an address as text: the serializer of the URL standard shortens it as RFC 5952 says. */
function ipv6Text(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const lastColon = text.lastIndexOf(":");
  if (lastColon < 0) return undefined;
  let groups = text;
  const v4 = parseIpv4(text.slice(lastColon + 1));
  if (v4 !== undefined)
    groups = `${text.slice(0, lastColon + 1)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`;
  const halves = groups.split("::");
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array<string>(missing).fill("0"), ...tail];
  if (!all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return all.reduce((value, group) => value * 65536n + BigInt(`0x${group}`), 0n);
}

/** Parses `10.0.0.0/8`, `::1/128` or a single address. Throws RangeError for anything else. */
export function parseRange(text: string): IpRange {
  const [address = "", length, ...rest] = text.split("/");
  const ip = parseIp(address);
  const prefix = length === undefined ? ip?.bits : Number(length);
  const wellFormed = rest.length === 0 && (length === undefined || /^\d{1,3}$/.test(length));
  if (!ip || !wellFormed || prefix === undefined || prefix > ip.bits)
    throw new RangeError("expected an address or range such as 10.0.0.0/8 or ::1");
  return { bits: ip.bits, value: ip.value, prefix };
}

/** True if an address is in one of the ranges; false for anything but an address. */
export function isInRanges(text: string, ranges: readonly IpRange[]): boolean {
  const ip = ranges.length > 0 ? parseIp(text) : undefined;
  if (!ip) return false;
  return ranges.some((range) => isInRange(ip, range));
}

/** True if an address is in a range. */
export function isInRange(ip: IpNumber, range: IpRange): boolean {
  const shift = BigInt(range.bits - range.prefix);
  return range.bits === ip.bits && range.value >> shift === ip.value >> shift;
}
