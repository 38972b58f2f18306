// The texts in a folder of images.

import { forEachConcurrently } from "../../../base/index.ts";
import type { Folder } from "../folders/folder.ts";
import type { ListedFile } from "../folders/listing.ts";
import { orderedPages } from "../folders/mets-file.ts";
import { isOfTexts } from "../folders/notes.ts";
import { textFolders, withoutExtension } from "../folders/text-names.ts";
import { type FolderLocation, inside } from "../locations.ts";
import type { PresentationOptions } from "../options.ts";
import {
  type CanFold,
  foldName,
  mayHaveOwnText,
  stemsOfImage,
  type TextFile,
  type TextFolder,
  textFilesNamed,
  textFilesOf,
} from "./text-files.ts";

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

/** True unless a hook may show another file, whose text this is not, or the operator turns texts off. */
export const showsTexts = ({
  images,
  options,
}: {
  readonly images: { readonly hooks?: { has(name: "resolve"): boolean } | undefined };
  readonly options: Pick<PresentationOptions, "texts">;
}): boolean => options.texts && images.hooks?.has("resolve") !== true;

/** Folders of pages of one file each that are looked into. */
const maxFolders = 100;

/** Folders that are read simultaneously. */
const foldersAtOnce = 8;

/** Images of a folder whose files are remembered, so that a search does not look for all of them again. */
const maxRemembered = 100_000;

const known = new WeakMap<Folder["listing"], FolderTexts>();

/**
 * Finds the texts in a folder and in the folders of texts in it; none if its manifest file turns them off.
 * `find`: returns one of these folders, or undefined. Throws what it throws.
 */
export async function folderTexts(
  find: (location: FolderLocation) => Promise<Folder | undefined>,
  location: FolderLocation,
  folder: Folder,
): Promise<FolderTexts> {
  const { notes, images, texts } = folder.listing;
  if (folder.manifestFile?.texts === false) return noTexts;
  const canFold = canFoldIn(images);
  const bare = new Set(notes.length > 0 ? images.map(({ name }) => foldName(withoutExtension(name))) : []);
  const ofMets = textsOfMets(folder);
  const wanted = notes.filter(
    (name) => ofMets.size > 0 || textFolders.has(name.toLowerCase()) || bare.has(foldName(name)),
  );
  const serials: (readonly [name: string, serial: number])[] = [];
  const found = new Map<string, TextFolder>();
  await forEachConcurrently(wanted.slice(0, maxFolders), foldersAtOnce, async (name) => {
    const own = inside(location, name);
    const inner = await find(own);
    if (!inner || !isOfTexts(inner)) return;
    serials.push([name, inner.serial]);
    found.set(name, { location: own, texts: inner.listing.texts });
  });
  const stamp = JSON.stringify([serials.sort(), folder.mets?.validator]);
  const before = known.get(folder.listing);
  if (before?.stamp === stamp) return before;
  const folded = new Map([...found].map(([name, own]) => [foldName(name), own]));
  const pagesOf = (name: string) => {
    const stem = withoutExtension(name);
    return found.get(stem) ?? (canFold(stem) ? folded.get(foldName(stem)) : undefined);
  };
  const named = wanted.filter((name) => textFolders.has(name.toLowerCase()));
  const folders = [{ location, texts }, ...named.flatMap((name) => found.get(name) ?? [])];
  const made: FolderTexts = {
    stamp,
    isEmpty: texts.length === 0 && found.size === 0 && !images.some(({ name }) => mayHaveOwnText(name)),
    filesOf: rememberFiles(
      withNamed(textsIn(folders, pagesOf, canFold).filesOf, ofMets, [{ location, texts }, ...found.values()]),
    ),
  };
  known.set(folder.listing, made);
  return made;
}

/** Names of the files of text that the METS file of a folder names for each image. */
const textsOfMets = ({ mets, listing }: Folder): ReadonlyMap<string, readonly string[]> =>
  new Map(
    (mets ? orderedPages(mets, listing.images) : [])
      .filter(({ texts }) => texts.length > 0)
      .map(({ image, texts }) => [image, texts]),
  );

/** Adds the files that are named for images of one page, whatever their own names are. */
function withNamed(
  filesOf: FolderTexts["filesOf"],
  named: ReadonlyMap<string, readonly string[]>,
  folders: readonly TextFolder[],
): FolderTexts["filesOf"] {
  if (named.size === 0) return filesOf;
  return (image) => {
    const found = filesOf(image);
    const names = image.page === undefined ? (named.get(image.name) ?? []) : [];
    const keys = new Set(found.map(({ location }) => location.key));
    const more = names.flatMap((name) => textFilesNamed(name, folders));
    return [...found, ...more.filter(({ location }) => !keys.has(location.key))];
  };
}

function rememberFiles(filesOf: FolderTexts["filesOf"]): FolderTexts["filesOf"] {
  const remembered = new Map<string, readonly TextFile[]>();
  return (image) => {
    const key = image.page === undefined ? image.name : `${image.page}/${image.name}`;
    const before = remembered.get(key);
    if (before) return before;
    const files = filesOf(image);
    if (remembered.size < maxRemembered) remembered.set(key, files);
    return files;
  };
}

/** Returns what finds the texts of images in folders; `pagesOf`: the folder of the pages of an image. */
export const textsIn = (
  folders: readonly TextFolder[],
  pagesOf: (name: string) => TextFolder | undefined,
  canFold: CanFold = () => false,
): Pick<FolderTexts, "filesOf"> => ({
  filesOf: (image) => textFilesOf(image, folders, { pages: pagesOf(image.name), canFold }),
});

const folds = new WeakMap<readonly ListedFile[], CanFold>();

/**
 * Returns what finds out whether no other image of a folder has a name that differs in case alone: the text
 * of another image would be worse than none.
 */
export function canFoldIn(images: readonly ListedFile[]): CanFold {
  const known = folds.get(images);
  if (known) return known;
  const owners = new Map<string, Set<string>>();
  for (const { name } of images)
    for (const stem of stemsOfImage(name)) {
      const own = owners.get(foldName(stem)) ?? new Set();
      owners.set(foldName(stem), own.add(stem));
    }
  const canFold: CanFold = (stem) => owners.get(foldName(stem))?.size === 1;
  folds.set(images, canFold);
  return canFold;
}
