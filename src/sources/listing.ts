// What a listing shows, by name alone.

import type { SourceEntry } from "./source.ts";

/** Extensions, in lower case, of the formats that the codecs read. */
const imageExtensions = new Set(
  "jpg jpeg jpe jfif jp2 j2k j2c jpc jpf jpx jph jhc png tif tiff webp gif".split(" "),
);

/** Files that systems leave in folders; in lower case. */
const systemNames = new Set([
  "thumbs.db",
  "desktop.ini",
  "ehthumbs.db",
  "lost+found",
  "@eadir",
  "__macosx",
  "$recycle.bin",
]);

/** Whether a name begins with a dot: such files are neither served nor listed. */
export function isHidden(name: string): boolean {
  return name.startsWith(".");
}

/** Whether a listing leaves the name out. */
export function isUnlisted(name: string): boolean {
  return isHidden(name) || systemNames.has(name.toLowerCase());
}

/** What a file of that name is taken for, unopened. */
export function fileKind(name: string): SourceEntry["kind"] {
  const dot = name.lastIndexOf(".");
  return dot > 0 && imageExtensions.has(name.slice(dot + 1).toLowerCase()) ? "image" : "other";
}
