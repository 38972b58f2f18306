// Who asks, and under which public address: the socket's peer and what proxies say of it (D-4).

import { type IpRange, inRanges, parseIp } from "../../lib/ip-range.ts";

export interface ProxyTrust {
  /** Empty: X-Forwarded-Proto, -Host and -Prefix count from anyone, -For from no one. */
  readonly proxies: readonly IpRange[];
  /** Configured public URL without trailing slash; "" when it is to be derived. */
  readonly baseUrl: string;
}

/** The client's address: the peer, or what trusted proxies say, read from the right up to the first one not trusted. */
export function clientAddress(
  headers: Headers,
  peer: string | undefined,
  trust: ProxyTrust,
): string | undefined {
  if (!peer || !inRanges(peer, trust.proxies)) return peer;
  const chain = (headers.get("X-Forwarded-For") ?? "").split(",").map((part) => bareAddress(part.trim()));
  let client = peer;
  for (const address of chain.reverse()) {
    if (!parseIp(address)) break; // unknown, hidden or forged: the proxy before it is all that is known
    client = address;
    if (!inRanges(address, trust.proxies)) break;
  }
  return client;
}

/** An address without the port that some proxies append. */
function bareAddress(text: string): string {
  return /^\[([^\]]+)\]/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}

/** Headers that a derived base URL depends on, for `Vary`. */
export const forwardedHeaders = "X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix";

/** Scheme, host and prefix under which the client reached the service, without trailing slash. */
export function baseUrl(request: Request, peer: string | undefined, trust: ProxyTrust): string {
  if (trust.baseUrl) return trust.baseUrl;
  const { url } = request;
  const authority = url.indexOf("://") + 3;
  const counts = trust.proxies.length === 0 || (peer !== undefined && inRanges(peer, trust.proxies));
  // In lower case, as servers keep them: other spellings are made anew for each look.
  const forwarded = (name: `x-forwarded-${string}`) =>
    counts ? request.headers.get(name)?.split(",")[0]?.trim() : undefined;
  const told = forwarded("x-forwarded-proto")?.toLowerCase();
  const proto = told === "https" || told === "http" ? told : url.slice(0, authority - 3);
  const host = validHost(forwarded("x-forwarded-host"));
  const givenPort = forwarded("x-forwarded-port");
  const port = givenPort && /^\d{1,5}$/.test(givenPort) ? givenPort : undefined;
  return `${proto}://${host ? withPort(host, port, proto) : ownHost(url, authority)}${prefixOf(forwarded("x-forwarded-prefix"))}`;
}

/** The host of a request's URL, which is in normal form, from where its authority begins. */
function ownHost(url: string, authority: number): string {
  const end = url.slice(authority).search(/[/?#]/);
  return end < 0 ? url.slice(authority) : url.slice(authority, authority + end);
}

function validHost(host: string | undefined): string | undefined {
  return host && /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/.test(host) ? host : undefined;
}

function withPort(host: string, port: string | undefined, proto: string): string {
  const bare = host.replace(proto === "https" ? /:443$/ : /:80$/, "");
  const standard = proto === "https" ? "443" : "80";
  return port && port !== standard && !/:\d+$/.test(host) ? `${bare}:${port}` : bare;
}

/** A path prefix in normal form; nothing for what is no plain path. */
function prefixOf(text: string | undefined): string {
  const bare = text?.replace(/^\/+|\/+$/g, "");
  return bare &&
    /^[A-Za-z0-9._~%!$&'()*+,;=:@-]+(\/[A-Za-z0-9._~%!$&'()*+,;=:@-]+)*$/.test(bare) &&
    !bare.split("/").includes("..")
    ? `/${bare}`
    : "";
}
