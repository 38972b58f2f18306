// Explains how the ids of a request begin: the setting or header that each part of the base URL comes from,
// which headers were ignored and why, and what is doubtful.

import {
  anonymiseIp,
  type Finding,
  isInRanges,
  isLoopbackHost,
  isSafeTransport,
} from "../../../../base/index.ts";
import { type ProxyTrust, requestHost } from "./client.ts";
import { type HeaderUse, isUnread, type UrlPartName, usesOf } from "./header-uses.ts";
import { normalHost } from "./host.ts";

/** A part of the base URL and its origin. */
export interface UrlPart {
  readonly part: UrlPartName;
  readonly value: string;
  readonly from: string;
}

export interface UrlExplanation {
  readonly parts: readonly UrlPart[];
  readonly headers: readonly HeaderUse[];
  readonly doubts: readonly Finding[];
}

/** Circumstances other than the request and the trust in proxies. */
export interface UrlCircumstances {
  /** As `baseUrl` returns it. */
  readonly base: string;
  readonly peer: string | undefined;
  readonly trust: ProxyTrust;
  /** True if readers log in, which http is not safe for. */
  readonly hasLogins: boolean;
}

/** Explains the base URL of a request. */
export function explainBaseUrl(request: Request, about: UrlCircumstances): UrlExplanation {
  const { base, trust, peer } = about;
  const url = new URL(base);
  const scheme = url.protocol === "https:" ? "https" : "http";
  const uses = usesOf({ headers: request.headers, scheme, peer, trust });
  const fromTrusted = trust.proxies.length === 0 || (peer !== undefined && isInRanges(peer, trust.proxies));
  const originOf = (part: UrlPartName, otherwise: string) => {
    const names = uses.flatMap(({ name, parts }) => (parts.includes(part) ? [name] : []));
    return trust.baseUrl ? "base_url" : names.join(" and ") || otherwise;
  };
  const doubts = checks.flatMap((check) => check(request, { ...about, fromTrusted, uses }) ?? []);
  return {
    parts: [
      { part: "scheme", value: scheme, from: originOf("scheme", "the connection to this service") },
      { part: "host", value: url.host, from: originOf("host", "the field Host") },
      {
        part: "path",
        value: url.pathname.replace(/\/$/, ""),
        from: originOf("path", "no header: there is none"),
      },
    ],
    headers: uses,
    doubts: doubts.length > 0 ? doubts : [good],
  };
}

const good: Finding = {
  level: "good",
  code: "public_url",
  text: "As far as this request shows, the public URL is right. Compare it with the address in your browser anyway.",
};

/** Headers by which a proxy says that its client used https. */
const tlsSigns: Readonly<Record<string, RegExp>> = {
  "x-forwarded-proto": /^https\b/i,
  forwarded: /proto="?https/i,
  "x-forwarded-scheme": /^https$/i,
  "x-forwarded-ssl": /^on$/i,
  "x-scheme": /^https$/i,
  "front-end-https": /^on$/i,
  "cf-visitor": /"scheme":\s*"https"/i,
};

interface Circumstances extends UrlCircumstances {
  readonly fromTrusted: boolean;
  readonly uses: readonly HeaderUse[];
}

/** Says that the client used https although the base URL is http; undefined if nothing indicates that. */
function tlsSign({ headers }: Request, { base, uses }: Circumstances): string | undefined {
  if (!base.startsWith("http:")) return undefined;
  const unread = uses.find(
    ({ name, value, parts }) => !parts.includes("scheme") && tlsSigns[name.toLowerCase()]?.test(value),
  );
  if (unread) return `the header ${unread.name} says so`;
  const seen = headers.get("Origin") ?? headers.get("Referer") ?? "";
  if (/^https:/i.test(seen)) return "your browser came from a page that it loaded over https";
  // Browsers send it only to trusted places: over https, or to this machine (Fetch Metadata, section 3).
  const host = new URL(base).hostname;
  if (headers.has("Sec-Fetch-Site") && !isLoopbackHost(host))
    return "your browser sends Sec-Fetch-Site, which it only does over https";
  return undefined;
}

