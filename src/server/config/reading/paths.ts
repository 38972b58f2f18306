// File names of the configuration are relative to its folder.

import { locationOfOverlay } from "../../images/overlay/options.ts";
import { sourceOptions } from "../../sources/options.ts";
import { type Config, configTree } from "../schema.ts";
import { mapParts, nodesAt, type SchemaNode } from "../walk.ts";

/** Returns the configuration with all its file names made absolute against a folder. */
export function withAbsolutePaths(config: Config, folder: string): Config {
  return absolutePaths(config, nodesAt(configTree(), []), folder) as Config;
}

/**
 * Returns a value with its paths, according to the schema, made absolute; an empty path means a default and
 * stays.
 */
export function absolutePaths(value: unknown, nodes: readonly SchemaNode[], folder: string): unknown {
  if (typeof value === "string" && value !== "" && nodes.some(({ form }) => isPath(form, value)))
    return absolutePath(folder, value);
  return mapParts(value, nodes, (part) => absolutePaths(part.value, part.nodes, folder));
}

/** True if a value is a path; a picture may also be in a source. */
const isPath = (form: string | undefined, value: string) =>
  form === "path" || (form === "picture" && "path" in locationOfOverlay(value));

/** Returns the configuration with one folder as its only source, named `files`; `root` is absolute. */
export function withFolder(config: Config, root: string): Config {
  return { ...config, sources: sourceOptions.parse([{ name: "files", type: "filesystem", root }]) };
}

/** Returns an absolute path unchanged, any other below a folder; without `.`, `..` and empty segments. */
export function absolutePath(folder: string, path: string): string {
  return normalPath(/^([/\\]|[A-Za-z]:[/\\])/.test(path) ? path : `${folder}/${path}`);
}

/**
 * Returns an absolute path in its shortest form, by its text: links are not resolved. The share of
 * `\\\\host\\share` stays.
 */
function normalPath(path: string): string {
  const [, drive, rest = ""] = /^([A-Za-z]:)?(?=[/\\])(.*)$/s.exec(path) ?? [];
  if (drive === undefined && !rest.startsWith("/")) return path;
  const segments: string[] = [];
  // On POSIX a backslash is an ordinary character.
  for (const segment of rest.split(drive === undefined ? "/" : /[/\\]/)) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `${drive ?? ""}/${segments.join("/")}`;
}
