// The names of files and folders of texts.

/** Forms of text that names tell apart; of other XML only the contents do. */
export type TextForm = "alto" | "page" | "hocr" | "xml" | "plain";

/** Endings of names, the first that fits; files with boxes come before those without. */
export const textEndings: readonly (readonly [ending: string, form: TextForm])[] = [
  [".alto.xml", "alto"],
  ["_alto.xml", "alto"],
  [".page.xml", "page"],
  [".xml", "xml"],
  [".hocr.html", "hocr"],
  [".hocr.htm", "hocr"],
  ["_hocr.html", "hocr"],
  ["_hocr.htm", "hocr"],
  [".hocr", "hocr"],
  [".txt", "plain"],
];

/** What the name of a file of text says. */
export interface TextName {
  /** Without its ending: the name of its image, with or without the extension. */
  readonly stem: string;
  readonly form: TextForm;
  /** Position of the ending in the table. */
  readonly rank: number;
}

/** Returns what a name says; undefined for one that no file of text has. */
export function readTextName(name: string): TextName | undefined {
  const lower = name.toLowerCase();
  const rank = textEndings.findIndex(([ending]) => lower.endsWith(ending));
  const [ending, form] = textEndings[rank] ?? [];
  if (ending === undefined || form === undefined || name.startsWith(".")) return undefined;
  return { stem: name.slice(0, -ending.length), form, rank };
}

/** Names of folders with the texts of the images next to them, in lower case. */
export const textFolders: ReadonlySet<string> = new Set([
  "ocr",
  "alto",
  "page",
  "hocr",
  "fulltext",
  "text",
  "txt",
]);

/** Forms that the name of a folder gives its XML. */
export const formOfFolder: Readonly<Record<string, TextForm>> = { alto: "alto", page: "page" };

/** Returns the name of an image without its extension. */
export const withoutExtension = (name: string): string => name.replace(/\.[^.]*$/, "");
