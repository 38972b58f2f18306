// Lists folders of sources, limited in time and number, to find what rules name.

import { withDeadline } from "../../base/index.ts";
import type { Source, SourceEntry } from "../../server/index.ts";

export interface Listing {
  readonly entries: readonly SourceEntry[];
  /** False if there may be more. */
  readonly isWhole: boolean;
}

export interface Lister {
  /**
   * Lists a folder of a source, "" being its top. Returns undefined if that is impossible: the source does
   * not list, the folder does not exist, or a bound is reached. Never rejects.
   */
  list(source: Source, folder: string): Promise<Listing | undefined>;
  /** True if the time is over. */
  isOver(): boolean;
}

/** Creates a lister of up to that number of folders within a shared time, each listed once. */
export function createLister({ ms, folders }: { readonly ms: number; readonly folders: number }): Lister {
  const end = performance.now() + ms;
  const known = new Map<string, Promise<Listing | undefined>>();
  const list = async (source: Source, folder: string): Promise<Listing | undefined> => {
    let isWhole = true;
    const isOver = () => {
      if (performance.now() > end) isWhole = false;
      return !isWhole;
    };
    const left = end - performance.now();
    if (left <= 0) return undefined;
    // A folder on a dead mount is never listed.
    const entries = await withDeadline(left, async () => source.list?.(folder, isOver)).catch(
      () => undefined,
    );
    return entries && { entries, isWhole };
  };
  return {
    isOver: () => performance.now() > end,
    async list(source, folder) {
      const key = JSON.stringify([source.name, folder]);
      if (!known.has(key)) {
        if (known.size >= folders) return undefined;
        known.set(key, list(source, folder));
      }
      return known.get(key);
    },
  };
}

/**
 * Yields the keys of images in a folder and below it, sorted by name; `undefined` for each part that could
 * not be read.
 */
export async function* imagesBelow(
  lister: Lister,
  source: Source,
  folder: string,
): AsyncGenerator<string | undefined> {
  const folders = [folder];
  for (const each of folders) {
    const listing = await lister.list(source, each);
    for (const { name, kind } of listing?.entries ?? []) {
      const key = each === "" ? name : `${each}/${name}`;
      if (kind === "directory") folders.push(key);
      else if (kind === "image") yield key;
    }
    if (!listing?.isWhole) yield undefined;
    // All following folders would fail too, and there may be any number of them.
    if (!listing) return;
  }
}
