// The client and the public address that it used: the socket's peer, the Host field, and what proxies report
// about both.

import { type IpRange, inRanges, normalIp } from "../../../lib/network/ip-range.ts";
import { normalHost } from "./host.ts";

export interface ProxyTrust {
  /** Empty means that X-Forwarded-Proto, -Host and -Prefix are trusted from anyone, and -For from no one. */
  readonly proxies: readonly IpRange[];
  /** Configured public URL without a trailing slash; "" to derive it. */
  readonly baseUrl: string;
}

/**
 * Returns the client's address in the form of {@link normalIp}: the peer, or what trusted proxies report,
 * read from the right up to the first address that is not trusted. Returns undefined if it is unknown: a hop
 * that is no address may hide anyone.
 */
export function clientAddress(
  headers: Headers,
  peer: string | undefined,
  trust: ProxyTrust,
): string | undefined {
  const forwarded = headers.get("X-Forwarded-For")?.trim();
  let client = peer;
  for (const hop of forwarded ? forwarded.split(",").reverse() : []) {
    if (!client || !inRanges(client, trust.proxies)) break;
    client = normalIp(hop);
  }
  return client;
}

/** Headers that a derived base URL depends on, for `Vary`. */
export const forwardedHeaders = "X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix";

/**
 * Returns scheme, host and prefix under which the client reached the service, without a trailing slash;
 * undefined if it is not configured and the request names no host.
 */
export function baseUrl(request: Request, peer: string | undefined, trust: ProxyTrust): string | undefined {
  if (trust.baseUrl) return trust.baseUrl;
  const counts = trust.proxies.length === 0 || (peer !== undefined && inRanges(peer, trust.proxies));
  // In lower case, as servers store them: any other spelling is converted at each lookup.
  const forwardedField = (name: `x-forwarded-${string}`) =>
    (counts && request.headers.get(name)?.split(",")[0]?.trim()) || "";
  const told = forwardedField("x-forwarded-proto").toLowerCase();
  const own = request.url.startsWith("https:") ? "https" : "http";
  const scheme = told === "https" || told === "http" ? told : own;
  const host =
    forwardedHost(forwardedField("x-forwarded-host"), forwardedField("x-forwarded-port"), scheme) ??
    normalHost(requestHost(request), scheme);
  return host && `${scheme}://${host}${prefixOf(forwardedField("x-forwarded-prefix"))}`;
}

/**
 * Returns the Host field as received; if it is missing or empty, the authority of the URL, which is then the
 * server's own address.
 */
export function requestHost({ headers, url }: Request): string {
  return headers.get("host") || (/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "");
}

/** Returns the host with the separate port, unless it has a port of its own. */
export function forwardedHost(host: string, port: string, scheme: "http" | "https"): string | undefined {
  return (port && !/:\d+$/.test(host) && normalHost(`${host}:${port}`, scheme)) || normalHost(host, scheme);
}

/** Returns a path prefix in normal form; "" for anything but a plain path. */
export function prefixOf(text: string): string {
  const bare = text.replace(/^\/+|\/+$/g, "");
  return /^[A-Za-z0-9._~%!$&'()*+,;=:@-]+(\/[A-Za-z0-9._~%!$&'()*+,;=:@-]+)*$/.test(bare) &&
    !bare.split("/").some((segment) => segment === "." || segment === "..")
    ? `/${bare}`
    : "";
}
