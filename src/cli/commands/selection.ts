// Which images a command works on: identifiers of the configuration, or files and folders of this machine.

import type { Platform } from "../../base/index.ts";
import { absolutePath, type Config, withFolder } from "../../server/index.ts";
import { CommandError } from "./command-error.ts";
import { isFolder, readConfig } from "./read-config.ts";

export interface Selection {
  readonly config: Config;
  /** Identifiers of images and folders; if empty, everything that the sources list. */
  readonly identifiers: readonly string[];
}

/**
 * Reads the configuration, and returns the images that words name: identifiers if it has sources; otherwise
 * paths, whose common folder becomes the only source. Throws CommandError for a path that does not exist, and
 * if there are neither sources nor paths.
 */
export async function readSelection(
  platform: Platform,
  file: string | undefined,
  words: readonly string[],
): Promise<Selection> {
  const { config } = await readConfig(platform, { file });
  if (config.sources.length > 0) {
    const identifiers = words.map((word) => word.replace(/\/+$/, "")).filter((word) => word !== "");
    return { config, identifiers };
  }
  if (words.length === 0)
    throw new CommandError("expected a folder of images, or a configuration with sources after -config");
  const paths = words.map((word) => absolutePath(platform.cwd ?? "/", word));
  for (const [at, path] of paths.entries())
    if (!(await platform.files?.stat(path).catch(() => undefined)))
      throw new CommandError(
        `expected a file or folder of images, received ${words[at]}, which does not exist here; to name an identifier, name the configuration with -config`,
      );
  const [first = ""] = paths;
  if (paths.length === 1 && (await isFolder(platform, first)))
    return { config: withFolder(config, first), identifiers: [] };
  const top = commonFolder(paths);
  const identifiers = paths.map((path) => path.slice(top.length).replace(/^\/+/, ""));
  return {
    config: withFolder(config, top || "/"),
    identifiers: identifiers.includes("") ? [] : identifiers,
  };
}

/** Returns the folder that contains all paths, or is one of them; "" is the root. */
function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split("/").slice(0, -1));
  const all = [first, ...others];
  const differs = first.findIndex((segment, at) => all.some((each) => each[at] !== segment));
  return (differs < 0 ? first : first.slice(0, differs)).join("/");
}
