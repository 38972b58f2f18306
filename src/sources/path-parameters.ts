// Path parameters (RFC 3986, section 3.3): some web servers take what follows a `;` in a segment for no part of the name.

import { parseUrl } from "../lib/network/parse-url.ts";

/** The keys that a web server may read in place of a key, by leaving out path parameters; none where it has none. */
export function withoutParameters(key: string): readonly string[] {
  if (!/;|%3b/i.test(key)) return [];
  const url = urlOf(key);
  if (!url) {
    const plain = stripped(key, /;.*$/s);
    return plain === key || plain === "" ? [] : [plain];
  }
  // Some servers read a path before they decode it, some behind a proxy that has decoded it.
  const { pathname } = url;
  const paths = [pathname, decodedSlashes(pathname)].map((path) => stripped(path, /(;|%3b).*$/is));
  return [...new Set(paths.filter((path) => path !== pathname))].map((path) => {
    const plain = new URL(url);
    plain.pathname = path;
    return plain.href;
  });
}

/** Whether a server that leaves out path parameters would leave a folder for the one above it, as with `..;x`. */
export function leadsUp(key: string): boolean {
  const path = urlOf(key)?.pathname;
  const segments = (path === undefined ? key : decodedSlashes(path).replace(/%2e/gi, ".")).split("/");
  return segments.some((segment) => /^\.{1,2}(;|%3b)/i.test(segment));
}

function urlOf(key: string): URL | undefined {
  return /^https?:\/\//i.test(key) ? parseUrl(key) : undefined;
}

const decodedSlashes = (path: string) => path.replace(/%2f|%5c/gi, "/");

/** A segment that is nothing but parameters goes as a whole. */
function stripped(path: string, parameters: RegExp): string {
  return path
    .split("/")
    .map((segment) => ({ segment, name: segment.replace(parameters, "") }))
    .filter(({ segment, name }) => name !== "" || segment === "")
    .map(({ name }) => name)
    .join("/");
}
