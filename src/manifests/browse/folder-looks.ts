// Folders as pages list them: their labels, the number of their contents, and a picture of each, within a
// time limit.

import type { LanguageMap } from "../../iiif/auth.ts";
import type { ListedImage } from "../../images/look.ts";
import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { placeOf } from "../places.ts";
import { type Entry, entriesOf } from "./entries.ts";
import { frontOf } from "./front.ts";
import { labelOfFolder } from "./labels.ts";

export interface ShownFolder {
  readonly identifier: string;
  readonly label?: LanguageMap;
  /** Number of its entries, if everybody may know it. */
  readonly holds?: { readonly images: number; readonly folders: number };
  /** Its first image, if it can be found quickly. */
  readonly picture?: ListedImage;
}

export interface FolderLooksParts {
  readonly sources: Sources;
  readonly folders: Folders;
}

interface How {
  /** A picture for the caller. */
  readonly lookAt: (image: Entry) => Promise<ListedImage | undefined>;
  /** True if the caller may have an image; undefined: that is unknown before it is examined. */
  readonly mayHave: ((identifier: string) => Promise<boolean> | boolean) | undefined;
  readonly tellsCounts: boolean;
}

/** Folders that are read simultaneously. */
const atOnce = 4;
/** Milliseconds after which no further folder is read. */
const longestMs = 300;
/** Images of a folder among which a picture of it is looked for. */
const pictureAmong = 4;

/** The folders of a page, in their order. One that cannot be read in time is there by its name. */
export async function folderLooks(
  parts: FolderLooksParts,
  entries: readonly Entry[],
  how: How,
): Promise<readonly ShownFolder[]> {
  const end = performance.now() + longestMs;
  const seen: ShownFolder[] = [...entries];
  await forEachConcurrently(entries.entries(), atOnce, async ([at, entry]) => {
    const left = end - performance.now();
    if (left <= 0) return;
    const known = await withDeadline(left, () => lookInto(parts, entry, how)).catch(() => undefined);
    if (known) seen[at] = known;
  });
  return seen;
}

async function lookInto(
  { sources, folders }: FolderLooksParts,
  { identifier, label: labelAbove }: Entry,
  { lookAt, mayHave, tellsCounts }: How,
): Promise<ShownFolder | undefined> {
  const place = placeOf(sources, identifier);
  // Without the signal of the request, because the folder is needed again soon.
  const folder = await folders.find(place.source, place.key);
  if (!folder) return undefined;
  const entries = entriesOf(sources, place, folder, false);
  const images = entries.filter(({ kind }) => kind === "image");
  let picture: ListedImage | undefined;
  for (const image of frontOf(sources, place, folder, images).slice(0, pictureAmong)) {
    if (mayHave && !(await mayHave(image.identifier))) continue;
    picture = await lookAt(image);
    if (picture?.size) break;
  }
  const label = labelAbove ?? labelOfFolder(sources, place, folder);
  return {
    identifier,
    ...(label && { label }),
    ...(tellsCounts && { holds: { images: images.length, folders: entries.length - images.length } }),
    ...(picture?.size && { picture }),
  };
}
