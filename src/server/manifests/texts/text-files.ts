// The files of text that belong to the images of a folder, by their names.

import type { ListedFile } from "../folders/listing.ts";
import {
  formOfFolder,
  readTextName,
  type TextForm,
  type TextName,
  withoutExtension,
} from "../folders/text-names.ts";
import { type FolderLocation, inside, nameOf } from "../locations.ts";

/** A file that may hold the text of one image. */
export interface TextFile {
  /** The file by its source and key. */
  readonly location: FolderLocation;
  readonly name: string;
  /** Validator of the file, if the listing has it. */
  readonly validator?: string;
  /** Index of the page in the file, from 0. */
  readonly page: number;
  readonly form: TextForm;
  /** True if it is the image itself, such as a PDF, whose page has a text of its own. */
  readonly isImage?: true;
  /** True if it also holds the text of other pages, which others may read. */
  readonly isShared: boolean;
}

/** A folder with texts. */
export interface TextFolder {
  readonly location: FolderLocation;
  readonly texts: readonly ListedFile[];
}

/** True if files of text may differ from a name without an ending in case. */
export type CanFold = (stem: string) => boolean;

/** Returns a name as file systems that ignore case and Unicode forms compare it. */
export const foldName = (name: string): string => name.normalize("NFC").toLowerCase();

type StemFile = TextName & { readonly file: ListedFile };
type StemMap = Map<string, StemFile[]>;

/** Files of one folder by what their names begin with, the best first. */
interface Stems {
  readonly exact: ReadonlyMap<string, readonly StemFile[]>;
  readonly folded: ReadonlyMap<string, readonly StemFile[]>;
}

const known = new WeakMap<readonly ListedFile[], Stems>();

function stemsOf(texts: readonly ListedFile[]): Stems {
  const found = known.get(texts);
  if (found) return found;
  const [exact, folded]: [StemMap, StemMap] = [new Map(), new Map()];
  const add = (map: StemMap, stem: string, file: StemFile) => {
    const list = map.get(stem);
    if (list) list.push(file);
    else map.set(stem, [file]);
  };
  for (const file of texts) {
    const own = readTextName(file.name);
    if (!own) continue;
    add(exact, own.stem, { ...own, file });
    add(folded, foldName(own.stem), { ...own, file });
  }
  for (const map of [exact, folded])
    for (const list of map.values()) list.sort((one, other) => one.rank - other.rank);
  const stems: Stems = { exact, folded };
  known.set(texts, stems);
  return stems;
}

/** Names without an ending that files of text of an image may have. */
export const stemsOfImage = (name: string): ReadonlySet<string> => new Set([name, withoutExtension(name)]);

const pagesOfFolders = new WeakMap<readonly ListedFile[], ReadonlyMap<number, readonly ListedFile[]>>();

/**
 * Returns the files of a folder of pages by the last number in their names, the best of each page first.
 * Empty if that number does not tell pages apart (recto and verso, a page 0): the text of another page would
 * be worse than none, and readers of one page may not be readers of the other.
 */
function filesByPage(texts: readonly ListedFile[]): ReadonlyMap<number, readonly ListedFile[]> {
  const found = pagesOfFolders.get(texts);
  if (found) return found;
  const stemsByNumber = new Map<number, string>();
  const pages = new Map<number, readonly ListedFile[]>();
  let isClear = true;
  for (const [stem, files] of stemsOf(texts).exact) {
    const digits = /(\d{1,9})\D*$/.exec(stem)?.[1];
    if (digits === undefined) continue;
    const number = Number(digits);
    isClear &&= number > 0 && !stemsByNumber.has(number);
    stemsByNumber.set(number, stem);
    pages.set(
      number,
      files.map(({ file }) => file),
    );
  }
  const clear = isClear ? pages : new Map<number, readonly ListedFile[]>();
  pagesOfFolders.set(texts, clear);
  return clear;
}

/**
 * Returns the files that may hold the text of an image or of a page of it (from 1), the most likely first:
 * those next to it, then those in the folders of texts; with its whole name, then without its extension; in
 * another case only if `canFold` allows it and there is none in the same.
 * The last one is the image itself, if such images have a text.
 * Each page of a file of several is the same page of the text, or the file of its number in the folder
 * `pages`.
 */
export function textFilesOf(
  image: { readonly name: string; readonly page?: number | undefined },
  folders: readonly TextFolder[],
  { pages, canFold }: { readonly pages?: TextFolder | undefined; readonly canFold: CanFold },
): readonly TextFile[] {
  const { name, page = 1 } = image;
  const files: TextFile[] = [];
  if (pages && image.page !== undefined)
    for (const own of filesByPage(pages.texts).get(page) ?? [])
      files.push({ ...fileIn(pages, own), page: 0, isShared: false });
  const rest = { page: page - 1, isShared: image.page !== undefined };
  for (const folder of folders)
    for (const stem of stemsOfImage(name)) {
      const { exact, folded } = stemsOf(folder.texts);
      const found = exact.get(stem) ?? (canFold(stem) ? folded.get(foldName(stem)) : undefined) ?? [];
      for (const { file } of found) files.push({ ...fileIn(folder, file), ...rest });
    }
  return [...files, ...ownText(image, folders[0])];
}

/** Names of images that have a text of their own. */
const withOwnText = /\.pdf$/i;

/** True if an image may have a text of its own. */
export const mayHaveOwnText = (name: string): boolean => withOwnText.test(name);

/** Returns the image itself as a file of text, if it may be one: the last one that is looked into. */
function ownText(
  { name, page = 1 }: { readonly name: string; readonly page?: number | undefined },
  folder: TextFolder | undefined,
): readonly TextFile[] {
  if (!folder || !mayHaveOwnText(name)) return [];
  const location = inside(folder.location, name);
  return [{ location, name, page: page - 1, form: "plain", isImage: true, isShared: true }];
}

const filesByName = new WeakMap<readonly ListedFile[], ReadonlyMap<string, ListedFile>>();

/** Returns the files of a name in folders, as those of one page. */
export function textFilesNamed(name: string, folders: readonly TextFolder[]): readonly TextFile[] {
  return folders.flatMap((folder) => {
    const known = filesByName.get(folder.texts) ?? new Map(folder.texts.map((file) => [file.name, file]));
    filesByName.set(folder.texts, known);
    const file = known.get(name);
    return file ? [{ ...fileIn(folder, file), page: 0, isShared: false }] : [];
  });
}

function fileIn(
  { location }: TextFolder,
  { name, validator }: ListedFile,
): Pick<TextFile, "location" | "name" | "validator" | "form"> {
  const form = readTextName(name)?.form ?? "xml";
  const named = form === "xml" ? formOfFolder[nameOf(location).toLowerCase()] : undefined;
  return {
    location: inside(location, name),
    name,
    ...(validator !== undefined && { validator }),
    form: named ?? form,
  };
}
