// Folders as pages list them: their labels, the number of their contents, and a picture of each, within a
// time limit.

import { forEachConcurrently, type LanguageMap, withDeadline } from "../../../base/index.ts";
import type { ListedImage } from "../../images/look.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { locationOf } from "../locations.ts";
import { type Entry, entriesOf } from "./entries.ts";
import { labelOfFolder } from "./labels.ts";
import type { FolderLock } from "./lock.ts";
import { createPictureSearch, type PictureSearch } from "./picture-below.ts";
import type { Sight } from "./sight.ts";

export interface ShownFolder {
  readonly identifier: string;
  readonly label?: LanguageMap;
  /** Number of its entries, if everybody may know it. */
  readonly holds?: { readonly images: number; readonly folders: number };
  /** Its first image, or the first in the folders below it, if it can be found quickly. */
  readonly picture?: ListedImage;
  /** Set if the caller may see only its title. */
  readonly lock?: FolderLock;
}

export interface FolderLooksParts {
  readonly sources: Sources;
  readonly folders: Folders;
}

interface How {
  readonly sight: Pick<Sight, "lookAt" | "mayHave" | "isSoonKnown" | "filterPermitted" | "lockOf">;
  readonly tellsCounts: boolean;
}

/** Folders that are read simultaneously. */
const atOnce = 4;
/** Milliseconds after which no further folder is read. */
const maxMs = 300;

/** The folders of a page, in their order. One that cannot be read in time is there by its name. */
export async function folderLooks(
  parts: FolderLooksParts,
  entries: readonly Entry[],
  how: How,
): Promise<readonly ShownFolder[]> {
  const end = performance.now() + maxMs;
  const search = createPictureSearch(parts, how.sight, end);
  const seen: ShownFolder[] = [...entries];
  await forEachConcurrently(entries.entries(), atOnce, async ([at, entry]) => {
    const lock = await how.sight.lockOf(entry.identifier);
    if (lock) seen[at] = { ...entry, lock };
    const left = end - performance.now();
    if (left <= 0) return;
    const look = () => (lock ? titleOf(parts, entry) : lookInto(parts, entry, how, search));
    const known = await withDeadline(left, look).catch(() => undefined);
    if (known) seen[at] = lock ? { ...known, lock } : known;
  });
  return seen;
}

async function titleOf(
  { sources, folders }: FolderLooksParts,
  { identifier, label: labelAbove }: Entry,
): Promise<ShownFolder> {
  const location = locationOf(sources, identifier);
  const folder = labelAbove ? undefined : await folders.find(location.source, location.key);
  const label = labelAbove ?? (folder && labelOfFolder(sources, location, folder));
  return { identifier, ...(label && { label }) };
}

async function lookInto(
  { sources, folders }: FolderLooksParts,
  { identifier, label: labelAbove }: Entry,
  { tellsCounts }: How,
  search: PictureSearch,
): Promise<ShownFolder | undefined> {
  const location = locationOf(sources, identifier);
  // Without the signal of the request, because the folder is needed again soon.
  const folder = await folders.find(location.source, location.key);
  if (!folder) return undefined;
  const entries = entriesOf(sources, location, folder, false);
  const images = entries.filter(({ kind }) => kind === "image");
  const picture = await search.find(location, folder);
  const label = labelAbove ?? labelOfFolder(sources, location, folder);
  return {
    identifier,
    ...(label && { label }),
    ...(tellsCounts && { holds: { images: images.length, folders: entries.length - images.length } }),
    ...(picture && { picture }),
  };
}
