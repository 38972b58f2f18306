// Replaces a file that its owner made, such as a configuration: atomically, with its mode and owner, over
// node:fs/promises.

import { constants } from "node:fs";
import { access, type FileHandle, open, readdir, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileObstacle, FileReplacement } from "../../../base/index.ts";

/** Suffix of files that are not yet in place. */
const unfinished = ".smalti-tmp";
/**
 * Prefix of such files, so that a sweep only matches this file's. A leading dot hides them from most
 * programs.
 */
const beginningOf = (target: string) => `.${basename(target)}.`;

/** Makes a rename survive a crash; if directories cannot be synced, the rename alone has to suffice. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    const handle = await open(path, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // some file systems refuse to sync a directory
  }
}

const isWritable = (path: string) =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

async function obstacle(path: string): Promise<FileObstacle | undefined> {
  const target = await realpath(path).catch(() => undefined);
  const facts = target === undefined ? undefined : await stat(target).catch(() => undefined);
  if (target === undefined || facts === undefined) return "absent";
  if (!facts.isFile()) return "not-a-file";
  // A file without write permission is meant to stay unchanged, whatever a privileged user may do.
  if ((facts.mode & 0o222) === 0 || !(await isWritable(target))) return "read-only";
  return (await isWritable(dirname(target))) ? undefined : "folder-read-only";
}

/** Hands a file the owner and the permissions of another, as far as the system lets this user. */
async function likeBefore(handle: FileHandle, before: { uid: number; gid: number; mode: number }) {
  const own = await handle.stat();
  let group = own.gid === before.gid;
  if (own.uid !== before.uid || !group) {
    // Only a privileged user may change the owner; one of the user's own groups can be kept without it.
    await handle
      .chown(before.uid, before.gid)
      .then(() => {
        group = true;
      })
      .catch(() => handle.chown(own.uid, before.gid).then(() => (group = true)))
      .catch(() => {});
  }
  const mode = before.mode & 0o777;
  // The permissions of a group that could not be kept would apply to another one.
  await handle.chmod(group ? mode : mode & ~0o070).catch(() => {});
}

async function replace(path: string, data: Uint8Array, still: () => Promise<boolean>): Promise<boolean> {
  const target = await realpath(path);
  const before = await stat(target);
  const folder = dirname(target);
  // In the same folder, so that the rename stays within one file system.
  const temporary = join(folder, `${beginningOf(target)}${crypto.randomUUID()}${unfinished}`);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(data);
      await likeBefore(handle, before);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!(await still())) {
      await unlink(temporary);
      return false;
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncDirectory(folder);
  return true;
}

async function sweep(path: string): Promise<void> {
  const target = await realpath(path);
  const folder = dirname(target);
  for (const name of await readdir(folder))
    if (name.startsWith(beginningOf(target)) && name.endsWith(unfinished))
      await unlink(join(folder, name)).catch(() => {});
}

/** The replacement of files on this machine. */
export const fileReplacement: FileReplacement = { obstacle, replace, sweep };
