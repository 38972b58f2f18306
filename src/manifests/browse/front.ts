// Which image stands for a folder: the one that its manifest file names, else the first.

import { placeInFront } from "../../iiif/presentation/description/merge.ts";
import type { Sources } from "../../sources/index.ts";
import { imagesOf } from "../documents/canvases.ts";
import type { Folder } from "../folders/folder.ts";
import { identifierOf, inside, type Place } from "../places.ts";
import { descriptionOfImages } from "./contents.ts";
import type { Entry } from "./entries.ts";

/** Images of a folder, the one that stands for it first. */
export function frontOf(
  sources: Sources,
  place: Place,
  folder: Folder,
  images: readonly Entry[],
): readonly Entry[] {
  const description = descriptionOfImages(sources, place, folder);
  if (description.thumbnail === undefined) return images;
  const names = imagesOf(sources, place, folder).map(({ name }) => name);
  const name = names[placeInFront(names, description)];
  if (name === undefined) return images;
  const identifier = identifierOf(inside(place, name));
  return [{ kind: "image", identifier }, ...images.filter((image) => image.identifier !== identifier)];
}
