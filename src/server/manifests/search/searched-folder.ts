// Searchable contents of a folder: its entries with all of their visible text, in comparable form.

import type { LanguageMap } from "../../../base/index.ts";
import type { Sources } from "../../sources/index.ts";
import { type Content, contentsOf, labelIn, membersOfFolder } from "../browse/contents.ts";
import type { ListedFolder } from "../folders/folders.ts";
import { isOfNotes } from "../folders/notes.ts";
import type { FolderLocation } from "../locations.ts";
import { textIn, toComparable } from "./words.ts";

export interface SearchedContent extends Omit<Content, "members"> {
  readonly label?: LanguageMap;
  /** Its name and its text in the manifest file of its folder. */
  readonly text: string;
}

export interface SearchedFolder {
  /** From its own manifest file. */
  readonly label?: LanguageMap;
  /** True if it holds annotations alone. */
  readonly isOfNotes: boolean;
  /** Text of its own manifest file; "" for none. */
  readonly text: string;
  /** Folders, then images. */
  readonly contents: readonly SearchedContent[];
}

/** Returns the searchable contents of a listed folder. */
export function searchedFolder(
  sources: Sources,
  location: FolderLocation,
  folder: ListedFolder,
): SearchedFolder {
  const contents = contentsOf(sources, location, folder);
  const members = membersOfFolder(sources, location, folder);
  const label = labelIn(members);
  return {
    ...(label && { label }),
    isOfNotes: isOfNotes(folder),
    text: textIn(members),
    contents: contents.map(({ members, ...content }) => {
      const own = labelIn(members);
      const name = toComparable(content.name);
      const text = textIn(members);
      return { ...content, ...(own && { label: own }), text: text === "" ? name : `${name}\n${text}` };
    }),
  };
}
