// Keys that are URLs: one form for all spellings, so that an image has one entry in each cache.

import { parseUrl } from "../../base/index.ts";

/**
 * Returns the normal form of a key that is a URL (RFC 3986, section 6.2.2): scheme and host in lower case,
 * default port and fragment removed, unreserved characters decoded, other escapes in upper case. Path and
 * query are otherwise those of the origin. Returns any other key unchanged.
 */
export function urlKey(key: string): string {
  // The parser would resolve what the source refuses.
  const isRefused = /[\0\\]|(^|\/)\.\.?(\/|$)/.test(key);
  const url = /^https?:\/\//i.test(key) && !isRefused ? parseUrl(key) : undefined;
  if (!url) return key;
  url.hash = "";
  return url.href.replace(/%[0-9a-f]{2}/gi, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(char) ? char : code.toUpperCase();
  });
}
