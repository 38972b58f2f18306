// Whom a proxy in front says that a reader is, by a header.

import { type IpRange, inRanges } from "../../lib/network/ip-range.ts";
import type { Caller } from "../access.ts";

/** Apache writes `(null)` where a variable that a header is set from has no value (mod_headers). */
const nobody: ReadonlySet<string> = new Set(["", "(null)"]);

/**
 * Whether a request names its reader by a header. It does not if the header came in several lines, one of which may be the
 * client's own: every runtime joins them by a comma and a space (Fetch Standard, "get a header"), so that no name may hold these
 * two. With `proxies`, only these are believed.
 */
export function namesReader(
  { header, peer }: Pick<Caller, "header" | "peer">,
  name: string,
  proxies: readonly IpRange[],
): boolean {
  const value = header(name)?.trim() ?? "";
  if (nobody.has(value) || value.includes(", ")) return false;
  return proxies.length === 0 || (peer !== undefined && inRanges(peer, proxies));
}
