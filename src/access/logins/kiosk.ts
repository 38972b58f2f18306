// Access by address: which clients a kiosk profile lets in.

import { inRanges, parseRange } from "../../lib/network/ip-range.ts";
import type { ProfileOptions } from "../profiles/options.ts";

/**
 * Whether a kiosk profile lets an address in. `address`: of the client as trusted proxies say it; undefined where it is unknown,
 * and then nobody is let in.
 */
export function allowsAddress({ pattern, kiosk }: ProfileOptions, address: string | undefined): boolean {
  return pattern === "kiosk" && address !== undefined && inRanges(address, kiosk.allowed_ips.map(parseRange));
}
