// A folder as a page needs it: its entries, its summary, and the document that shows its images.

import { ServiceError } from "../../../base/index.ts";
import { imagesId } from "../../../iiif/index.ts";
import type { Caller } from "../../access/access.ts";
import type { Sources } from "../../sources/index.ts";
import { imagesOf } from "../documents/folder-images.ts";
import { isOfImages, kindOfFolder } from "../documents/folder-kind.ts";
import type { Folder } from "../folders/folder.ts";
import type { Folders } from "../folders/folders.ts";
import { type FolderLocation, identifierOf } from "../locations.ts";
import { membersOfFolder } from "./contents.ts";
import { type Entry, entriesOf } from "./entries.ts";

export interface ListedFolder {
  readonly entries: readonly Entry[];
  /** Texts by language, from its manifest file. */
  readonly summary?: unknown;
  /** Identifier of the document that a viewer opens to show the images of the folder. */
  readonly viewed?: string | undefined;
  /** Set if the source of the root did not respond. */
  readonly isAway?: true;
}

/**
 * Returns it; undefined if there is no such folder, though the root always exists. Throws what its source
 * throws.
 */
export async function readContents(
  { sources, folders }: { readonly sources: Sources; readonly folders: Folders },
  location: FolderLocation,
  isRoot: boolean,
  { signal }: Caller,
): Promise<ListedFolder | undefined> {
  const { source, key } = location;
  try {
    // Without listings, only stored manifests could be found.
    const folder = source.list && (await folders.find(source, key, signal));
    if (!folder && !isRoot) return undefined;
    const entries = entriesOf(sources, location, folder, isRoot);
    if (!folder) return { entries };
    const { summary } = membersOfFolder(sources, location, folder);
    return { entries, summary, viewed: manifestOfFolder(sources, location, folder, isRoot) };
  } catch (error) {
    // The other sources are still listed.
    const isAway = error instanceof ServiceError && ["source", "busy"].includes(error.kind);
    if (!isRoot || !isAway) throw error;
    return { entries: entriesOf(sources, location, undefined, isRoot), isAway: true };
  }
}

function manifestOfFolder(
  sources: Sources,
  location: FolderLocation,
  folder: Folder,
  isRoot: boolean,
): string | undefined {
  const own = isRoot ? "" : identifierOf(location);
  const { listing, manifestFile } = folder;
  const count = imagesOf(sources, location, folder).length;
  if (kindOfFolder(folder, location, count) === "manifest") return own;
  const hasImages = isOfImages(manifestFile) || count > 0;
  return hasImages && !listing.directories.includes(imagesId("")) ? imagesId(own) : undefined;
}
