// The session cookie in a browser: checks that it would be stored, and sent to the services and images.

import { isSafeTransport } from "../../../base/index.ts";
import { type Fault, shorten } from "../finding.ts";
import { coversPath } from "../responses/addresses.ts";
import type { VisitorResponse } from "../visitor.ts";
import { type LoginWalk, type Outcome, oneOfEach } from "../walk.ts";

/** A cookie that a response sets, with its attributes by lower-case name. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Returns the cookies of a response (RFC 6265, section 5.2). */
export function setCookies({ headers }: VisitorResponse): SetCookie[] {
  return headers.getSetCookie().map((line) => {
    const [[name, value] = ["", ""], ...attributes] = line.split(";").map(pairOf);
    return { name, value, attributes: new Map(attributes.map(([key, text]) => [key.toLowerCase(), text])) };
  });
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text.trim(), ""] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/**
 * Checks the cookie of a login. The value is the header that a browser would send with it; undefined without
 * a cookie.
 */
export function lookAtCookie(walk: LoginWalk, login: VisitorResponse): Outcome<string | undefined> {
  const { name } = walk.options.auth.cookie;
  const set = setCookies(login);
  const found = set.find((cookie) => cookie.name === name && cookie.value !== "");
  if (!found) return { text: "", faults: [missingFault(name, set)], value: undefined };
  const faults = [...scopeFaults(walk, found), ...attributeFaults(walk, found)];
  const path = found.attributes.get("path") ?? "";
  return {
    text: `${name} for the path ${shorten(path)}, Secure, HttpOnly, SameSite=None`,
    faults: oneOfEach(faults),
    value: `${name}=${found.value}`,
  };
}

function missingFault(name: string, set: readonly SetCookie[]): Fault {
  const others = set.map((each) => each.name);
  return {
    code: others.length > 0 ? "cookie_renamed" : "cookie_stripped",
    text:
      others.length > 0
        ? `the login sets no cookie ${name}, but ${shorten(others.join(", "))}`
        : "the login sets no cookie",
    expected: `Set-Cookie with ${name}`,
    advice:
      others.length > 0
        ? "Give the doctor the configuration of the service that responds, or configure the proxy not to rename cookies."
        : "Configure the proxy to pass Set-Cookie on. In nginx remove proxy_hide_header Set-Cookie; caches strip it if they are told to store login pages.",
  };
}

/** Returns faults of path and domain, because of which a browser would not send it. */
function scopeFaults({ base, options }: LoginWalk, { attributes }: SetCookie): (Fault | undefined)[] {
  const { hostname, pathname } = new URL(base);
  const folder = pathname.replace(/\/+$/, "");
  const path = attributes.get("path") || "/";
  const domain = attributes.get("domain")?.replace(/^\./, "").toLowerCase();
  const own = options.auth.cookie.path;
  return [
    coversPath(path, `${folder}/iiif/`)
      ? undefined
      : {
          code: "cookie_path",
          text: `the cookie is for the path ${shorten(path)}, to which ${folder}/iiif/… does not belong`,
          expected: `the path ${folder || "/"}`,
          advice:
            own !== ""
              ? `Remove auth.cookie.path, which is ${own}, or write ${folder || "/"} there.`
              : `Write base_url: "${base}" in the configuration, and configure the proxy not to rewrite the path of cookies.`,
        },
    domain && hostname !== domain && !hostname.endsWith(`.${domain}`)
      ? {
          code: "cookie_domain",
          text: `the cookie is for the domain ${shorten(domain)}`,
          expected: `no domain, or ${hostname}`,
          advice: "Configure the proxy not to rewrite the domain of cookies (in nginx: proxy_cookie_domain).",
        }
      : undefined,
  ];
}

function attributeFaults(
  { base, options }: LoginWalk,
  { name, attributes }: SetCookie,
): (Fault | undefined)[] {
  const pass = "Configure the proxy to pass Set-Cookie on unchanged (in nginx: proxy_cookie_flags).";
  const sameSite = attributes.get("samesite")?.toLowerCase();
  const expires = Date.parse(attributes.get("expires") ?? "");
  const fault = (code: string, text: string, expected: string, advice = pass): Fault => ({
    code,
    text,
    expected,
    advice,
  });
  return [
    attributes.has("secure")
      ? undefined
      : fault(
          "cookie_secure",
          "the cookie is not Secure",
          "Secure, without which browsers refuse SameSite=None",
        ),
    attributes.has("httponly")
      ? undefined
      : fault("cookie_http_only", "the cookie is not HttpOnly", "HttpOnly, so that no script reads it"),
    sameSite === "none"
      ? undefined
      : fault(
          "cookie_same_site",
          `the cookie is SameSite=${shorten(sameSite ?? "(missing)")}`,
          "SameSite=None, without which viewers on other sites get no tiles",
        ),
    expires <= Date.now()
      ? fault(
          "clock",
          "the cookie has already expired by the clock of this machine",
          `a cookie that lives for ${options.auth.session_ttl}`,
          "Set the clocks of the service and of this machine with NTP.",
        )
      : undefined,
    /^__host-/i.test(name) && attributes.get("path") !== "/"
      ? fault(
          "cookie_prefix",
          `the cookie ${name} has the path ${shorten(attributes.get("path") ?? "")}`,
          "the path /, which browsers demand of names that begin with __Host-",
          "Choose another auth.cookie.name, such as __Secure-session.",
        )
      : undefined,
    isSafeTransport(new URL(base)) ? undefined : { ...noHttps(base), code: "no_https" },
  ];
}

/** The fault of an address for which browsers store no session cookie. */
export const noHttps = (base: string): Fault => ({
  code: "no_https",
  text: `${new URL(base).origin} is plain http`,
  expected: "https: otherwise browsers drop the session cookie, except for localhost",
  advice:
    "Put a proxy with a certificate in front, set base_url to its https address, and give that with --url.",
});
