// The picture of a folder on a page: its first image, or else the first in the folders below it. The work is
// bounded, and everything it needs is cached with the listings.

import { placeInFront } from "../../../iiif/index.ts";
import type { ListedImage } from "../../images/look.ts";
import type { Sources } from "../../sources/index.ts";
import { imagesOf } from "../documents/folder-images.ts";
import type { Folder } from "../folders/folder.ts";
import type { Folders } from "../folders/folders.ts";
import { type FolderLocation, locationOf } from "../locations.ts";
import { descriptionOfImages } from "./contents.ts";
import { type Entry, entriesOf } from "./entries.ts";
import type { Sight } from "./sight.ts";

export interface PictureSearch {
  /** Returns the picture of a folder for the caller; undefined if there is none, or none is found in time. */
  find(location: FolderLocation, folder: Folder): Promise<ListedImage | undefined>;
}

/** Levels below a folder that are looked into. */
const maxLevels = 3;
/** Folders below it that are looked into. */
const maxFolders = 8;
/** Images that are looked at in one folder. */
const maxImages = 4;

/** The search for one page. `end`: time after which no further folder is read, by `performance.now()`. */
export function createPictureSearch(
  { sources, folders }: { readonly sources: Sources; readonly folders: Pick<Folders, "find"> },
  {
    lookAt,
    mayHave,
    isSoonKnown,
    filterPermitted,
  }: Pick<Sight, "lookAt" | "mayHave" | "isSoonKnown" | "filterPermitted">,
  end: number,
): PictureSearch {
  const pictureIn = async (
    location: FolderLocation,
    folder: Folder,
    level: number,
    rest: { folders: number },
  ): Promise<ListedImage | undefined> => {
    const entries = entriesOf(sources, location, folder, false);
    const images = entries.filter(({ kind }) => kind === "image");
    for (const image of frontOf(sources, location, folder, images).slice(0, maxImages)) {
      // If a hook decides, it does so when the image is looked at.
      if (isSoonKnown && !(await mayHave(image.identifier))) continue;
      const picture = await lookAt(image);
      if (picture?.size) return picture;
    }
    if (level === maxLevels) return undefined;
    for (const { kind, identifier } of await filterPermitted(entries)) {
      if (kind !== "folder") continue;
      if (rest.folders === 0 || performance.now() > end) return undefined;
      rest.folders--;
      const below = locationOf(sources, identifier);
      const inner = await folders.find(below.source, below.key).catch(() => undefined);
      const picture = inner && (await pictureIn(below, inner, level + 1, rest));
      if (picture) return picture;
    }
    return undefined;
  };
  return { find: (location, folder) => pictureIn(location, folder, 0, { folders: maxFolders }) };
}

/** Returns images of a folder, the one that represents it first. */
function frontOf(
  sources: Sources,
  location: FolderLocation,
  folder: Folder,
  images: readonly Entry[],
): readonly Entry[] {
  const description = descriptionOfImages(sources, location, folder);
  if (description.thumbnail === undefined) return images;
  const all = imagesOf(sources, location, folder);
  const identifier = all[placeInFront(all, description)]?.identifier;
  if (identifier === undefined) return images;
  return [{ kind: "image", identifier }, ...images.filter((image) => image.identifier !== identifier)];
}
