// Masters on web servers. The operator chooses the allowed hosts; each connection also checks the addresses
// to which a name resolves.

import {
  type CheckedGet,
  certificateFault,
  type Platform,
  parseIp,
  parseUrl,
  ServiceError,
  secretOf,
} from "../../base/index.ts";
import { type AllowedHost, addressRule, isAllowedHost, parseHost } from "./addresses.ts";
import { badKey, keySegments } from "./key.ts";
import type { HttpSourceOptions } from "./options.ts";
import { leadsUp } from "./path-parameters.ts";
import { originError, type Remote } from "./remote.ts";
import { getRange, type RetryPolicy, usualRetries } from "./remote-http.ts";

/** Placeholder of the identifier in a URL template. */
export const placeholder = "{identifier}";

/** Codes of permanent connection errors, by name of the error; all others may be temporary. */
const codeOf: Readonly<Record<string, Parameters<typeof originError>[0]>> = {
  RefusedAddress: "origin_not_allowed",
  UnusableStatus: "origin_bad_answer",
};

/** Maximum number of redirects followed for one request. */
const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** True if a header is only for the host in the URL template. */
const isPrivateHeader = (name: string) =>
  /^(authorization|cookie|proxy-authorization|x-api-key)$/i.test(name);

/**
 * Creates the remote of an HTTP source, which reads masters through its URL template. Its `get` throws
 * ServiceError `source` (code origin_not_allowed) if a redirect or the identifier leads to a host that is not
 * allowed, or a name resolves to an address that is not.
 */
