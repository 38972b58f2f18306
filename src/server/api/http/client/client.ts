// The client and the public address that it used: the socket's peer, the Host field, and what proxies report
// about both. X-Forwarded-For, -Proto, -Host and -Port take precedence over Forwarded (forwarded.ts).

import { type IpRange, isInRanges, normaliseIp, plainSegments, trimSlashes } from "../../../../base/index.ts";
import { isForwarded, readForwarded } from "./forwarded.ts";
import { normalHost } from "./host.ts";

export interface ProxyTrust {
  /**
   * Empty means that X-Forwarded-Proto, -Host, -Port and -Prefix are trusted from anyone, and all others from
   * no one.
   */
  readonly proxies: readonly IpRange[];
  /** Configured public URL without a trailing slash; "" to derive it. */
  readonly baseUrl: string;
}

/**
 * Returns the client's address in the form of {@link normaliseIp}: the peer, or what trusted proxies report,
 * read from the right up to the first address that is not trusted. Returns undefined if it is unknown: a hop
 * that is no address may hide anyone.
 */
export function clientAddress(
  headers: Headers,
  peer: string | undefined,
  trust: Pick<ProxyTrust, "proxies">,
): string | undefined {
  if (peer === undefined || !isInRanges(peer, trust.proxies)) return peer;
  const hops = headers.get("x-forwarded-for")?.trim();
  if (!hops) {
    const forwarding = readForwarded(headers, peer, trust.proxies);
    return forwarding ? forwarding.client : peer;
  }
  let client: string | undefined = peer;
  for (let end = hops.length; end >= 0 && client && isInRanges(client, trust.proxies); ) {
    const begin = end > 0 ? hops.lastIndexOf(",", end - 1) : -1;
    client = normaliseIp(hops.slice(begin + 1, end));
    end = begin;
  }
  return client;
}

/**
 * Returns the headers that a derived base URL depends on, for `Vary`: Forwarded and those of Cantaloupe only
 * if there are trusted proxies.
 */
export const forwardedHeaders = ({ proxies }: Pick<ProxyTrust, "proxies">): string =>
  proxies.length === 0
    ? "X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix"
    : "Forwarded, X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix, X-Forwarded-BasePath, X-Forwarded-Path";

/**
 * Headers that name the path prefix: the first one that a request has decides. The last two are those of
 * Cantaloupe, 5 and before, and count from trusted proxies alone: other proxies mean other paths by them.
 */
export const prefixHeaders = {
  "x-forwarded-prefix": "X-Forwarded-Prefix",
  "x-forwarded-basepath": "X-Forwarded-BasePath",
  "x-forwarded-path": "X-Forwarded-Path",
} as const;

/** A header that names a part of the public URL. */
export type ForwardedField =
  | "Forwarded"
  | "X-Forwarded-Host"
  | (typeof prefixHeaders)[keyof typeof prefixHeaders];

/**
 * Returns scheme, host and prefix under which the client reached the service, without a trailing slash;
 * undefined if it is not configured and the request names no host. `ignored` receives each trusted header
 * that names no host or no prefix, with its value; Forwarded also if it breaks the grammar.
 */
export function baseUrl(
  request: Request,
  peer: string | undefined,
  trust: ProxyTrust,
  ignored?: (field: ForwardedField, value: string) => void,
): string | undefined {
  if (trust.baseUrl) return trust.baseUrl;
  const hasProxies = trust.proxies.length > 0;
  const isTrusted = hasProxies && peer !== undefined && isInRanges(peer, trust.proxies);
  const counts = isTrusted || !hasProxies;
  const { headers } = request;
  // In lower case, as servers store them: any other spelling is converted at each lookup.
  const forwardedField = (name: `x-forwarded-${string}`) =>
    (counts && headers.get(name)?.split(",")[0]?.trim()) || "";
  const forwarding = isTrusted ? readForwarded(headers, peer, trust.proxies) : undefined;
  const stated = (forwarding?.proto ?? forwardedField("x-forwarded-proto")).toLowerCase();
  const own = request.url.startsWith("https:") ? "https" : "http";
  const scheme = stated === "https" || stated === "http" ? stated : own;
  const namedHost = forwarding?.host ?? forwardedField("x-forwarded-host");
  const outer = namedHost && forwardedHost(namedHost, forwardedField("x-forwarded-port"), scheme);
  if (forwarding) {
    const text = headers.get("forwarded") ?? "";
    // A proxy may hide its client.
    const isBroken = outer === undefined || (forwarding.client === undefined && !isForwarded(text));
    if (isBroken) ignored?.("Forwarded", text);
  } else if (outer === undefined) ignored?.("X-Forwarded-Host", namedHost);
  const prefix = counts ? forwardedPrefix(headers, isTrusted, ignored) : "";
  const host = outer || normalHost(requestHost(request), scheme);
  return host && `${scheme}://${host}${prefix}`;
}

/** Returns the path prefix that a request names, in normal form; "" if there is none. */
function forwardedPrefix(
  headers: Headers,
  isTrusted: boolean,
  ignored?: (field: ForwardedField, value: string) => void,
): string {
  let name: keyof typeof prefixHeaders;
  for (name in prefixHeaders) {
    const named = headers.get(name)?.split(",")[0]?.trim();
    if (named) {
      const prefix = prefixOf(named);
      if (prefix === "" && /[^/]/.test(named)) ignored?.(prefixHeaders[name], named);
      return prefix;
    }
    if (!isTrusted) break;
  }
  return "";
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
export const maxPrefixLength = 200;
/** Segments of RFC 3986, section 3.3, between slashes. */
const prefixForm = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|\/)+$/;

/**
 * Returns a path prefix in normal form; "" for anything but a path of at most 200 characters whose segments,
 * decoded, are plain: not empty, `.` or `..`, without slash or backslash.
 */
export function prefixOf(text: string): string {
  if (text.length > maxPrefixLength || !prefixForm.test(text)) return "";
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
