// Folders that hold only annotations, or texts: they are parts of documents, and no folders for readers.

import { forEachConcurrently, ServiceError } from "../../../base/index.ts";
import { isOfAnnotations } from "../../../iiif/index.ts";
import { type FolderLocation, inside } from "../locations.ts";
import type { Folder } from "./folder.ts";
import type { Listing } from "./listing.ts";

/** Reads what a folder holds, without what is known of the folders in it. */
export type Look = (location: FolderLocation) => Promise<Pick<Folder, "listing" | "manifestFile">>;

/** Folders that are read simultaneously. */
const atOnce = 8;
/** Levels of folders below which annotations are found. */
const maxLevels = 3;

/** True for a folder that holds texts and nothing else. */
export function isOfTexts({ listing, manifestFile }: Pick<Folder, "listing" | "manifestFile">): boolean {
  const { images, texts, directories, notes } = listing;
  const others = images.length + directories.length + notes.length;
  return texts.length > 0 && others === 0 && manifestFile === undefined;
}

/** True for a folder that holds annotations and nothing else. */
export function isOfNotes({ listing, manifestFile }: Pick<Folder, "listing" | "manifestFile">): boolean {
  if (listing.images.length + listing.directories.length > 0) return false;
  const whole = manifestFile?.stored?.whole;
  return whole ? isOfAnnotations(whole) : manifestFile === undefined && listing.notes.length > 0;
}

/**
 * Returns a listing whose folders of annotations or texts are notes instead of directories, among the first
 * `max` folders. One that cannot be read counts as a directory.
 */
export async function withoutNotes(
  location: FolderLocation,
  listing: Listing,
  max: number,
  look: Look,
  levels = maxLevels,
): Promise<Listing> {
  const found = new Set<string>();
  await forEachConcurrently(listing.directories.slice(0, max), atOnce, async (name) => {
    if (await holdsNotes(inside(location, name), look, levels)) found.add(name);
  });
  if (found.size === 0) return listing;
  const has = (name: string) => found.has(name);
  return {
    ...listing,
    directories: listing.directories.filter((name) => !has(name)),
    notes: listing.directories.filter(has),
  };
}

async function holdsNotes(location: FolderLocation, look: Look, levels: number): Promise<boolean> {
  try {
    const folder = await look(location);
    const { listing } = folder;
    if (isOfTexts(folder)) return true;
    const [first] = listing.directories;
    if (listing.images.length > 0 || first === undefined || levels === 1) return isOfNotes(folder);
    // Usually the first folder in it shows that it holds more.
    if (!(await holdsNotes(inside(location, first), look, levels - 1))) return false;
    const inner = await withoutNotes(location, listing, listing.directories.length, look, levels - 1);
    return isOfNotes({ ...folder, listing: inner });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
    return false;
  }
}
