// The texts in a folder of images.

import { forEachConcurrently } from "../../../base/index.ts";
import type { Folder } from "../folders/folder.ts";
import { isOfTexts } from "../folders/notes.ts";
import { textFolders, withoutExtension } from "../folders/text-names.ts";
import { type FolderLocation, inside } from "../locations.ts";
import { type TextFile, type TextFolder, textFilesOf } from "./text-files.ts";

/** The files of text that belong to the images of a folder. */
export interface FolderTexts {
  /** Equal as long as the same folders hold the same. */
  readonly stamp: string;
  /** True if no image has any. */
  readonly isEmpty: boolean;
  /** The files of an image or of its page, the most likely first; none if it has no text. */
  filesOf(image: { readonly name: string; readonly page?: number | undefined }): readonly TextFile[];
}

export const noTexts: FolderTexts = { stamp: "", isEmpty: true, filesOf: () => [] };

/** Folders of pages of one file each that are looked into. */
const maxFolders = 100;

/** Folders that are read simultaneously. */
const foldersAtOnce = 8;

/**
 * Finds the texts in a folder and in the folders of texts in it. `find`: returns one of these folders, or
 * undefined. Throws what it throws.
 */
export async function folderTexts(
  find: (location: FolderLocation) => Promise<Folder | undefined>,
  location: FolderLocation,
  folder: Folder,
): Promise<FolderTexts> {
  const { notes, images, texts } = folder.listing;
  const bare = new Set(notes.length > 0 ? images.map(({ name }) => withoutExtension(name)) : []);
  const wanted = notes.filter((name) => textFolders.has(name.toLowerCase()) || bare.has(name));
  const serials: (readonly [name: string, serial: number])[] = [];
  const found = new Map<string, TextFolder>();
  await forEachConcurrently(wanted.slice(0, maxFolders), foldersAtOnce, async (name) => {
    const own = inside(location, name);
    const inner = await find(own);
    if (!inner || !isOfTexts(inner)) return;
    serials.push([name, inner.serial]);
    found.set(name, { location: own, texts: inner.listing.texts });
  });
  const named = wanted.filter((name) => textFolders.has(name.toLowerCase()));
  return {
    stamp: JSON.stringify(serials.sort()),
    isEmpty: texts.length === 0 && found.size === 0,
    ...textsIn([{ location, texts }, ...named.flatMap((name) => found.get(name) ?? [])], (name) =>
      found.get(withoutExtension(name)),
    ),
  };
}

/** Returns what finds the texts of images in folders; `pagesOf`: the folder of the pages of an image. */
export const textsIn = (
  folders: readonly TextFolder[],
  pagesOf: (name: string) => TextFolder | undefined,
): Pick<FolderTexts, "filesOf"> => ({
  filesOf: (image) => textFilesOf(image, folders, pagesOf(image.name)),
});
