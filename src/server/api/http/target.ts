// The raw request target, before any URL parser changes it.

/** Path and query of a request; consecutive `/` in the path are merged, nothing is decoded. */
export interface RequestTarget {
  readonly path: string;
  /** Without `?`; "" if there is none. */
  readonly query: string;
}

/**
 * Parses the runtime's raw target, or else the request's URL. Absolute forms (RFC 9112, section 3.2.2) lose
 * their origin; a fragment, which no client should send, is cut.
 */
export function parseTarget(raw: string | undefined, url: string): RequestTarget {
  const whole = raw ?? url;
  const local = whole.startsWith("/") ? whole : whole.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const fragment = local.indexOf("#");
  const text = fragment < 0 ? local : local.slice(0, fragment);
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  return { path: foldSlashes(path), query: mark < 0 ? "" : text.slice(mark + 1) };
}

/** Merges consecutive `/`, with one at the beginning. */
function foldSlashes(path: string): string {
  if (path.startsWith("/") && !path.includes("//")) return path;
  return `/${path}`.replace(/\/{2,}/g, "/");
}
