// Which hosts and addresses a source may reach: a request must never lead the service to what only it can see.

import { inRanges, parseIp, parseRange } from "../lib/network/ip-range.ts";
import { parseUrl } from "../lib/network/parse-url.ts";

/** Networks that are not of the public internet, by what may open them (IANA special-purpose registries, RFC 6890). */
const networks = {
  /** Private networks and the machine itself: `allow_private` opens them. */
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
  /** Link-local (services that give out credentials live there), special and multicast: only an address named by the operator. */
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
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fe80::/10",
    "ff00::/8",
  ].map(parseRange),
} as const;

/**
 * Whether a connection to an address may be made. `named`: addresses that the operator wrote down as such, which are
 * always allowed. What is no address is not.
 */
export function addressRule(named: readonly string[], allowPrivate: boolean): (address: string) => boolean {
  const exact = named.filter((host) => parseIp(host)).map((host) => parseRange(bare(host)));
  return (address) => {
    if (inRanges(address, exact)) return true;
    if (!parseIp(address) || inRanges(address, networks.special))
      return inRanges(address, loopback6) && allowPrivate;
    return allowPrivate || !inRanges(address, networks.private);
  };
}

/** `::1` lies in the range of IPv4-compatible addresses, which is special. */
const loopback6 = [parseRange("::1")];

const bare = (host: string) => host.replace(/^\[(.*)\]$/, "$1");

/** `host` or `host:port`, lower case; without a port any port of http and https counts. */
export interface AllowedHost {
  readonly hostname: string;
  readonly port: string | undefined;
}

/** Reads `host`, `host:port` or `[v6]:port`; undefined for anything else. */
export function parseHost(text: string): AllowedHost | undefined {
  const [, hostname, port] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const url = hostname === undefined ? undefined : parseUrl(`http://${hostname}/`);
  return url && { hostname: url.hostname, port };
}

/** Whether a URL's host is one of those. A host without a port stands for the usual ports of http and https. */
export function isAllowedHost(url: URL, hosts: readonly AllowedHost[]): boolean {
  return hosts.some(
    ({ hostname, port }) => url.hostname === hostname && (port ?? "") === effectivePort(url, port),
  );
}

/** The port of a URL; "" for the usual one where none was named. */
function effectivePort(url: URL, named: string | undefined): string {
  if (named === undefined) return url.port;
  return url.port || (url.protocol === "https:" ? "443" : "80");
}
