// Path parameters (RFC 3986, section 3.3): some web servers ignore the part of a path segment after a `;`.

import { parseUrl } from "../../base/index.ts";

/**
 * Returns the keys that a web server which ignores path parameters may read instead of a key; empty if the
 * key has none.
 */
export function withoutParameters(key: string): readonly string[] {
  if (!/;|%3b/i.test(key)) return [];
  const url = urlOf(key);
  if (!url) {
    const plain = strip(key, /;.*$/s);
    return plain === key || plain === "" ? [] : [plain];
  }
  // Some servers remove parameters before they decode the path, others after a proxy has decoded it.
  const { pathname } = url;
  const paths = [pathname, decodedSlashes(pathname)].map((path) => strip(path, /(;|%3b).*$/is));
  return [...new Set(paths.filter((path) => path !== pathname))].map((path) => {
    const plain = new URL(url);
    plain.pathname = path;
    return plain.href;
  });
}

/** True if a server that ignores path parameters would resolve a segment as `.` or `..`, as with `..;x`. */
export function leadsUp(key: string): boolean {
  const path = urlOf(key)?.pathname;
  const segments = (path === undefined ? key : decodedSlashes(path).replace(/%2e/gi, ".")).split("/");
  return segments.some((segment) => /^\.{1,2}(;|%3b)/i.test(segment));
}

function urlOf(key: string): URL | undefined {
  return /^https?:\/\//i.test(key) ? parseUrl(key) : undefined;
}

const decodedSlashes = (path: string) => path.replace(/%2f|%5c/gi, "/");

/** Removes parameters, and segments that consist only of them. */
function strip(path: string, parameters: RegExp): string {
  return path
    .split("/")
    .map((segment) => ({ segment, name: segment.replace(parameters, "") }))
    .filter(({ segment, name }) => name !== "" || segment === "")
    .map(({ name }) => name)
    .join("/");
}
