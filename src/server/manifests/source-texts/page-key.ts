// Keys of pages in the index of a source. Their order is that of folders, each before those in it, and of
// images in each, numbers in names by their value. A key contains all that is needed to find its page again.

/** A folder of a source. */
export interface KeyedFolder {
  /** Prefix of the identifiers of the source. */
  readonly prefix: string;
  /** Key of the folder in the source. */
  readonly folder: string;
}

/** An image in a folder, or a page of it. */
export interface KeyedPage extends KeyedFolder {
  readonly name: string;
  /** From 1; absent for a file of one page. */
  readonly page?: number | undefined;
}

/** End of a folder: below all that names contain, so that a folder comes before those in it. */
const end = "\u0000";
/** Between two folders: below names too, so that what is in a folder comes before the next folder. */
const level = "\u0001";
/** Before a number, plus its digits: a number with fewer digits comes first. */
const digits = 2;
const maxDigits = 24;
/** After a number, once for each zero before it. */
const zero = "\u001d";

/** Code units of the longest key of a segment. */
const maxLength = 4096;

/** False for names with control characters, which have a meaning in keys, and for those that are too long. */
export const hasKey = (page: KeyedPage): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  !/[\u0000-\u001f]/.test(page.prefix + page.folder + page.name) && keyOfPage(page).length <= maxLength;

/** Returns a name in the form that is compared. */
export const sortableName = (name: string): string =>
  name.replace(/\d+/g, (number) => {
    const plain = number.replace(/^0+(?=\d)/, "");
    const size = String.fromCharCode(digits + Math.min(plain.length, maxDigits));
    return size + plain + zero.repeat(number.length - plain.length);
  });

const nameOf = (sortable: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: numbers begin with them.
  sortable.replace(/[\u0003-\u001a](\d+)(\u001d*)/g, (_, number, zeros) => "0".repeat(zeros.length) + number);

const keyOfFolder = ({ prefix, folder }: KeyedFolder): string =>
  [prefix, ...(folder === "" ? [] : folder.split("/"))].map(sortableName).join(level);

export const keyOfPage = ({ name, page, ...folder }: KeyedPage): string =>
  [keyOfFolder(folder), name, ...(page === undefined ? [] : [String(page)])]
    .map((part, at) => (at === 0 ? part : sortableName(part)))
    .join(end);

export function pageOfKey(key: string): KeyedPage {
  const [folders = "", name = "", page] = key.split(end);
  const [prefix = "", ...path] = folders.split(level).map(nameOf);
  return {
    prefix,
    folder: path.join("/"),
    name: nameOf(name),
    ...(page !== undefined && { page: Number(nameOf(page)) }),
  };
}

/** The keys of the pages in a folder and below it: from the first on, and before the second. */
export function keysBelow(folder: KeyedFolder): readonly [from: string, before: string] {
  const own = keyOfFolder(folder);
  return [own + end, own + String.fromCharCode(digits)];
}
