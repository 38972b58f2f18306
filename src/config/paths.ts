// File names of the configuration are relative to its folder.

import { sourceOptions } from "../sources/options.ts";
import type { Config } from "./schema.ts";

/** The configuration with all its file names made absolute against a folder. */
export function withAbsolutePaths(config: Config, folder: string): Config {
  const slot = <T extends Config["cache"]["render"]>(options: T): T =>
    options.backend === "filesystem" && options.path
      ? { ...options, path: absolutePath(folder, options.path) }
      : options;
  return {
    ...config,
    sources: config.sources.map((source) =>
      source.type === "filesystem" ? { ...source, root: absolutePath(folder, source.root) } : source,
    ),
    cache: {
      render: slot(config.cache.render),
      info: slot(config.cache.info),
      origin: slot(config.cache.origin),
    },
  };
}

/** The configuration with one folder as its only source, named `files`; `root` is absolute. */
export function withFolder(config: Config, root: string): Config {
  return { ...config, sources: sourceOptions.parse([{ name: "files", type: "filesystem", root }]) };
}

/** A path as it is when absolute, else below a folder. */
export function absolutePath(folder: string, path: string): string {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(path)
    ? path
    : `${folder.replace(/[/\\]$/, "")}/${path.replace(/^\.\//, "")}`;
}
