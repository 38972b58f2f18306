// Addresses of signed links: `/s/{token}` before the path of an image, or `sig={token}` in a query. The token
// is cut out before anything else reads the target, so that no log, trace, report or page has it.

import type { RequestTarget } from "./target.ts";

/** The path that all signed links are below, with a / at its end. */
export const linksPath = "/s/";
/** Its spellings in a raw path (RFC 3986, section 6.2.2.2). */
const linksStart = /^\/(?:s|%73)\//;
/** Parameter with a token. */
export const linkParameter = "sig";

/** Stands in targets where a token was; no token is that. */
const hidden = "*";

export interface SignedTarget {
  readonly token: string;
  /** The path that follows the token; undefined if the token is in the query. */
  readonly path?: string;
}

/** Returns a target without its token, and the token; the same target if it has none. */
export function cutToken(target: RequestTarget): {
  readonly target: RequestTarget;
  readonly signed?: SignedTarget;
} {
  const { path, query } = target;
  const parameter = query.includes(`${linkParameter}=`) ? cutParameter(query) : undefined;
  const [start] = linksStart.exec(path) ?? [];
  if (start !== undefined) {
    const end = path.indexOf("/", start.length);
    const token = path.slice(start.length, end < 0 ? undefined : end);
    const rest = end < 0 ? "/" : path.slice(end);
    return {
      target: { path: linksPath + hidden + rest, query: parameter?.query ?? query },
      signed: { token, path: rest },
    };
  }
  if (!parameter) return { target };
  return { target: { path, query: parameter.query }, signed: { token: parameter.token } };
}

/** Hides all tokens of a query, and returns the first. */
function cutParameter(query: string): { readonly query: string; readonly token: string } | undefined {
  const start = `${linkParameter}=`;
  const parts = query.split("&");
  const first = parts.find((part) => part.startsWith(start));
  if (first === undefined) return undefined;
  return {
    token: first.slice(start.length),
    query: parts.map((part) => (part.startsWith(start) ? start + hidden : part)).join("&"),
  };
}

/** Returns a query without the parameter in which a token was. */
export const withoutToken = (query: string): string =>
  query
    .split("&")
    .filter((part) => !part.startsWith(`${linkParameter}=`))
    .join("&");

/** Returns the public URL that the addresses of an image with a link begin with, instead of `base`. */
export const signedBase = (base: string, token: string): string => base + linksPath + token;