export function httpRemote(
  options: HttpSourceOptions,
  platform: Pick<Platform, "checkedGet" | "env">,
  retries: RetryPolicy = usualRetries,
  userAgent = "smalti",
): Remote {
  const { url: template, auth_env, allowed_hosts, allow_private } = options;
  const fixed = fixedHost(template);
  const hosts = [...(fixed ? [fixed] : []), ...allowed_hosts.map((host) => parseHost(host) as AllowedHost)];
  const allowed = addressRule(
    hosts.map(({ hostname }) => hostname),
    allow_private,
  );
  const get: CheckedGet = platform.checkedGet?.(allowed) ?? literalsChecked(allowed);
  const own = ownHeaders(options, userAgent);
  if (auth_env) own.Authorization = secretOf(auth_env, platform.env);

  const urlOf = (key: string): URL => {
    const url = template === placeholder ? ownUrl(key) : new URL(fillTemplate(template, key));
    if (!isAllowedHost(url, hosts)) throw originError("origin_not_allowed", url.host);
    return url;
  };

  const getFrom = async (
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> => {
    try {
      return await get(url, { headers, signal });
    } catch (error) {
      const code = codeOf[(error as Error)?.name];
      if (code) throw originError(code, error);
      const fault = certificateFault(error);
      if (!fault) throw error;
      // Another attempt would end in the same way.
      const named = new Error(`the certificate of ${url.host} ${fault}.`, { cause: error });
      throw originError("origin_unavailable", named);
    }
  };

  const send = async (
    from: URL,
    range: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> => {
    let url = from;
    for (let hop = 0; ; hop++) {
      // If the identifier determines the scheme, it must not cause a secret to be sent unencrypted.
      const trusted = url.host === from.host && (fixed !== undefined || url.protocol === "https:");
      const shown = Object.entries(own).filter(([name]) => trusted || !isPrivateHeader(name));
      const response = await getFrom(url, { ...Object.fromEntries(shown), ...range }, signal);
      const location = redirects.has(response.status) ? response.headers.get("location") : null;
      if (location === null) return response;
      await response.body?.cancel().catch(() => {});
      if (hop >= maxRedirects) throw originError("origin_bad_answer", "too many redirects");
      const next = parseUrl(location, url);
      if (!next || !isWeb(next) || !isAllowedHost(next, hosts))
        throw originError("origin_not_allowed", `a redirect to ${next?.host ?? "no URL"}`);
      // A TLS request does not follow a redirect to an unencrypted URL.
      if (url.protocol === "https:" && next.protocol === "http:")
        throw originError("origin_not_allowed", "a redirect from https to http");
      url = next;
    }
  };

  return {
    checkKey(key) {
      if (template === placeholder) ownUrl(key);
      else segmentsOf(key);
    },
    async get(key, range, known, signal, traceHeaders) {
      const url = urlOf(key);
      return getRange(
        (headers, limit) => send(url, headers, limit),
        { range, known, signal, traceHeaders },
        retries,
      );
    },
    async check(signal) {
      if (!fixed) return; // the host depends on the identifier
      const url = new URL(fillTemplate(template, "x"));
      url.pathname = "/";
      url.search = "";
      let response: Response;
      try {
        // A redirect is not followed: the target of a server's root page says nothing about its masters.
        response = await getFrom(url, { ...own, Range: "bytes=0-0", "Accept-Encoding": "identity" }, signal);
      } catch (error) {
        throw new Error(problemOf(error));
      }
      await response.body?.cancel().catch(() => {});
      if (response.status >= 500)
        throw new Error(`the host of url answers with status ${response.status}. Check its log.`);
    },
  };
}

/** Some servers refuse requests without it. Images are preferred to other representations. */
const accept = "image/*, */*;q=0.8";

/** Returns the headers of every request: those of the operator, and usual ones that are not among them. */
function ownHeaders(
  { headers, user_agent }: Pick<HttpSourceOptions, "headers" | "user_agent">,
  userAgent: string,
): Record<string, string> {
  const usual = { "User-Agent": user_agent || userAgent, Accept: accept };
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const left = Object.entries(usual).filter(([name]) => !given.has(name.toLowerCase()));
  return { ...Object.fromEntries(left), ...headers };
}

/** Returns why the host of a template cannot be used, in words for the operator and without its address. */
function problemOf(error: unknown): string {
  const fault = certificateFault(error);
  if (fault) return `the certificate of the host of url ${fault}.`;
  return error instanceof ServiceError && error.code === "origin_not_allowed"
    ? "the host of url resolves to an address that is not allowed. Set allow_private if this is intended."
    : "the host of url does not respond. Start its server, or correct url.";
}

/** Returns the part of the configuration that cache keys contain. */
export const httpFingerprint = ({ url }: Pick<HttpSourceOptions, "url">): string => `http ${url}`;

/** Returns the host of a template; undefined if the identifier itself is the URL. */
export function fixedHost(template: string): AllowedHost | undefined {
  if (template === placeholder) return undefined;
  const url = new URL(fillTemplate(template, "x"));
  return parseHost(url.port === "" ? url.hostname : url.host);
}

/** Returns the template with the percent-encoded segments of a key in place of the identifier. */
function fillTemplate(template: string, key: string): string {
  const path = segmentsOf(key).map(encodeURIComponent).join("/");
  return template.replaceAll(placeholder, () => path);
}

/** Returns the segments of a key. Throws `bad-request` if a web server may take one for a parent folder. */
function segmentsOf(key: string): readonly string[] {
  const segments = keySegments(key);
  if (leadsUp(key)) throw badKey();
  return segments;
}

const isWeb = (url: URL) => /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";

/** Parses an identifier that is itself a URL. Throws ServiceError `bad-request` for anything else. */
function ownUrl(key: string): URL {
  const url = /^https?:\/\/[^/\\]/i.test(key) ? parseUrl(key) : undefined;
  const plain = url && isWeb(url) && !/[\0\\]|(^|\/)\.\.?(\/|$)/.test(key) && !leadsUp(key);
  if (!url || !plain)
    throw new ServiceError(
      "bad-request",
      "An identifier of this source is expected to be an http or https URL, without user name, password and . or .. parts. Correct the identifier.",
      { code: "bad_identifier" },
    );
  url.hash = "";
  return url;
}

/**
 * Returns a GET that checks literal addresses in URLs, for runtimes that have their own rules for resolved
 * names.
 */
function literalsChecked(allowed: (address: string) => boolean): CheckedGet {
  return async (url, { headers, signal }) => {
    if (parseIp(url.hostname) && !allowed(url.hostname))
      throw originError("origin_not_allowed", url.hostname);
    return fetch(url, { headers, redirect: "manual", ...(signal ? { signal } : {}) });
  };
}
