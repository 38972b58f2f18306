// Files that commands write.

import type { Platform } from "../platform/platform.ts";
import type { Flags } from "./command.ts";
import { CommandError } from "./command-error.ts";

/** Flags of a command that writes a new configuration. */
export const newFileFlags = {
  output: {
    kind: "text",
    value: "FILE",
    short: "o",
    among: "file",
    text: "the new file; by default smalti.yaml",
  },
  force: { kind: "switch", text: "overwrite the new file if it exists" },
} as const satisfies Flags;

/** Throws CommandError if there is something at the path already, unless it may be overwritten. */
export async function refuseExisting(platform: Platform, path: string, force: boolean): Promise<void> {
  const found = await platform.files?.stat(path);
  if (found && found.kind !== "file")
    throw new CommandError(`${path} is no file; give another name by -o FILE`);
  if (found && !force)
    throw new CommandError(
      `${path} exists already; give another name by -o FILE, or --force to overwrite it`,
    );
}

/** Writes a whole file or nothing. Throws CommandError if it cannot be written. */
export async function writeText(platform: Platform, path: string, text: string): Promise<void> {
  try {
    await platform.files?.writeFile(path, new TextEncoder().encode(text));
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
