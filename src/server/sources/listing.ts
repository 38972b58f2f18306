// Classifies the entries of a listing by their names alone.

import { formats } from "../../imaging/index.ts";
import type { SourceEntry } from "./source.ts";

/** Extensions of the formats that are read, in lower case. */
const imageExtensions = new Set(Object.values(formats).flatMap(({ read }) => read?.extensions ?? []));

/** Files that operating systems leave in folders, in lower case. */
const systemNames = new Set([
  "thumbs.db",
  "desktop.ini",
  "ehthumbs.db",
  "lost+found",
  "@eadir",
  "__macosx",
  "$recycle.bin",
]);

/** True if a name begins with a dot: such files are neither served nor listed. */
export function isHidden(name: string): boolean {
  return name.startsWith(".");
}

/** True if listings omit the name. */
export function isUnlisted(name: string): boolean {
  return isHidden(name) || systemNames.has(name.toLowerCase());
}

/** Returns the kind of a file by its name, without opening it. */
export function fileKind(name: string): SourceEntry["kind"] {
  const dot = name.lastIndexOf(".");
  return dot > 0 && imageExtensions.has(name.slice(dot + 1).toLowerCase()) ? "image" : "other";
}