type Check = (request: Request, about: Circumstances) => Finding | undefined;

const checks: readonly Check[] = [
  function httpBehindTls(request, about) {
    const sign = tlsSign(request, about);
    if (sign === undefined) return undefined;
    return {
      level: "problem",
      code: "http_behind_tls",
      text: `Ids begin with http, but browsers seem to use https: ${sign}. Viewers on https pages cannot load what these ids name.`,
      advice: about.trust.baseUrl
        ? "Write base_url with https."
        : "Set base_url to the address that readers see, or configure the proxy to send X-Forwarded-Proto: https and name its address in trusted_proxies.",
    };
  },
  function untrustedProxy(_, { trust, fromTrusted, peer, uses }) {
    if (trust.baseUrl || fromTrusted || uses.length === 0) return undefined;
    const network = peer === undefined ? undefined : anonymiseIp(peer);
    return {
      level: "problem",
      code: "untrusted_proxy",
      text: `The request brought headers of a proxy${network ? `, from the network ${network}` : ""}, but its address is not in trusted_proxies, so they are ignored.`,
      advice: "If that is your own proxy, add its address to trusted_proxies and restart.",
    };
  },
  function anybodySays(_, { trust, uses }) {
    if (trust.baseUrl || trust.proxies.length > 0) return undefined;
    const counted = uses.some(({ counts }) => counts);
    return {
      level: counted ? "problem" : "note",
      code: "anybody_says",
      text: counted
        ? "Ids follow headers that anybody who reaches this service can send, since neither base_url nor trusted_proxies is set. A cache in front may store the result."
        : "Ids follow the field Host of each request, and would follow X-Forwarded-Proto, -Host and -Prefix from anybody, since neither base_url nor trusted_proxies is set.",
      advice:
        "Set base_url to the address that readers see, or name the addresses of the proxy in trusted_proxies.",
    };
  },
  function unreadHeader(_, { trust, uses }) {
    const unread = uses.filter(isUnread).map(({ name }) => name);
    if (trust.baseUrl || unread.length === 0) return undefined;
    return {
      level: "note",
      code: "unread_header",
      text: `The request brought ${unread.join(", ")}, which this service does not read.`,
      advice:
        "Configure the proxy to send X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-Prefix, or set base_url.",
    };
  },
  function brokenHeader(_, { trust, fromTrusted, uses }) {
    if (trust.baseUrl || !fromTrusted) return undefined;
    const broken = uses.filter(({ isBroken }) => isBroken);
    if (broken.length === 0) return undefined;
    return {
      level: "problem",
      code: "broken_header",
      text: `${broken.map(({ name, why }) => `${name} is ignored: ${why}`).join("; ")}.`,
      advice: "Correct the headers that the proxy sends.",
    };
  },
  function elsewhere(request, { base, trust }) {
    if (!trust.baseUrl) return undefined;
    const { host, hostname } = new URL(base);
    const own = normalHost(requestHost(request), base.startsWith("https:") ? "https" : "http");
    if (own === undefined || own === host || isLoopbackHost(hostname)) return undefined;
    return {
      level: "note",
      code: "other_host",
      text: `base_url names ${host}, and this request asked for ${own}. This happens if you bypass the proxy, or if the proxy changes the Host header.`,
      advice: `Open this page at ${base}/admin/doctor to see it as readers do.`,
    };
  },
  function loopback(_, { base }) {
    if (!isLoopbackHost(new URL(base).hostname)) return undefined;
    return {
      level: "note",
      code: "loopback",
      text: "Ids name this machine (localhost or 127.0.0.1): they work for nobody else.",
      advice: "Open this page at the address that readers use, or set base_url to it.",
    };
  },
  function loginsOverHttp(_, { base, hasLogins }) {
    if (!hasLogins || isSafeTransport(new URL(base))) return undefined;
    return {
      level: "problem",
      code: "logins_over_http",
      text: "Readers log in, but the public URL is http: browsers do not keep login cookies in frames, and passwords are not protected.",
      advice: "Serve the public URL over https, at a proxy, and set base_url to it.",
    };
  },
];
