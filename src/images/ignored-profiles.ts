// Masters whose embedded profile is not used, and why: told in the log once each, and on every answer.

import type { Log } from "../lib/log.ts";
import { createLru } from "../lib/lru.ts";

export interface IgnoredProfiles {
  /** `master` as in `masterName`; the reason is for people. */
  tell(master: string, reason: string): void;
  /** Why the profile of this master is not used, where that is known. */
  of(master: string): string | undefined;
  /** What was told of a master, or of all, counts no longer. */
  forget(master?: string): void;
}

/** Masters that are remembered; beyond them the log may tell one again. */
const mostMasters = 4096;

export function createIgnoredProfiles(log: Pick<Log, "warn">): IgnoredProfiles {
  const reasons = createLru<string, string>(mostMasters);
  return {
    of: (master) => reasons.get(master),
    forget(master) {
      if (master === undefined) reasons.clear();
      else reasons.delete(master);
    },
    tell(master, reason) {
      if (reasons.get(master) === reason) return;
      reasons.set(master, reason, 1);
      log.warn("an embedded colour profile is not used", { master, reason });
    },
  };
}
