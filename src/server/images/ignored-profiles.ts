// Masters whose embedded profile is ignored, with the reason: logged once for each, and returned with every
// response.

import { createLru, type Log, maskIdentifier } from "../../base/index.ts";
import type { NamedMaster } from "../../imaging/index.ts";

export interface IgnoredProfiles {
  /** Records and logs that the profile of a master is ignored; `reason` is text for people. */
  tell(master: NamedMaster, reason: string): void;
  /** Returns the reason why the profile of these bytes of a master is ignored, if it is known. */
  of(master: NamedMaster): string | undefined;
  /** Drops the reasons for all versions of the master of this name, or for all masters. */
  forget(name?: string): void;
}

/** Number of masters that are remembered; beyond it one may be logged again. */
const maxMasters = 4096;

export function createIgnoredProfiles(log: Pick<Log, "warn">): IgnoredProfiles {
  const reasons = createLru<string, string>(maxMasters);
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
