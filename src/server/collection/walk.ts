// The images of a collection: those of folders with everything below them, in the order of manifests.

import { ServiceError } from "../../base/index.ts";
import { imagesOf } from "../manifests/documents/folder-images.ts";
import type { Folder } from "../manifests/folders/folder.ts";
import type { Folders } from "../manifests/folders/folders.ts";
import { type FolderLocation, identifierOf, inside, isReached, locationOf } from "../manifests/locations.ts";
import type { Sources } from "../sources/index.ts";

/** Parts that list folders. */
export interface WalkParts {
  readonly sources: Sources;
  readonly folders: Folders;
}

export interface WalkOptions {
  /** Identifiers of images and folders; if empty, the tops of all sources. */
  readonly selection: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Receives the identifier of each folder that cannot be listed, and why; its images are left out. */
  readonly onUnlisted?: (identifier: string, error: ServiceError) => void;
  /** Receives each folder before its images are yielded. */
  readonly onFolder?: (location: FolderLocation, folder: Folder) => void;
}

/** A folder of the walk with its images; an image that was named itself has no folder. */
export interface WalkedFolder {
  readonly location?: FolderLocation;
  /** Identifiers in natural order. */
  readonly images: readonly string[];
}

/** Levels of folders; links may lead in a circle. */
const maxLevels = 32;

/**
 * Yields folders before those in them. Reads names only, so whether an image exists and can be read turns
 * out later. Throws `cancelled` if the signal aborts.
 */
export async function* walkFolders(parts: WalkParts, options: WalkOptions): AsyncGenerator<WalkedFolder> {
  const { sources } = parts;
  const { selection } = options;
  const locations =
    selection.length === 0
      ? sources.all.map((source) => ({ source, key: "" }))
      : selection.map((identifier) => locationOf(sources, identifier));
  for (const location of locations) {
    const folder = await findFolder(parts, location, options);
    if (folder) yield* walkBelow(parts, location, folder, options);
    else if (folder === undefined && location.key !== "") yield { images: [identifierOf(location)] };
    else if (folder === undefined) options.onUnlisted?.(identifierOf(location), cannotList());
  }
}

/** Yields the identifiers of {@link walkFolders}. */
export async function* walkImages(parts: WalkParts, options: WalkOptions): AsyncGenerator<string> {
  for await (const { images } of walkFolders(parts, options)) yield* images;
}

/** A count that goes on while other work does. */
export interface Counting {
  /** The count, as a member of a progress; empty until it is known. */
  total(): { readonly total?: number };
  /** Resolves at its end, also if an error ended it before the count was known. */
  readonly ended: Promise<void>;
}

/** Counts the images of {@link walkImages}, at most `limit`. */
export function countWalk(
  parts: WalkParts,
  options: Omit<WalkOptions, "onUnlisted" | "onFolder">,
  limit = Number.POSITIVE_INFINITY,
): Counting {
  let known: { readonly total?: number } = {};
  const count = async () => {
    let total = 0;
    for await (const _ of walkImages(parts, options)) if (++total >= limit) break;
    known = { total };
  };
  // The work itself meets the same error, and reports it.
  return { total: () => known, ended: count().catch(() => {}) };
}

const cannotList = () =>
  new ServiceError(
    "unsupported",
    "This source cannot list its images. Name the identifiers of the images instead.",
    { code: "source_cannot_list" },
  );

async function* walkBelow(
  parts: WalkParts,
  location: FolderLocation,
  folder: Folder,
  options: WalkOptions,
  level = 1,
): AsyncGenerator<WalkedFolder> {
  const { sources } = parts;
  const { directories } = folder.listing;
  options.onFolder?.(location, folder);
  yield { location, images: imagesOf(sources, location, folder).map(({ identifier }) => identifier) };
  if (level === maxLevels) return;
  for (const name of directories) {
    const inner = inside(location, name);
    if (!isReached(sources, inner, "folder")) continue;
    const found = await findFolder(parts, inner, options);
    if (found) yield* walkBelow(parts, inner, found, options, level + 1);
  }
}

/** Returns a folder; undefined if there is none of that name, null if it could not be listed. */
async function findFolder(
  { folders }: WalkParts,
  location: FolderLocation,
  { signal, onUnlisted }: WalkOptions,
): Promise<Folder | null | undefined> {
  if (!location.source.list) return undefined;
  try {
    return await folders.find(location.source, location.key, signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
    onUnlisted?.(identifierOf(location), error);
    return null;
  }
}
