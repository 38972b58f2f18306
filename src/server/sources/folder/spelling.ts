// Checks that a file is requested by its own name, on file systems that also find it by other names.

import { createLru, type Lru, trimFinal } from "../../../base/index.ts";
import type { MasterFiles } from "./bounded-files.ts";
import { isPlainPath } from "./root.ts";

/**
 * What is known of folders: `exact` ones find no name in another case, and the resolved paths of `corrected`
 * ones show names as stored.
 */
export type KnownFolders = Lru<string, "exact" | "corrected">;

export const createKnownFolders = (): KnownFolders => createLru(10_000);

/** Names that only another case could find as well, not another Unicode form or a shorter end. */
const asciiName = /^[\x20-\x7e]*[^. ]$/;

/**
 * True if each segment of a path below a resolved root is spelled as stored. A file system that folds case or
 * Unicode forms (or has short names, or drops dots and spaces at the end) finds a file by other spellings, to
 * which no access rule for its name would apply. Symbolic links count by their own names. `real`: the
 * resolved path, in which macOS and Windows correct the spelling, but Linux does not.
 */
export async function isSpelledAsStored(
  files: Pick<MasterFiles, "realPath" | "list">,
  root: string,
  segments: readonly string[],
  real: string,
  known: KnownFolders = createKnownFolders(),
): Promise<boolean> {
  const separator = root.includes("/") ? "/" : "\\";
  const top = root.endsWith(separator) ? root.slice(0, -1) : root;
  const isPlain = isPlainPath(real, root, segments);
  for (const [at, segment] of segments.entries()) {
    const folder = [top, ...segments.slice(0, at)].join(separator);
    const kind = known.get(folder);
    if (kind === "corrected" && isPlain) continue;
    if (kind === "exact" && asciiName.test(segment)) continue;
    const found = await findOthers(files, folder + separator, segment);
    const isCorrected = isPlain && found.every((path) => path === folder + separator + segment);
    if (found.length > 0 && !isCorrected && !(await holds(files, folder || separator, segment))) return false;
    if (segment.toLowerCase() === segment.toUpperCase()) continue;
    if (found.length === 0) known.set(folder, "exact", 1);
    else if (isCorrected) known.set(folder, "corrected", 1);
  }
  return true;
}

/** Returns the resolved paths of a name in another case or Unicode form, or without what its end may lose. */
async function findOthers(
  files: Pick<MasterFiles, "realPath">,
  above: string,
  name: string,
): Promise<readonly string[]> {
  const swapped = [...name].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join("");
  const others = new Set([swapped, name.normalize("NFC"), name.normalize("NFD"), trimFinal(name, ". ")]);
  others.delete(name);
  others.delete("");
  const found = await Promise.all(
    [...others].map((other) => files.realPath(above + other).catch(() => undefined)),
  );
  return found.filter((path) => path !== undefined);
}

async function holds(files: Pick<MasterFiles, "list">, folder: string, name: string): Promise<boolean> {
  for await (const entry of files.list(folder)) if (entry.name === name) return true;
  return false;
}
