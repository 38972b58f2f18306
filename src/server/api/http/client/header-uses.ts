// Explains the headers of proxies in a request: which of them count for the public URL, and why the others do
// not.

import { type IpRange, isInRanges } from "../../../../base/index.ts";
import { forwardedHost, maxPrefixLength, prefixHeaders, prefixOf } from "./client.ts";
import { hasForwarded, isForwarded, maxForwarded, readForwarded } from "./forwarded.ts";
import { maxHost } from "./host.ts";

export type UrlPartName = "scheme" | "host" | "path";

/** A header about the public URL in a request. */
export interface HeaderUse {
  readonly name: string;
  readonly value: string;
  readonly counts: boolean;
  /** Why, or why not. */
  readonly why: string;
  /** The parts that it decides about; none if it does not count. */
  readonly parts: readonly UrlPartName[];
  /** True if it is read, but its value cannot be used. */
  readonly isBroken: boolean;
}

export interface HeaderCircumstances {
  readonly headers: Headers;
  /** Scheme of the base URL. */
  readonly scheme: "http" | "https";
  readonly peer: string | undefined;
  readonly trust: { readonly proxies: readonly IpRange[]; readonly baseUrl: string };
}

/** The parts that a trusted header decides about, or why it decides about none. */
interface Verdict {
  readonly parts?: readonly UrlPartName[];
  readonly otherwise?: string;
  readonly isBroken?: true;
}

interface ReadHeader {
  /** True if it never counts from anyone, also while trusted_proxies is empty. */
  readonly fromProxiesOnly?: true;
  judge(about: HeaderCircumstances, value: string): Verdict;
}

const first = (headers: Headers, name: string) => headers.get(name)?.split(",")[0]?.trim() ?? "";

const prefixHeader = (own: keyof typeof prefixHeaders): ReadHeader => ({
  judge({ headers }) {
    const names = Object.keys(prefixHeaders) as (typeof own)[];
    const decisive = names.find((name) => first(headers, name) !== "") ?? own;
    if (decisive !== own) return { otherwise: `${prefixHeaders[decisive]} takes precedence over it` };
    if (prefixOf(first(headers, own)) !== "") return { parts: ["path"] };
    return { otherwise: `it is not a plain path of at most ${maxPrefixLength} characters`, isBroken: true };
  },
});

/** The headers that are read, in the order of their precedence for each part. */
const readHeaders: Readonly<Record<string, ReadHeader>> = {
  "x-forwarded-proto": {
    judge: ({ headers }) =>
      /^https?$/i.test(first(headers, "x-forwarded-proto"))
        ? { parts: ["scheme"] }
        : { otherwise: "it is neither http nor https", isBroken: true },
  },
  "x-forwarded-host": {
    judge: ({ headers, scheme }) =>
      forwardedHost(first(headers, "x-forwarded-host"), "", scheme) !== undefined
        ? { parts: ["host"] }
        : {
            otherwise: `it is not a host name or address of at most ${maxHost} characters`,
            isBroken: true,
          },
  },
  "x-forwarded-port": {
    judge({ headers, scheme }) {
      const host = first(headers, "x-forwarded-host");
      const alone = forwardedHost(host, "", scheme);
      const isUsed = forwardedHost(host, first(headers, "x-forwarded-port"), scheme) !== alone;
      if (alone !== undefined && isUsed) return { parts: ["host"] };
      return {
        otherwise: "it counts with an X-Forwarded-Host that has no port, if it is not the scheme's default",
      };
    },
  },
  forwarded: {
    fromProxiesOnly: true,
    judge({ headers, peer, scheme, trust }, value) {
      if (!hasForwarded(headers))
        return { otherwise: "X-Forwarded-For, -Proto, -Host and -Port take precedence over it" };
      const { proto = "", host = "" } = readForwarded(headers, peer, trust.proxies) ?? {};
      const isScheme = /^https?$/i.test(proto);
      const isHost = host !== "" && forwardedHost(host, "", scheme) !== undefined;
      if (isScheme || isHost)
        return {
          parts: (["scheme", "host"] as const).filter((part) => (part === "host" ? isHost : isScheme)),
        };
      if (host === "" && isForwarded(value))
        return { otherwise: "what trusted proxies wrote in it names neither a host nor a scheme" };
      return {
        otherwise: `it does not follow RFC 7239 in at most ${maxForwarded} characters, or names a host that is none`,
        isBroken: true,
      };
    },
  },
  "x-forwarded-prefix": prefixHeader("x-forwarded-prefix"),
  "x-forwarded-basepath": { ...prefixHeader("x-forwarded-basepath"), fromProxiesOnly: true },
  "x-forwarded-path": { ...prefixHeader("x-forwarded-path"), fromProxiesOnly: true },
};

/** Proxy headers with the same meaning that are not read. */
const otherHeaders = [
  "x-forwarded-scheme",
  "x-forwarded-ssl",
  "x-forwarded-server",
  "x-scheme",
  "x-original-host",
  "front-end-https",
  "cf-visitor",
] as const;

/** True for a header that is not read although other services do. */
export const isUnread = ({ name }: HeaderUse): boolean =>
  (otherHeaders as readonly string[]).includes(name.toLowerCase());

/** Characters of a value that are shown. */
const maxLength = 200;

/** Returns the uses of all headers about the public URL that a request has. */
export function usesOf(about: HeaderCircumstances): HeaderUse[] {
  const trusted =
    about.trust.proxies.length > 0
      ? "it came from an address in trusted_proxies"
      : "trusted_proxies is empty, so it counts from anybody";
  return [...Object.keys(readHeaders), ...otherHeaders].flatMap((name) => {
    const value = about.headers.get(name);
    if (value === null) return [];
    const { parts = [], otherwise = trusted, isBroken = false } = verdictOf(name, value, about);
    const counts = parts.length > 0;
    return [
      { name: spellHeader(name), value: value.slice(0, maxLength), counts, why: otherwise, parts, isBroken },
    ];
  });
}

function verdictOf(name: string, value: string, about: HeaderCircumstances): Verdict {
  const { baseUrl, proxies } = about.trust;
  const read = readHeaders[name];
  if (!read) return { otherwise: "this service does not read it" };
  if (baseUrl) return { otherwise: "base_url is set, and it alone decides" };
  if (proxies.length === 0 && read.fromProxiesOnly)
    return { otherwise: "it counts only from an address in trusted_proxies, which is empty" };
  if (proxies.length > 0 && (about.peer === undefined || !isInRanges(about.peer, proxies)))
    return { otherwise: "it did not come from an address in trusted_proxies" };
  return read.judge(about, value);
}

/** Returns the usual spelling of a header: `X-Forwarded-Proto`. */
const spellHeader = (name: string) =>
  name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()).replace("Basepath", "BasePath");
