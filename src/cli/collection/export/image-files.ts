// The files that an export writes into the folder of an image. Everything else there belongs to others.

import { type FileEntry, isTemporaryName } from "../../../base/index.ts";

/** Names of a derivative below the folder of its image: region, size, rotation, then quality and format. */
const shape = [
  /^(?:full|square|(?:pct:)?[\d.]+(?:,[\d.]+){3})$/,
  /^\^?(?:full|max|pct:[\d.]+|!?\d+,\d*|,\d+)$/,
  /^!?[\d.]+$/,
  /^(?:default|color|gray|bitonal)\.[a-z0-9]+$/,
] as const;

/** True for a file that an earlier run left unfinished, since its process ended. */
export const isUnfinished = ({ name, kind, link }: FileEntry): boolean =>
  kind === "file" && !link && isTemporaryName(name);

/**
 * Yields the files of an image: its information, its derivatives and unfinished files, but nothing of images
 * below it. `list` returns the entries of a folder. Throws what `refuse` returns for a symbolic link among
 * them.
 */
export async function* findImageFiles(
  folder: string,
  list: (path: string) => Promise<readonly FileEntry[]>,
  refuse: (path: string) => Error,
  level = 0,
): AsyncGenerator<{ readonly path: string; readonly isWhole: boolean }> {
  const isLast = level === shape.length - 1;
  for (const entry of await list(folder)) {
    const { name, kind, link } = entry;
    const path = `${folder}/${name}`;
    if (isUnfinished(entry)) yield { path, isWhole: false };
    const isInformation = level === 0 && name === "info.json";
    if (!isInformation && !shape[level]?.test(name)) continue;
    if (link) throw refuse(path);
    if (isInformation || isLast) {
      if (kind === "file") yield { path, isWhole: true };
    } else if (kind === "directory") yield* findImageFiles(path, list, refuse, level + 1);
  }
}
