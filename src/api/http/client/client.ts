// The client and the public address that it used: the socket's peer, the Host field, and what proxies report
// about both.

import { type IpRange, inRanges, normalIp } from "../../../lib/network/ip-range.ts";
import { plainSegments } from "../../../lib/text/plain-segments.ts";
import { trimSlashes } from "../../../lib/text/trim-ends.ts";
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

/** A header that names a part of the public URL. */
export type ForwardedField = "X-Forwarded-Host" | "X-Forwarded-Prefix";

/**
 * Returns scheme, host and prefix under which the client reached the service, without a trailing slash;
 * undefined if it is not configured and the request names no host. `ignored` receives each trusted header
 * that names no host or no prefix, with its value.
 */
export function baseUrl(
  request: Request,
  peer: string | undefined,
  trust: ProxyTrust,
  ignored?: (field: ForwardedField, value: string) => void,
): string | undefined {
  if (trust.baseUrl) return trust.baseUrl;
  const counts = trust.proxies.length === 0 || (peer !== undefined && inRanges(peer, trust.proxies));
  // In lower case, as servers store them: any other spelling is converted at each lookup.
  const forwardedField = (name: `x-forwarded-${string}`) =>
    (counts && request.headers.get(name)?.split(",")[0]?.trim()) || "";
  const told = forwardedField("x-forwarded-proto").toLowerCase();
  const own = request.url.startsWith("https:") ? "https" : "http";
  const scheme = told === "https" || told === "http" ? told : own;
  const namedHost = forwardedField("x-forwarded-host");
  const outer = namedHost && forwardedHost(namedHost, forwardedField("x-forwarded-port"), scheme);
  if (outer === undefined) ignored?.("X-Forwarded-Host", namedHost);
  const namedPrefix = forwardedField("x-forwarded-prefix");
  const prefix = prefixOf(namedPrefix);
  if (prefix === "" && /[^/]/.test(namedPrefix)) ignored?.("X-Forwarded-Prefix", namedPrefix);
  const host = outer || normalHost(requestHost(request), scheme);
  return host && `${scheme}://${host}${prefix}`;
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

/** Longest forwarded prefix in characters: every id in a document repeats it. */
export const longestPrefix = 200;
/** Segments of RFC 3986, section 3.3, between slashes. */
const prefixForm = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|\/)+$/;

/**
 * Returns a path prefix in normal form; "" for anything but a path of at most 200 characters whose segments,
 * decoded, are plain: not empty, `.` or `..`, without slash or backslash.
 */
export function prefixOf(text: string): string {
  if (text.length > longestPrefix || !prefixForm.test(text)) return "";
  const bare = trimSlashes(text);
  return bare !== "" && bare.split("/").every(isPlain) ? `/${bare}` : "";
}

function isPlain(segment: string): boolean {
  try {
    return plainSegments(decodeURIComponent(segment))?.length === 1;
  } catch {
    return false; // bytes that are no UTF-8
  }
}
