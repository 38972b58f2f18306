// Hosts and addresses that a source may reach (SSRF protection): a request must never lead the service to
// hosts that only the service can see.

import { isInRanges, parseIp, parseRange, parseUrl } from "../../base/index.ts";

/**
 * Networks that are not part of the public internet, by the setting that allows them (IANA special-purpose
 * address registries, RFC 6890).
 */
const networks = {
  /** Private networks and the machine itself; allowed by `allow_private`. */
  private: [
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "::1/128",
    "fc00::/7",
    "fec0::/10",
  ].map(parseRange),
  /**
   * Link-local networks (with services that hand out credentials), special-purpose and multicast networks;
   * only addresses that the operator names are allowed.
   */
  special: [
    "0.0.0.0/8",
    "169.254.0.0/16",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/128",
    "::/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    // Within fc00::/7: services of AWS that hand out credentials.
    "fd00:ec2::/32",
    "fe80::/10",
    "ff00::/8",
  ].map(parseRange),
} as const;

/**
 * Returns a predicate: true if connections to an address are allowed. `named`: addresses in the
 * configuration, which are always allowed. Anything but an address is refused.
 */
export function addressRule(named: readonly string[], allowPrivate: boolean): (address: string) => boolean {
  const exact = named.filter((host) => parseIp(host)).map((host) => parseRange(removeBrackets(host)));
  return (address) => {
    if (isInRanges(address, exact)) return true;
    if (!parseIp(address) || isInRanges(address, networks.special))
      return isInRanges(address, loopback6) && allowPrivate;
    return allowPrivate || !isInRanges(address, networks.private);
  };
}

/** `::1` is within the range of IPv4-compatible addresses, which is special. */
const loopback6 = [parseRange("::1")];

const removeBrackets = (host: string) => host.replace(/^\[(.*)\]$/, "$1");

/** A host in lower case, with an optional port; without one, the default ports of http and https count. */
export interface AllowedHost {
  readonly hostname: string;
  readonly port: string | undefined;
}

/** Parses `host`, `host:port` or `[v6]:port`; returns undefined for anything else. */
export function parseHost(text: string): AllowedHost | undefined {
  const [, hostname, port] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const url = hostname === undefined ? undefined : parseUrl(`http://${hostname}/`);
  return url && { hostname: url.hostname, port };
}

/**
 * True if the host of a URL is in the list. A host without a port means the default ports of http and https.
 */
export function isAllowedHost(url: URL, hosts: readonly AllowedHost[]): boolean {
  return hosts.some(
    ({ hostname, port }) => url.hostname === hostname && (port ?? "") === effectivePort(url, port),
  );
}

/** Returns the port of a URL; "" for the default one if `named` is undefined. */
function effectivePort(url: URL, named: string | undefined): string {
  if (named === undefined) return url.port;
  return url.port || (url.protocol === "https:" ? "443" : "80");
}
