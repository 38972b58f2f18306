// What a folder holds by its names: its folders, at the root the tops of further sources, and its images.

import type { Sources } from "../../sources/index.ts";
import { imagesOf } from "../documents/canvases.ts";
import type { Folder } from "../folders/folder.ts";
import { identifierOf, inside, isReached, type Place } from "../places.ts";

export interface Entry {
  readonly kind: "folder" | "image";
  readonly identifier: string;
}

/** The entries of a folder in their order: folders, at the root the tops of further sources that can list, then images. */
export function entriesOf(
  sources: Sources,
  place: Place,
  folder: Folder | undefined,
  isRoot: boolean,
): readonly Entry[] {
  const entry = (kind: Entry["kind"]) => (of: Place) => ({ kind, identifier: identifierOf(of) });
  const below = (folder?.listing.directories ?? [])
    .map((name) => inside(place, name))
    .filter((inner) => isReached(sources, inner, "folder"));
  const tops = (isRoot ? sources.all : [])
    .filter((source) => source !== sources.default && source.list)
    .map((source) => ({ source, key: "" }));
  const images = folder ? imagesOf(sources, place, folder).map(({ name }) => inside(place, name)) : [];
  return [...[...below, ...tops].map(entry("folder")), ...images.map(entry("image"))];
}
