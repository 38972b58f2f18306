// Masters whose embedded profile is not used, and why: the log says it once for each, and every answer names it.

import type { NamedMaster } from "../imaging/codecs/plan.ts";
import { createLru } from "../imaging/lib/lru.ts";
import type { Log } from "../lib/telemetry/log.ts";
import { maskIdentifier } from "../lib/telemetry/mask-path.ts";

export interface IgnoredProfiles {
  /** The reason is for people. */
  tell(master: NamedMaster, reason: string): void;
  /** Why the profile of these bytes of a master is not used, where that is known. */
  of(master: NamedMaster): string | undefined;
  /** Forgets what is known of all bytes of the master of this name, or of all masters. */
  forget(name?: string): void;
}

/** Masters that are remembered; beyond them the log may name one again. */
const mostMasters = 4096;

export function createIgnoredProfiles(log: Pick<Log, "warn">): IgnoredProfiles {
  const reasons = createLru<string, string>(mostMasters);
  return {
    of: (master) => reasons.get(keyOf(master)),
    forget(name) {
      if (name === undefined) return reasons.clear();
      const all = keyOf({ name, version: "" });
      for (const key of [...reasons.keys()]) if (key.startsWith(all)) reasons.delete(key);
    },
    tell(master, reason) {
      const key = keyOf(master);
      if (reasons.get(key) === reason) return;
      reasons.set(key, reason, 1);
      log.warn("an embedded colour profile is not used", { master: maskIdentifier(master.name), reason });
    },
  };
}

const keyOf = ({ name, version }: NamedMaster) => `${name}\n${version}`;
