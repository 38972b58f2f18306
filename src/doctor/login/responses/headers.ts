// Response headers that a proxy may have changed: who may cache a response, and which pages may read it.

import type { Fault } from "../finding.ts";
import { shorten } from "../finding.ts";
import type { VisitorResponse } from "../visitor.ts";
import { isForeign, type LoginWalk } from "../walk.ts";

/** Required words of `Cache-Control` by kind of response. */
const directives = { gated: ["private", "no-cache"], never: ["no-store"] } as const;

/**
 * Returns faults in how caches treat a response. `gated`: for one reader, revalidated each time; `never`: not
 * cached.
 */
export function cachingFaults(
  { headers }: VisitorResponse,
  what: string,
  kind: keyof typeof directives,
): Fault[] {
  const control = headers.get("Cache-Control") ?? "";
  const words = control.toLowerCase().split(/[\s,]+/);
  const vary = (headers.get("Vary") ?? "").toLowerCase().split(/[\s,]+/);
  const age = Number(headers.get("Age") ?? 0);
  const faults: Fault[] = [];
  const isStored = words.includes("no-store") || directives[kind].every((word) => words.includes(word));
  const isOpen = words.includes("public") || words.some((word) => word.startsWith("s-maxage"));
  if (!isStored || isOpen)
    faults.push({
      code: "cache_control",
      text: `${what}: Cache-Control is ${control === "" ? "missing" : shorten(control)}`,
      expected: directives[kind].join(", "),
      advice:
        "Configure the proxy to pass Cache-Control on: without it, caches show one reader's responses to others.",
    });
  if (kind === "gated" && !vary.includes("*") && !(vary.includes("cookie") && vary.includes("authorization")))
    faults.push({
      code: "vary",
      text: `${what}: Vary is ${shorten(headers.get("Vary") ?? "missing")}`,
      expected: "Vary with Cookie and Authorization",
      advice: "Configure the proxy to pass Vary on, and to add to it instead of replacing it.",
    });
  if (age > 0)
    faults.push({
      code: "cached",
      text: `${what}: an answer that a cache kept for ${age} s (Age)`,
      expected: "a response from the service itself",
      advice:
        "Make the cache obey Cache-Control, and empty it: responses with private or no-store are for one reader. In nginx remove proxy_ignore_headers; in a CDN, rules such as cache everything.",
    });
  return faults;
}

/**
 * Checks that pages of the viewer's origin may read a response. `allowed`: configured origins, under the key
 * `key`.
 */
export function corsFault(
  { headers }: VisitorResponse,
  what: string,
  walk: LoginWalk,
  { allowed, key }: { readonly allowed: readonly string[]; readonly key?: string },
): Fault | undefined {
  if (!isForeign(walk)) return undefined;
  const { origin } = walk;
  const value = headers.get("Access-Control-Allow-Origin");
  if (value === "*" || value === origin) return undefined;
  const expected = `Access-Control-Allow-Origin: * or ${origin}`;
  const text = `${what}: Access-Control-Allow-Origin is ${value === null ? "missing" : shorten(value)}`;
  if (value?.includes(","))
    return {
      code: "cors_doubled",
      text,
      expected,
      advice:
        "The proxy adds a header that the service already sends, and browsers refuse both: remove it at the proxy.",
    };
  if (key !== undefined && !allowed.includes("*") && !allowed.includes(origin))
    return { code: key, text, expected, advice: `Add "${origin}" to auth.cors.${key}.` };
  return {
    code: "cors",
    text,
    expected,
    advice: "The service sends it: configure the proxy to pass Access-Control-* headers on.",
  };
}

/** Checks that pages of other origins may embed a response. */
export function resourcePolicyFault(
  { headers }: VisitorResponse,
  what: string,
  walk: LoginWalk,
): Fault | undefined {
  const value = headers.get("Cross-Origin-Resource-Policy");
  if (!isForeign(walk) || value === null || value === "cross-origin") return undefined;
  return {
    code: "resource_policy",
    text: `${what}: Cross-Origin-Resource-Policy is ${shorten(value)}`,
    expected: "cross-origin",
    advice:
      "Configure the proxy not to add this header: with it, browsers hide the response from pages of other sites.",
  };
}
