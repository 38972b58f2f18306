// Access by address: which clients the profiles of kiosks let in.

import { type IpRange, inRanges, parseRange } from "../../lib/network/ip-range.ts";
import type { ProfileOptions } from "../profiles/options.ts";

export interface Kiosks {
  /**
   * True if a profile lets an address in, which only a kiosk does. `address` is that of the client according
   * to trusted proxies; an unknown (undefined) address is not let in.
   */
  allows(profile: string, address: string | undefined): boolean;
  /** The addresses and ranges of a profile, as configured. */
  listOf(profile: string): readonly string[];
  /** Takes the lists of a changed configuration. */
  take(profiles: Readonly<Record<string, ProfileOptions>>): void;
}

/** The kiosks among profiles. */
export function createKiosks(profiles: Readonly<Record<string, ProfileOptions>>): Kiosks {
  let lists: ReadonlyMap<string, { readonly texts: readonly string[]; readonly ranges: readonly IpRange[] }>;
  const take: Kiosks["take"] = (profiles) => {
    lists = new Map(
      Object.entries(profiles)
        .filter(([, { pattern }]) => pattern === "kiosk")
        .map(
          ([
            name,
            {
              kiosk: { allowed_ips: texts },
            },
          ]) => [name, { texts, ranges: texts.map(parseRange) }],
        ),
    );
  };
  take(profiles);
  return {
    allows: (profile, address) =>
      address !== undefined && inRanges(address, lists.get(profile)?.ranges ?? []),
    listOf: (profile) => lists.get(profile)?.texts ?? [],
    take,
  };
}
