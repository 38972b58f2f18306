// What a search knows of a folder: its contents with all that people read about them, in comparable form.

import type { LanguageMap } from "../../iiif/auth.ts";
import type { Sources } from "../../sources/index.ts";
import { type Content, contentsOf, type ListedFolder, labelIn, membersOfFolder } from "../browse/contents.ts";
import type { Place } from "../places.ts";
import { comparable, textIn } from "./words.ts";

export interface SearchedContent extends Omit<Content, "members"> {
  readonly label?: LanguageMap;
  /** Its name and what the manifest file beside it says of it. */
  readonly text: string;
}

export interface SearchedFolder {
  /** As its own manifest file says. */
  readonly label?: LanguageMap;
  /** What that says of it; "" for nothing. */
  readonly text: string;
  /** Folders, then images. */
  readonly contents: readonly SearchedContent[];
}

/** What a search knows of a listed folder. */
export function searchedFolder(sources: Sources, place: Place, folder: ListedFolder): SearchedFolder {
  const contents = contentsOf(sources, place, folder);
  const members = membersOfFolder(sources, place, folder);
  const label = labelIn(members);
  return {
    ...(label && { label }),
    text: textIn(members),
    contents: contents.map(({ members, ...content }) => {
      const own = labelIn(members);
      const name = comparable(content.name);
      const text = textIn(members);
      return { ...content, ...(own && { label: own }), text: text === "" ? name : `${name}\n${text}` };
    }),
  };
}
