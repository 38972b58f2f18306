// The files of text that belong to the images of a folder, by their names.

import type { Folder } from "../folders/folder.ts";
import type { ListedFile } from "../folders/listing.ts";
import { type FolderLocation, inside, nameOf } from "../locations.ts";

/** A file that may hold the text of one image. */
export interface TextFile {
  /** The file by its source and key. */
  readonly location: FolderLocation;
  readonly name: string;
  /** Index of the page in the file, from 0. */
  readonly page: number;
  /** What its name says; of other XML only the contents do. */
  readonly form: TextForm;
}

/** Forms that names tell apart. */
export type TextForm = "alto" | "page" | "hocr" | "xml" | "plain";

/** A folder with texts. */
export interface TextFolder {
  readonly location: FolderLocation;
  readonly folder: Pick<Folder, "listing">;
}

/** Endings of names, the first that fits; files with boxes come before those without. */
const endings: readonly (readonly [ending: RegExp, form: TextForm])[] = [
  [/[._]alto\.xml$/i, "alto"],
  [/\.page\.xml$/i, "page"],
  [/\.xml$/i, "xml"],
  [/[._]hocr\.html?$|\.hocr$/i, "hocr"],
  [/\.txt$/i, "plain"],
];

/** Forms that the name of a folder gives its XML. */
const formOfFolder: Readonly<Record<string, TextForm>> = { alto: "alto", page: "page" };

interface Stem {
  /** Name without the ending. */
  readonly stem: string;
  readonly form: TextForm;
  readonly rank: number;
}

function stemOf(name: string): Stem | undefined {
  for (const [rank, [ending, form]] of endings.entries())
    if (ending.test(name)) return { stem: name.replace(ending, ""), form, rank };
  return undefined;
}

/** Files of one folder by what their names begin with, the best first. */
type Stems = ReadonlyMap<string, readonly (Stem & { readonly file: ListedFile })[]>;

const known = new WeakMap<object, Stems>();

function stemsOf({ listing }: TextFolder["folder"]): Stems {
  const found = known.get(listing);
  if (found) return found;
  const stems = new Map<string, (Stem & { readonly file: ListedFile })[]>();
  for (const file of listing.texts) {
    const own = stemOf(file.name);
    if (own) stems.set(own.stem, [...(stems.get(own.stem) ?? []), { ...own, file }]);
  }
  for (const list of stems.values()) list.sort((one, other) => one.rank - other.rank);
  known.set(listing, stems);
  return stems;
}

/**
 * Returns the files that may hold the text of an image or of a page of it (from 1), the most likely first:
 * those next to it, then those in the folders of texts; with its whole name, then without its extension.
 * Each page of a file of several is the same page of the text, or a file of the folder `pages`.
 */
export function textFilesOf(
  image: { readonly name: string; readonly page?: number | undefined },
  folders: readonly TextFolder[],
  pages?: TextFolder,
): readonly TextFile[] {
  const { name, page = 1 } = image;
  const bare = name.replace(/\.[^.]*$/, "");
  const files: TextFile[] = [];
  if (image.page !== undefined && pages) {
    const file = pages.folder.listing.texts[page - 1];
    if (file) files.push(fileIn(pages, file, 0));
  }
  for (const folder of folders)
    for (const stem of bare === name ? [name] : [name, bare])
      for (const { file } of stemsOf(folder.folder).get(stem) ?? [])
        files.push(fileIn(folder, file, page - 1));
  return files;
}

function fileIn({ location }: TextFolder, { name }: ListedFile, page: number): TextFile {
  const form = stemOf(name)?.form ?? "xml";
  const named = form === "xml" ? formOfFolder[nameOf(location).toLowerCase()] : undefined;
  return { location: inside(location, name), name, page, form: named ?? form };
}
