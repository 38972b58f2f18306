// Counts the images below a folder by their names.

import type { Platform } from "../../../base/index.ts";
import { fileKind, isUnlisted } from "../../../server/index.ts";

export interface FolderCount {
  readonly images: number;
  /** Folders that contain images. */
  readonly folders: number;
  /** True if the count stopped early. */
  readonly more: boolean;
}

/** Entries after which the count stops, so that a large collection need not be waited for. */
const maxEntries = 200_000;

/** Counts images as the service lists them, without folders that cannot be read. Throws if `root` cannot. */
export async function countImages({ files }: Platform, root: string): Promise<FolderCount> {
  const waiting = [root];
  const withImages = new Set<string>();
  let images = 0;
  let entries = 0;
  for (const folder of waiting) {
    try {
      for await (const { name, kind, link } of files?.list(folder) ?? []) {
        if (++entries > maxEntries) return { images, folders: withImages.size, more: true };
        if (isUnlisted(name)) continue;
        // A link may lead back to a folder above it.
        if (kind === "directory" && !link) waiting.push(`${folder.replace(/\/$/, "")}/${name}`);
        else if (kind === "file" && fileKind(name) === "image") {
          images++;
          withImages.add(folder);
        }
      }
    } catch (error) {
      if (folder === root) throw error;
    }
  }
  return { images, folders: withImages.size, more: false };
}
