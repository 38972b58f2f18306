// Contents of a folder as people see them: its folders and images in the order and with the labels of its
// manifest file, without those that it hides.

import type { LanguageMap } from "../../../base/index.ts";
import {
  arrangeNames,
  type Description,
  emptyDescription,
  isOfAnnotations,
  type Resource,
} from "../../../iiif/index.ts";
import type { Sources } from "../../sources/index.ts";
import { imagesOf } from "../documents/folder-images.ts";
import { kindOfFolder } from "../documents/folder-kind.ts";
import type { ListedFolder } from "../folders/folders.ts";
import { isOfNotes } from "../folders/notes.ts";
import { type FolderLocation, inside, isReached } from "../locations.ts";

export interface Content {
  readonly kind: "folder" | "image";
  readonly name: string;
  /** `hide: true` in the manifest file. */
  readonly isHidden: boolean;
  /** Members from the manifest file; for a folder, those in the manifest file of its parent. */
  readonly members: Resource;
}

const known = new WeakMap<ListedFolder, readonly Content[]>();

/**
 * Returns the contents of a folder: folders, then images, including hidden ones. Cached for as long as the
 * folder is.
 */
export function contentsOf(
  sources: Sources,
  location: FolderLocation,
  folder: ListedFolder,
): readonly Content[] {
  const before = known.get(folder);
  if (before) return before;
  const folders = folder.listing.directories.filter((name) =>
    isReached(sources, inside(location, name), "folder"),
  );
  const images = imagesOf(sources, location, folder).map(({ name }) => name);
  const of = descriptionsOf(sources, location, folder);
  const contents = [...contentsBy("folder", folders, of.folders), ...contentsBy("image", images, of.images)];
  known.set(folder, contents);
  return contents;
}

function contentsBy(
  kind: Content["kind"],
  names: readonly string[],
  description: Description,
): readonly Content[] {
  return arrangeNames(names, description, kind).map(({ index, isHidden, members }) => ({
    kind,
    name: names[index] as string,
    isHidden,
    members,
  }));
}

/** Returns the members of a folder from its manifest file. For a whole document these are its own members. */
export function membersOfFolder(sources: Sources, location: FolderLocation, folder: ListedFolder): Resource {
  const whole = folder.manifestFile?.stored?.whole;
  // At the top of a source, a whole manifest belongs to its images, and annotations do not belong to it.
  if (whole && isOfAnnotations(whole) && !isOfNotes(folder)) return {};
  if (whole) return location.key === "" && whole.type !== "Collection" ? {} : whole;
  return descriptionsOf(sources, location, folder).own.members;
}

/** Returns what a manifest file says about the images of its folder. */
export function descriptionOfImages(
  sources: Sources,
  location: FolderLocation,
  folder: ListedFolder,
): Description {
  return descriptionsOf(sources, location, folder).images;
}

interface Descriptions {
  readonly own: Description;
  readonly folders: Description;
  readonly images: Description;
}

function descriptionsOf(sources: Sources, location: FolderLocation, folder: ListedFolder): Descriptions {
  const { manifestFile } = folder;
  if (!manifestFile || manifestFile.stored) return silent;
  const count = imagesOf(sources, location, folder).length;
  const isManifest = kindOfFolder(folder, location, count) === "manifest";
  const own = manifestFile.describe(isManifest ? "manifest" : "collection");
  return isManifest
    ? { own, folders: emptyDescription, images: own }
    : { own, folders: own, images: own.images ?? emptyDescription };
}

const silent: Descriptions = { own: emptyDescription, folders: emptyDescription, images: emptyDescription };

/** Returns the label among members, if any. */
export const labelIn = ({ label }: Resource): LanguageMap | undefined => label as LanguageMap | undefined;
