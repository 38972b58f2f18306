// Names of files in the commands that a report prints: they work in the folder of the command line.

import { baseName, type NameCommands } from "../../doctor/index.ts";
import type { Config } from "../../server/index.ts";

/** What the names of files in commands depend on. */
export interface NamingContext {
  readonly config: Config;
  /** The working folder. */
  readonly cwd: string | undefined;
  /** Words after `smalti warm` for the images of the report. */
  readonly warm: readonly string[];
}

/** Returns a function that names a master by its path, relative to the working folder if it is below that. */
export function namesFrom({ config, cwd = "/", warm }: NamingContext): NameCommands {
  const folder = cwd.endsWith("/") ? cwd : `${cwd}/`;
  return ({ source: name, key }) => {
    const source = config.sources.find((each) => each.name === name);
    if (source?.type !== "filesystem")
      return { file: baseName(key), where: "Copy the file here before you run the command.", warm };
    const path = `${source.root.replace(/\/+$/, "")}/${key}`;
    return { file: path.startsWith(folder) ? path.slice(folder.length) : path, warm };
  };
}

/** Returns the words after `smalti warm` for operands of this command line. */
export const warmWords = (operands: readonly string[], config: string | undefined): readonly string[] => [
  ...(config === undefined ? [] : ["-config", config]),
  ...(operands.some((word) => word.startsWith("-")) ? ["--"] : []),
  ...operands,
];
