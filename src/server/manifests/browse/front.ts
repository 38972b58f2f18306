// The image that represents a folder: the one that its manifest file names, or else the first.

import { placeInFront } from "../../../iiif/index.ts";
import type { Sources } from "../../sources/index.ts";
import { imagesOf } from "../documents/folder-images.ts";
import type { Folder } from "../folders/folder.ts";
import type { FolderLocation } from "../locations.ts";
import { descriptionOfImages } from "./contents.ts";
import type { Entry } from "./entries.ts";

/** Returns images of a folder, the one that represents it first. */
export function frontOf(
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
