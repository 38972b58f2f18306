// Folders that stores write to: whether one can be used, and if not, why.

import type { FileSystem } from "../../../base/index.ts";

/** Meanings of file system errors for a folder, and what to do. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "the service's user may not write to it. Change its owner or its permissions",
  EPERM: "the service's user may not write to it. Change its owner or its permissions",
  NotCapable: "the runtime may not write to it. Allow it with --allow-write",
  EROFS: "its file system is read-only. Mount it for writing, or set another path",
  ENOSPC: "its disk is full. Free some space",
  EDQUOT: "the quota of the service's user is used up. Free some space, or raise the quota",
  EFBIG: "a file may not grow as large as needed. Raise the limit on the size of files",
  ENOTDIR: "a part of its path is a file. Set another path",
  EEXIST: "a part of its path is a file. Set another path",
  ETIMEDOUT: "it does not respond. Check its mount and its disk",
  ENOENT: "it does not exist and cannot be created. Create it, or set another path",
};

/** Why a folder cannot be written and what to do, from the error of a write to it. Names no path. */
export function folderFault(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  const reason = reasons[String(code)] ?? reasons[String(name)];
  const found = reason ?? `a write fails (${code ?? name ?? "error"}). Check its rights and the free space`;
  return `The folder of the store cannot be written: ${found}.`;
}

/**
 * Returns why entries could not be written to a folder, or undefined. Leaves nothing behind, and does not
 * create the folder.
 */
export async function probeFolder(files: FileSystem, folder: string): Promise<string | undefined> {
  try {
    let nearest = folder;
    while (nearest !== "" && !(await files.stat(nearest))) nearest = nearest.replace(/[/\\]+[^/\\]*$/, "");
    const file = `${nearest}/.smalti-${crypto.randomUUID()}`;
    await files.writeFile(file, new Uint8Array());
    await files.remove(file);
    return undefined;
  } catch (error) {
    return folderFault(error);
  }
}
