// Whom a proxy in front says that a reader is, by a header.

import { type IpRange, inRanges } from "../../lib/network/ip-range.ts";
import type { Caller } from "../access.ts";

/** Apache writes `(null)` where a variable that a header is set from has no value (mod_headers). */
const nobody: ReadonlySet<string> = new Set(["", "(null)"]);

/**
 * What several lines of a header are joined by (Fetch Standard, "get a header"). If the first or last of them
 * is empty, the space may have been trimmed away.
 */
const joined = /^,|, |,$/;

/**
 * Whether a request names its reader by a header. It does not if the header came in several lines, one of
 * which may be the client's own: so no name may hold a comma with a space behind it, nor begin or end with a
 * comma. With `proxies`, only these are believed.
 */
export function namesReader(
  { header, peer }: Pick<Caller, "header" | "peer">,
  name: string,
  proxies: readonly IpRange[],
): boolean {
  const value = header(name)?.trim() ?? "";
  if (nobody.has(value) || joined.test(value)) return false;
  return proxies.length === 0 || (peer !== undefined && inRanges(peer, proxies));
}
