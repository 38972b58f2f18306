// Files that commands write.

import type { FileSystem, Platform } from "../../base/index.ts";
import type { Flag, Flags } from "./command.ts";
import { asCommandError, CommandError, inWords } from "./command-error.ts";

/** The flag of all commands that write a file. */
export const forceFlag = {
  kind: "switch",
  text: "replace a file that exists; never a link or a device",
} as const satisfies Flag;

/** Flags of a command that writes a new configuration. */
export const newFileFlags = {
  output: {
    kind: "text",
    value: "FILE",
    short: "o",
    among: "file",
    text: "the new file; by default smalti.yaml",
  },
  force: forceFlag,
} as const satisfies Flags;

export interface NewFile {
  /** Absolute path. */
  readonly path: string;
  readonly force: boolean;
  /** Absolute paths of the files that the command reads. */
  readonly inputs?: readonly string[];
  /** The flag that gives another name. */
  readonly flag?: string;
}

/**
 * Throws CommandError if a command must not write to a path: it is an input, or not a regular file, or there
 * is a file already that may not be replaced. A link counts as what it is, not as its target.
 */
export async function refuseExisting(
  files: FileSystem | undefined,
  { path, force, inputs = [], flag = "-o FILE" }: NewFile,
): Promise<void> {
  if (!files) return;
  const kind = await inWords(kindOf(files, path));
  if (kind === undefined) return;
  const other = `give another name by ${flag}`;
  if (kind !== "file") throw new CommandError(`${path} is ${kind}; ${other}`);
  for (const input of inputs)
    if (await isSame(files, path, input))
      throw new CommandError(`${path} is read by this command, and would replace itself; ${other}`);
  if (!force) throw new CommandError(`${path} exists already; ${other}, or --force to replace it`);
}

/** Returns what is at a path; undefined if nothing is. */
async function kindOf(files: FileSystem, path: string): Promise<string | undefined> {
  if (await files.isLink?.(path)) return "a symbolic link";
  const found = await files.stat(path);
  if (found?.kind === "directory") return "a folder";
  return found?.kind === "other" ? "a device, pipe or socket" : found?.kind;
}

/** True if two paths name one file, by links or by another spelling. */
async function isSame(files: FileSystem, one: string, other: string): Promise<boolean> {
  const [first, second] = [await files.stat(one), await files.stat(other)];
  if (first?.id !== undefined && first.id === second?.id) return true;
  return (await files.realPath(one)) === (await files.realPath(other));
}

/** Writes a whole file or nothing. Throws CommandError if it cannot be written. */
export async function writeNew(platform: Platform, path: string, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  try {
    await platform.files?.writeFile(path, bytes);
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${asCommandError(error).message}`);
  }
}
