// The files that an export writes into the folder of an image. Everything else there belongs to others.

import type { FileEntry } from "../../platform/platform.ts";

/** Names of a derivative below the folder of its image: region, size, rotation, then quality and format. */
const shape = [
  /^(?:full|square|(?:pct:)?[\d.]+(?:,[\d.]+){3})$/,
  /^\^?(?:full|max|pct:[\d.]+|!?\d+,\d*|,\d+)$/,
  /^!?[\d.]+$/,
  /^(?:default|color|gray|bitonal)\.[a-z0-9]+$/,
] as const;

/**
 * Yields the paths of the files of an image: its information and its derivatives, but nothing of images below
 * it. `list` returns the entries of a folder. Throws what `refuse` returns for a symbolic link among them.
 */
export async function* imageFiles(
  folder: string,
  list: (path: string) => Promise<readonly FileEntry[]>,
  refuse: (path: string) => Error,
  level = 0,
): AsyncGenerator<string> {
  const isLast = level === shape.length - 1;
  for (const { name, kind, link } of await list(folder)) {
    const isInformation = level === 0 && name === "info.json";
    if (!isInformation && !shape[level]?.test(name)) continue;
    const path = `${folder}/${name}`;
    if (link) throw refuse(path);
    if (isInformation || isLast) {
      if (kind === "file") yield path;
    } else if (kind === "directory") yield* imageFiles(path, list, refuse, level + 1);
  }
}
