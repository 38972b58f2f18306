// Kind of a folder: a manifest of its images, or a collection of its contents, according to its contents or
// its manifest file.

import type { LanguageMap } from "../../../base/index.ts";
import { type Fault, isOfAnnotations } from "../../../iiif/index.ts";
import type { Folder } from "../folders/folder.ts";
import { isOfNotes } from "../folders/notes.ts";
import { type FolderLocation, nameOf } from "../locations.ts";

/**
 * `annotations`: a whole document of annotations, which no collection lists (Presentation API 3.0, section
 * 5.1).
 */
export type FolderKind = "manifest" | "collection" | "annotations";

/** `images`: how many of its images are reached. The top of a source is a collection whatever it holds. */
export function kindOfFolder(
  { listing, manifestFile }: Pick<Folder, "listing" | "manifestFile">,
  { key }: FolderLocation,
  images: number,
): FolderKind {
  if (key === "") return "collection";
  const whole = manifestFile?.stored?.whole ?? manifestFile?.newer;
  if (isOfNotes({ listing, ...(manifestFile && { manifestFile }) })) return "annotations";
  if (whole && isOfAnnotations(whole)) {
    if (images === 0) return "annotations";
  } else if (whole) return whole.type === "Manifest" ? "manifest" : "collection";
  return images > 0 && listing.directories.length === 0 ? "manifest" : "collection";
}

/** Returns the label of a folder: from its manifest file, or else its name. */
export function labelOf(
  folder: Folder,
  location: FolderLocation,
  kind: "manifest" | "collection",
): string | LanguageMap {
  const whole = folder.manifestFile?.stored?.whole;
  // Annotations next to images have a label of their own.
  if (whole && isOfAnnotations(whole)) return nameOf(location);
  const said = whole ? whole.label : folder.manifestFile?.describe(kind).members.label;
  return (said as LanguageMap | undefined) ?? nameOf(location);
}

/** Returns the label of the manifest of the images next to the folders of a folder. */
export function labelOfImages({ manifestFile }: Folder, location: FolderLocation): string | LanguageMap {
  const said = isOfImages(manifestFile)
    ? manifestFile?.stored?.whole.label
    : manifestFile?.describe("collection").images?.members.label;
  return (said as LanguageMap | undefined) ?? nameOf(location);
}

const misplaced: Fault = {
  path: ["type"],
  message:
    "expected Manifest or Collection at the top of a source; put annotations next to the images that they are about, or into a folder of their own",
};

/**
 * True for a whole document of annotations in a collection without images, which is noted as a fault: the
 * top of a source is a collection whatever it holds, and nothing else is called one by its kind.
 */
export function isMisplaced(kind: FolderKind, images: number, manifestFile: Folder["manifestFile"]): boolean {
  const { stored } = manifestFile ?? {};
  if (kind !== "collection" || images > 0 || !stored || !isOfAnnotations(stored.whole)) return false;
  manifestFile?.add([misplaced]);
  return true;
}

/** True if the whole document of a collection is the manifest of its images, as at the top of a source. */
export const isOfImages = (manifestFile: Folder["manifestFile"]): boolean =>
  manifestFile?.stored?.whole.type === "Manifest";
