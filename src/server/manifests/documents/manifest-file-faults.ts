// Finds the mistakes in the manifest file of a folder, as `smalti check`, the doctor and the admin page show
// them: those of the file itself, and names of images and folders that do not exist. Opens no image.

import type { Finding } from "../../../base/index.ts";
import {
  arrangeMembers,
  type CanvasFacts,
  type Description,
  describeCollection,
  describeManifest,
  doubtsOfStored,
  emptyDescription,
  type Named,
  objectOf,
  type Resource,
} from "../../../iiif/index.ts";
import type { Sources } from "../../sources/index.ts";
import type { ListedFolder } from "../folders/folders.ts";
import { problem } from "../folders/manifest-file-text.ts";
import { type FolderLocation, identifierOf, inside } from "../locations.ts";
import { type FolderImage, imagesOf } from "./folder-images.ts";
import { isMisplaced, kindOfFolder } from "./folder-kind.ts";
import { membersOf } from "./members.ts";

/** Returns the mistakes of a folder's manifest file, whose identifier is in `file`; empty if it has none. */
export function manifestFileFaults(
  sources: Sources,
  location: FolderLocation,
  folder: ListedFolder,
): readonly Finding[] {
  const { manifestFile, listing } = folder;
  if (!manifestFile) return [];
  const fileOf = (name: string) => identifierOf(inside(location, name));
  const images = imagesOf(sources, location, folder);
  const kind = kindOfFolder(folder, location, images.length);
  const { stored, unusable } = manifestFile;
  isMisplaced(kind, images.length, manifestFile);
  if (stored && !stored.whole2) manifestFile.add(doubtsOfStored(stored.whole));
  else if (!stored && unusable === undefined) {
    if (kind === "manifest") applyToImages(manifestFile, manifestFile.describe("manifest"), images);
    else applyToFolders(sources, location, folder, images);
  }
  const others = listing.manifestFiles.filter(({ name }) => name !== manifestFile.name);
  return [
    ...manifestFile.faults().map((fault) => ({ ...fault, file: fileOf(manifestFile.name) })),
    ...others.map(({ name }) => ({
      ...problem(`is not used, since ${manifestFile.name} is there; remove one of the two`),
      file: fileOf(name),
    })),
  ];
}

type OwnFile = NonNullable<ListedFolder["manifestFile"]>;

/** Address of the documents that descriptions are applied to; the domain never resolves (RFC 2606). */
const base = "https://check.invalid";

/** Applies a description to canvases of the images that are there, to find out what it names. */
function applyToImages(
  manifestFile: OwnFile,
  description: Description,
  images: readonly FolderImage[],
): void {
  if (images.length === 0) return;
  const pages = pagesIn(description);
  const canvases = images.flatMap(({ name, identifier, mayHaveSheets }): CanvasFacts[] => {
    const named = mayHaveSheets ? [...(pages.get(name) ?? [])].sort((a, b) => a - b) : [];
    // The number of pages is known once the file is opened.
    return named.length === 0
      ? [{ identifier, label: name, visible: true }]
      : named.map((page) => ({ identifier: `${identifier};${page}`, label: name, page, visible: true }));
  });
  const items = canvases.map((_, at) => ({ id: `${base}/canvas/${at + 1}`, type: "Canvas", items: [] }));
  const derived: Resource = { id: base, type: "Manifest", items };
  manifestFile.add(describeManifest(derived, description, canvases, base).faults);
}

function applyToFolders(
  sources: Sources,
  location: FolderLocation,
  folder: ListedFolder,
  images: readonly FolderImage[],
): void {
  const manifestFile = folder.manifestFile as OwnFile;
  const description = manifestFile.describe("collection");
  const isRoot = location.key === "" && location.source === sources.default;
  const members = membersOf({ sources }, location, { ...folder, serial: 0, facts: new Map() }, isRoot);
  manifestFile.add(arrangeMembers(members, description).faults);
  const derived: Resource = { id: base, type: "Collection", items: [] };
  manifestFile.add(describeCollection(derived, description, base).faults);
  applyToImages(manifestFile, description.images ?? emptyDescription, images);
}

/** Returns the numbers of pages that a description names, by the names of their files. */
function pagesIn(description: Description): ReadonlyMap<string, ReadonlySet<number>> {
  const pages = new Map<string, Set<number>>();
  const note = ({ name }: Named) => {
    const [, file, page] = /^(.+);([1-9]\d{0,8})$/.exec(String(name)) ?? [];
    if (file !== undefined) pages.set(file, (pages.get(file) ?? new Set()).add(Number(page)));
  };
  const look = (value: unknown): void => {
    const object = objectOf(value);
    if (object && "name" in object && "path" in object) note(object as unknown as Named);
    else for (const each of Object.values(value ?? {})) if (typeof each === "object") look(each);
  };
  const { order, parts, structures, thumbnail, start } = description;
  look([order, parts.map(({ named }) => named), structures, thumbnail, start]);
  return pages;
}
