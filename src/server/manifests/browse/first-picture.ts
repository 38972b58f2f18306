// Finds the picture that the start page opens and the log names: the first that people see, within a time
// limit.

import type { Sources } from "../../sources/index.ts";
import type { Source } from "../../sources/source.ts";
import { folderInTime } from "../folders/folder-in-time.ts";
import type { ListedFolder } from "../folders/folders.ts";
import { locationOf } from "../locations.ts";
import { type Entry, entriesOf } from "./entries.ts";
import type { ShownImage, Sight } from "./sight.ts";

export interface FirstPictureParts {
  readonly sources: Sources;
  /** Finds folders, cached or not. */
  readonly folders: { find(source: Source, key: string): Promise<ListedFolder | undefined> };
}

/** Folders that are looked into at most. */
const maxFolders = 16;
/** Images that are looked at at most. */
const maxImages = 96;
/** Milliseconds after which no further folder is looked into, and no further image looked at. */
const maxMs = 1000;

/**
 * The first image that can be shown: of the root, then of the folders below it and of further sources, the
 * nearer ones first. If none can, the first of those that cannot; undefined if there is none.
 */
export async function firstPicture(parts: FirstPictureParts, sight: Sight): Promise<ShownImage | undefined> {
  if (sight.isMapped) return undefined;
  const end = performance.now() + maxMs;
  let first: ShownImage | undefined;
  let looks = 0;
  for await (const entry of imagesBelow(parts, sight, end)) {
    if (looks++ === maxImages || performance.now() > end) break;
    const image = await sight.lookAt(entry);
    if (image?.size) return image;
    first ??= image;
  }
  return first;
}

async function* imagesBelow(parts: FirstPictureParts, sight: Sight, end: number): AsyncGenerator<Entry> {
  const identifiers = [""];
  for (const identifier of identifiers) {
    const entries = await sight.filterPermitted(await entriesAt(parts, identifier, end - performance.now()));
    for (const entry of entries) if (entry.kind === "image") yield entry;
    const below = entries.filter(({ kind }) => kind === "folder").slice(0, maxFolders - identifiers.length);
    identifiers.push(...below.map(({ identifier }) => identifier));
  }
}

/**
 * Returns the visible entries of a folder. One that cannot be read in time has no images; at the root the
 * other sources are still listed.
 */
async function entriesAt(
  { sources, folders }: FirstPictureParts,
  identifier: string,
  ms: number,
): Promise<readonly Entry[]> {
  const location = locationOf(sources, identifier);
  const folder = await folderInTime(folders, location, ms);
  return entriesOf(sources, location, folder, identifier === "");
}
