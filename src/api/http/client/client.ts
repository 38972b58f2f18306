// Who asks, and under which public address: the socket's peer, the Host field, and what proxies say of both.

import { type IpRange, inRanges, normalIp } from "../../../lib/network/ip-range.ts";
import { normalHost } from "./host.ts";

export interface ProxyTrust {
  /** Empty: X-Forwarded-Proto, -Host and -Prefix count from anyone, -For from no one. */
  readonly proxies: readonly IpRange[];
  /** Configured public URL without trailing slash; "" when it is to be derived. */
  readonly baseUrl: string;
}

/**
 * The client's address in the form of {@link normalIp}: the peer, or what trusted proxies say, read from the right up to the
 * first one that is not trusted. Undefined where it is unknown: a hop that is no address may hide anyone.
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
 * Scheme, host and prefix under which the client reached the service, without trailing slash. Undefined where it is not
 * configured and the request names no host.
 */
export function baseUrl(request: Request, peer: string | undefined, trust: ProxyTrust): string | undefined {
  if (trust.baseUrl) return trust.baseUrl;
  const counts = trust.proxies.length === 0 || (peer !== undefined && inRanges(peer, trust.proxies));
  // In lower case, as servers keep them: any other spelling is converted at each look.
  const forwarded = (name: `x-forwarded-${string}`) =>
    (counts && request.headers.get(name)?.split(",")[0]?.trim()) || "";
  const told = forwarded("x-forwarded-proto").toLowerCase();
  const own = request.url.startsWith("https:") ? "https" : "http";
  const scheme = told === "https" || told === "http" ? told : own;
  const host =
    forwardedHost(forwarded("x-forwarded-host"), forwarded("x-forwarded-port"), scheme) ??
    normalHost(requestHost(request), scheme);
  return host && `${scheme}://${host}${prefixOf(forwarded("x-forwarded-prefix"))}`;
}

/** The Host field as it came; where it is missing or empty, the authority of the URL, which is then where the server listens. */
export function requestHost({ headers, url }: Request): string {
  return headers.get("host") || (/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "");
}

/** The host with the port beside it, where it has none of its own. */
export function forwardedHost(host: string, port: string, scheme: "http" | "https"): string | undefined {
  return (port && !/:\d+$/.test(host) && normalHost(`${host}:${port}`, scheme)) || normalHost(host, scheme);
}

/** A path prefix in normal form; nothing for what is no plain path. */
export function prefixOf(text: string): string {
  const bare = text.replace(/^\/+|\/+$/g, "");
  return /^[A-Za-z0-9._~%!$&'()*+,;=:@-]+(\/[A-Za-z0-9._~%!$&'()*+,;=:@-]+)*$/.test(bare) &&
    !bare.split("/").some((segment) => segment === "." || segment === "..")
    ? `/${bare}`
    : "";
}
