// Identifies a reader by a header from a proxy.

import { type IpRange, isInRanges } from "../../../base/index.ts";
import type { Caller } from "../access.ts";

/** Apache writes `(null)` if the variable that a header is set from has no value (mod_headers). */
const nobody: ReadonlySet<string> = new Set(["", "(null)"]);

/**
 * Separators of joined header lines (Fetch Standard, "get a header"). If the first or last line is empty, the
 * space may have been trimmed.
 */
const joined = /^,|, |,$/;

/**
 * True if a header names the reader of a request. False if the header came in several lines, one of which may
 * be the client's own: therefore no name may contain a comma followed by a space, or begin or end with a
 * comma. With `proxies`, only these are trusted.
 */
export function namesReader(
  { header, peer }: Pick<Caller, "header" | "peer">,
  name: string,
  proxies: readonly IpRange[],
): boolean {
  const value = header(name)?.trim() ?? "";
  if (nobody.has(value) || joined.test(value)) return false;
  return proxies.length === 0 || (peer !== undefined && isInRanges(peer, proxies));
}
