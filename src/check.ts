// What `smalti check` finds besides a valid configuration: doubtful values, and folders that cannot be used here.

import type { Config } from "./config/schema.ts";
import { configWarnings } from "./config/warnings.ts";
import type { Platform } from "./platform/platform.ts";
import { filesystemSource } from "./sources/filesystem.ts";
import { probeFolder } from "./stores/folder.ts";
import { cacheFolder } from "./stores/index.ts";

/** Warnings as `key: message`. Looks at files of this machine alone, and leaves nothing behind. */
export async function checkWarnings(
  config: Config,
  { files, env }: Pick<Platform, "files" | "env">,
): Promise<string[]> {
  const doubts = configWarnings(config).map(({ path, message }) => `${path}: ${message}`);
  if (!files) return doubts;
  const sources = config.sources.map(async (source, at) => {
    if (source.type !== "filesystem") return undefined;
    const fault = await filesystemSource({ ...source, files, revalidateMs: 0 })
      .check()
      .catch((error: Error) => error.message);
    return fault && `sources.${at}.root: ${source.root}: ${fault}`;
  });
  const caches = Object.entries(config.cache).map(async ([slot, options]) => {
    const folder = options.backend === "filesystem" ? cacheFolder(options, env) : undefined;
    const fault = folder && (await probeFolder(files, folder));
    return fault && `cache.${slot}.path: ${folder}: ${fault}`;
  });
  const faults = await Promise.all([...sources, ...caches]);
  return [...doubts, ...faults.filter((fault) => fault !== undefined && fault !== "")] as string[];
}
