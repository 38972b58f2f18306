// Entries of layers in memory, so that the details of thousands of images need no slot.

import { createLru } from "../../../base/index.ts";
import { withoutLevels } from "../../../imaging/index.ts";
import type { Slot } from "../../stores/slot.ts";
import type { SidecarKey } from "./jobs.ts";
import type { Sidecar } from "./life.ts";

/** Creates the memory of entries that the slot has as well: whole, and without their levels. */
export function createCachedEntries(origin: Slot, cacheBytes: number) {
  const whole = createLru<string, Uint8Array>(cacheBytes / 2);
  const lean = createLru<string, Uint8Array>(cacheBytes / 2);

  const keepLean = (key: SidecarKey, entry: Uint8Array): Uint8Array => {
    const made = withoutLevels(entry);
    lean.set(key.id, made, made.length);
    return made;
  };
  const loadWhole = async (key: SidecarKey, { entry }: Sidecar): Promise<Uint8Array | undefined> => {
    const known = entry ?? whole.get(key.id);
    if (known) return known;
    const stored = await origin.get(key.name, key.variant);
    if (stored) whole.set(key.id, stored, stored.length);
    return stored;
  };

  return {
    /**
     * Returns what stays with the state of a layer: its entry only if no slot has it, so that the state of
     * thousands of images stays in memory.
     */
    atRest(key: SidecarKey, entry: Uint8Array, sidecar?: Sidecar): Sidecar {
      if (origin.maxBytes() === 0) return sidecar ?? { entry };
      keepLean(key, entry);
      return whole.set(key.id, entry, entry.length) ? {} : (sidecar ?? { entry });
    },
    /**
     * Returns the entry of a complete layer, without its levels if `isLean`; undefined if the slot has lost
     * it.
     */
    async load(key: SidecarKey, sidecar: Sidecar, isLean: boolean): Promise<Uint8Array | undefined> {
      const known = isLean ? lean.get(key.id) : undefined;
      if (known) return known;
      const entry = await loadWhole(key, sidecar);
      return entry && isLean ? keepLean(key, entry) : entry;
    },
    forget(key: SidecarKey): void {
      whole.delete(key.id);
      lean.delete(key.id);
    },
  };
}
