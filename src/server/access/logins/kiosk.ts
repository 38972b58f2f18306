// Access by address: the clients that kiosk profiles admit.

import { type IpRange, isInRanges, parseRange } from "../../../base/index.ts";
import type { ProfileOptions } from "../profiles/options.ts";

export interface Kiosks {
  /**
   * True if a profile lets an address in, which only a kiosk does. `address` is that of the client according
   * to trusted proxies; an unknown (undefined) address is not admitted.
   */
  allows(profile: string, address: string | undefined): boolean;
  /** True if a login to a profile counts at an address: to a kiosk only inside, to all others anywhere. */
  counts(profile: string, address: string | undefined): boolean;
  /** Returns the configured addresses and ranges of a profile. */
  listOf(profile: string): readonly string[];
  /** Applies the lists of a changed configuration. */
  take(profiles: Readonly<Record<string, ProfileOptions>>): void;
}

/** Returns the kiosks among profiles. */
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
  const allows: Kiosks["allows"] = (profile, address) =>
    address !== undefined && isInRanges(address, lists.get(profile)?.ranges ?? []);
  return {
    allows,
    counts: (profile, address) => !lists.has(profile) || allows(profile, address),
    listOf: (profile) => lists.get(profile)?.texts ?? [],
    take,
  };
}
