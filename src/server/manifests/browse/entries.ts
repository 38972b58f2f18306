// Visible entries of a folder: its folders, at the root the tops of further sources, and its images.

import type { LanguageMap } from "../../../base/index.ts";
import type { Sources } from "../../sources/index.ts";
import type { ListedFolder } from "../folders/folders.ts";
import { type FolderLocation, identifierOf, inside } from "../locations.ts";
import { type Content, contentsOf, labelIn } from "./contents.ts";

export interface Entry {
  readonly kind: "folder" | "image";
  readonly identifier: string;
  /** From the manifest file of the parent folder. */
  readonly label?: LanguageMap;
}

const known = new WeakMap<ListedFolder, readonly Entry[]>();

/**
 * Returns the entries of a folder in their order: folders, at the root the tops of further sources that can
 * list, then images, without those that the manifest file hides.
 */
export function entriesOf(
  sources: Sources,
  location: FolderLocation,
  folder: ListedFolder | undefined,
  isRoot: boolean,
): readonly Entry[] {
  const before = folder && known.get(folder);
  if (before) return before;
  const shown = folder ? contentsOf(sources, location, folder).filter(({ isHidden }) => !isHidden) : [];
  const entriesOfKind = (kind: Content["kind"]) =>
    shown.filter((content) => content.kind === kind).map((content) => entryOf(location, content));
  const entries = [...entriesOfKind("folder"), ...(isRoot ? topsOf(sources) : []), ...entriesOfKind("image")];
  if (folder) known.set(folder, entries);
  return entries;
}

/** Returns a content of a folder as an entry. */
export function entryOf(location: FolderLocation, { kind, name, members }: Content): Entry {
  const label = labelIn(members);
  return { kind, identifier: identifierOf(inside(location, name)), ...(label && { label }) };
}

/** Returns the tops of the sources that can list, except the default one. */
export function topsOf(sources: Sources): readonly Entry[] {
  return sources.all
    .filter((source) => source !== sources.default && source.list)
    .map((source) => ({ kind: "folder", identifier: identifierOf({ source, key: "" }) }));
}
