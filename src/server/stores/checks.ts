// Health checks of the slots.

import type { Check, Platform } from "../../base/index.ts";
import { slotNames } from "./bounds.ts";
import { probeFolder } from "./filesystem/folder.ts";
import { cacheFolder, type Slots } from "./index.ts";
import type { CacheOptions } from "./options.ts";
import { refuseFull } from "./volume.ts";

/** Returns a check for each slot. `options`: their options. */
export function slotChecks(
  slots: Slots,
  options: CacheOptions,
  { files, env }: Pick<Platform, "files" | "env">,
): Check[] {
  return slotNames.map((name) => {
    const slot = slots[name];
    const own = options[name];
    const folder = own.backend === "filesystem" ? cacheFolder(own, env) : undefined;
    return {
      part: "caches",
      name,
      backend: slot.backend,
      key: `cache.${name}${folder === undefined ? "" : ".path"}`,
      ...(folder !== undefined && { location: folder }),
      // A broken cache costs speed, not responses.
      neededFor: "speed",
      async run() {
        await slot.check();
        refuseFull(await slot.volume?.());
      },
      ...(files && folder !== undefined && { dryRun: () => checkWritable(files, folder) }),
      logs: true,
    };
  });
}

/** Throws if entries could not be written to a folder, which is not created. */
async function checkWritable(files: NonNullable<Platform["files"]>, folder: string): Promise<void> {
  const fault = await probeFolder(files, folder);
  if (fault !== undefined) throw new Error(fault);
  refuseFull(await files.space?.(folder));
}
