// Counts the images that a source lists, bounded in time and number.

import { withDeadline } from "../../base/index.ts";
import type { Source } from "../sources/source.ts";

export interface ImageCount {
  readonly images: number;
  /** True if the count stopped early, so that there may be more images. */
  readonly more: boolean;
}

export interface CountBounds {
  /** Number of images after which the count stops. */
  readonly max: number;
  /** Milliseconds after which counting stops. */
  readonly ms: number;
}

/**
 * Counts the images of a source and its folders by their names only. Returns undefined if the source cannot
 * list. Never throws.
 */
export async function countImages(source: Source, { max, ms }: CountBounds): Promise<ImageCount | undefined> {
  if (!source.list) return undefined;
  const end = performance.now() + ms;
  const folders = [""];
  let images = 0;
  let more = false;
  for (const folder of folders) {
    const left = end - performance.now();
    if (images >= max || left <= 0) return { images: Math.min(images, max), more: true };
    const list = () => Promise.resolve(source.list?.(folder));
    const entries = await withDeadline(left, list).catch(() => undefined);
    // A folder that cannot be listed in time, or at all, may contain more.
    more ||= entries === undefined;
    for (const { name, kind } of entries ?? []) {
      if (kind === "image") images++;
      else if (kind === "directory") folders.push(folder ? `${folder}/${name}` : name);
    }
  }
  return { images: Math.min(images, max), more: more || images > max };
}
