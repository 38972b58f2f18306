// Room for the slots: the volume that holds a folder, and bounds that memory or volume cannot hold.

import { formatSize, parseSize } from "../lib/options/quantity.ts";
import type { Platform, VolumeSpace } from "../platform/platform.ts";
import { cacheFolder } from "./index.ts";
import type { CacheOptions } from "./options.ts";

/** Below both of these a volume counts as full: what is left is gone before anybody can act. */
const leastFree = 256 * 2 ** 20;
const leastShare = 0.05;

/** Throws where the volume of a folder is full, or nearly so. Nothing is known of some volumes. */
export async function checkVolume(files: NonNullable<Platform["files"]>, folder: string): Promise<void> {
  const space = await files.space?.(folder);
  if (space && isFull(space))
    throw new Error(
      `its volume is full: ${formatSize(space.free)} of ${formatSize(space.size)} are free. Free some space, or lower max_bytes and restart`,
    );
}

const isFull = ({ free, size }: VolumeSpace) => size > 0 && free < leastFree && free < size * leastShare;

/** Part of the memory that slots in memory may take together before it is doubted that the rest is enough for rendering. */
const mostOfMemory = 0.75;

const names = ["render", "info", "origin"] as const satisfies readonly (keyof CacheOptions)[];

/** Bounds that the memory, or the volume of a folder, cannot hold: each with its key and what to do. */
export async function doubtfulBounds(
  options: CacheOptions,
  { memoryBytes, files, env }: Pick<Platform, "memoryBytes" | "files" | "env">,
): Promise<{ readonly path: string; readonly message: string }[]> {
  const found = [];
  const inMemory = names.flatMap((name) => {
    const slot = options[name];
    return slot.backend === "heap" ? [{ name, bytes: parseSize(slot.max_bytes) }] : [];
  });
  const together = inMemory.reduce((sum, { bytes }) => sum + bytes, 0);
  const [largest] = inMemory.sort((a, b) => b.bytes - a.bytes);
  if (largest && together > memoryBytes * mostOfMemory)
    found.push({
      path: `cache.${largest.name}.max_bytes`,
      message: `the caches in memory may take ${formatSize(together)} together, but this machine or container has ${formatSize(memoryBytes)}, and rendering needs a part of it. Lower this, or keep the slot in files (backend: filesystem)`,
    });
  for (const name of names) {
    const slot = options[name];
    const folder = slot.backend === "filesystem" ? cacheFolder(slot, env) : undefined;
    if (slot.backend !== "filesystem" || !folder) continue;
    // What cannot be read is for the check of the slot to say.
    const space = await files?.space?.(folder).catch(() => undefined);
    const bytes = parseSize(slot.max_bytes);
    if (space && space.size > 0 && bytes > space.size)
      found.push({
        path: `cache.${name}.max_bytes`,
        message: `may grow to ${formatSize(bytes)}, but the volume of its folder has ${formatSize(space.size)} in all. Lower this, or name a folder on a larger volume as cache.${name}.path`,
      });
  }
  return found;
}
