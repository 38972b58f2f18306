// Checks that a file is requested by its own name, on file systems that also find it by other names.

import type { MasterFiles } from "./bounded-files.ts";

/**
 * True if each segment of a path below a resolved root is spelled as stored. A file system that folds case or
 * Unicode forms (or has short names) finds a file by other spellings, to which no access rule for its name
 * would apply. Symbolic links count by their own names. `real`: the resolved path.
 */
export async function isSpelledAsStored(
  files: Pick<MasterFiles, "realPath" | "list">,
  root: string,
  segments: readonly string[],
  real: string,
): Promise<boolean> {
  const separator = root.includes("/") ? "/" : "\\";
  const top = root.endsWith(separator) ? root.slice(0, -1) : root;
  if (real === [top, ...segments].join(separator)) return true;
  // The resolved path differs because of a link, or because a spelling was folded; the latter implies that
  // the folder finds other spellings too.
  for (const [at, segment] of segments.entries()) {
    const folder = [top, ...segments.slice(0, at)].join(separator);
    if (
      (await folds(files, folder + separator, segment)) &&
      !(await holds(files, folder || separator, segment))
    )
      return false;
  }
  return true;
}

/** True if a folder also finds a name in another case or Unicode form. */
async function folds(files: Pick<MasterFiles, "realPath">, above: string, name: string): Promise<boolean> {
  const swapped = [...name].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join("");
  const others = new Set([swapped, name.normalize("NFC"), name.normalize("NFD")]);
  others.delete(name);
  for (const other of others)
    if ((await files.realPath(above + other).catch(() => undefined)) !== undefined) return true;
  return false;
}

async function holds(files: Pick<MasterFiles, "list">, folder: string, name: string): Promise<boolean> {
  for await (const entry of files.list(folder)) if (entry.name === name) return true;
  return false;
}
