// Room for the slots: the volume that holds a folder, and bounds that memory or volume cannot hold.

import { doubtAt, type Finding, formatSize, type VolumeSpace } from "../../base/index.ts";
import { boundOf, type SlotName, slotNames } from "./bounds.ts";
import type { Slots } from "./index.ts";
import type { CacheOptions } from "./options.ts";

/** Free bytes below which a volume counts as full, if {@link leastShare} agrees: nobody could act in time. */
const leastFree = 256 * 2 ** 20;
/** Share of a volume that has to be free, from 0 to 1. */
const leastShare = 0.05;

/** Throws if a volume is full, or nearly so. Of some volumes nothing is known. */
export function refuseFull(space: VolumeSpace | undefined): void {
  if (space && isFull(space))
    throw new Error(
      `its volume is full: ${formatSize(space.free)} of ${formatSize(space.size)} are free. Free some space, or lower max_bytes and restart`,
    );
}

const isFull = ({ free, size }: VolumeSpace) => size > 0 && free < leastFree && free < size * leastShare;

/**
 * Part of the memory that slots in memory may take together before it is doubted that the rest is enough for
 * rendering.
 */
const maxOfMemory = 0.75;

/** Bounds of slots in memory that are more than this machine or container has. */
export function doubtfulHeaps(options: CacheOptions, memoryBytes: number): Finding[] {
  const inMemory = slotNames.flatMap((name) => {
    const slot = options[name];
    return slot.backend === "heap" ? [{ name, bytes: boundOf(name, slot, memoryBytes) }] : [];
  });
  const together = inMemory.reduce((sum, { bytes }) => sum + bytes, 0);
  const [largest] = inMemory.sort((a, b) => b.bytes - a.bytes);
  if (!largest || together <= memoryBytes * maxOfMemory) return [];
  return [
    doubtAt(
      ["cache", largest.name, "max_bytes"],
      `the caches in memory may take ${formatSize(together)} together, but this machine or container has ${formatSize(memoryBytes)}, and rendering needs part of it. Lower this, or keep the slot in files (backend: filesystem)`,
    ),
  ];
}

/**
 * Bounds of slots in files that are more than their volume has. Never rejects: what cannot be read is for the
 * check of the slot to say.
 */
export async function doubtfulVolumes(
  options: CacheOptions,
  slots: Pick<Slots, SlotName>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const name of slotNames) {
    const slot = options[name];
    if (slot.backend !== "filesystem") continue;
    const space = await slots[name].volume?.().catch(() => undefined);
    const bytes = boundOf(name, slot, 0);
    if (space && space.size > 0 && bytes > space.size)
      found.push(
        doubtAt(
          ["cache", name, "max_bytes"],
          `may grow to ${formatSize(bytes)}, but the volume of its folder has ${formatSize(space.size)} in all. Lower this, or name a folder on a larger volume as cache.${name}.path`,
        ),
      );
  }
  return found;
}
