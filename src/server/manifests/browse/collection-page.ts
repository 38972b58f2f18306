// A page of the collection as people look at it: the folders and images of a folder, or those that a search
// finds, with the sizes of images, what folders hold, and a picture of each.

import { forEachConcurrently, ServiceError } from "../../../base/index.ts";
import type { Caller, Sharing } from "../../access/access.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { type FolderLocation, identifierOf, locationOf, parentOf, trailOf } from "../locations.ts";
import type { Search, SearchResult } from "../search/search.ts";
import type { Entry } from "./entries.ts";
import { firstPicture } from "./first-picture.ts";
import { readContents } from "./folder-contents.ts";
import { folderLooks, type ShownFolder } from "./folder-looks.ts";
import { type LabelledTrail, waysTo, withLabels } from "./labels.ts";
import type { FolderLock } from "./lock.ts";
import { findLocked } from "./locked-folder.ts";
import { openSight, type ShownImage, type Sight, type SightParts } from "./sight.ts";

export interface CollectionParts extends SightParts {
  readonly sources: Sources;
  readonly folders: Folders;
  readonly search: Search;
}

export interface CollectionRequest {
  /** Identifier of the folder; "" is the root. */
  readonly identifier: string;
  /** Index of the first entry; that of the last page if there are fewer. */
  readonly from: number;
  /** Words of a search; empty for the folder itself. */
  readonly words: readonly string[];
  /** The caller for an identifier. */
  readonly callerOf: (identifier: string) => Caller;
}

export interface CollectionPage {
  /** "" is the root. */
  readonly identifier: string;
  readonly trail: LabelledTrail;
  readonly folders: readonly ShownFolder[];
  readonly images: readonly ShownImage[];
  /** Texts about the folder by language, from its manifest file. */
  readonly summary?: unknown;
  /** For a search: the way from the root to the folder of each entry, by the identifier of the entry. */
  readonly around: ReadonlyMap<string, LabelledTrail>;
  /**
   * Set if the caller may see only the title of a folder: the requested one, or the first of the trail that
   * is gated. The page ends with that one, and has no entries.
   */
  readonly lock?: FolderLock;
  /** Identifier of the document that a viewer opens to show the images of the folder, if there is one. */
  readonly viewed?: string;
  /**
   * On the first page of the root: the image that represents the collection, on this page or further down;
   * absent if none works.
   */
  readonly first?: ShownImage;
  readonly from: number;
  /** Start of the next page; absent on the last one. */
  readonly next?: number;
  /** Number of all entries; absent if each needs a decision of its own. */
  readonly total?: number;
  /** For a search: whether it is complete, see {@link SearchResult}. */
  readonly found?: Pick<SearchResult, "isCut" | "stoppedAt" | "lack">;
  /** Set if the source of the root did not respond. */
  readonly isAway?: true;
  /** Who may cache it. */
  readonly sharing: Sharing;
}

/** Entries of a page. */
export const shownEntries = 48;
/** Images of a page that are examined simultaneously. */
const atOnce = 8;
/** Maximum of decisions for one page, if each image needs one. */
const maxDecided = 480;

/**
 * Returns the page. Leaves out images that the caller may not have, and folders that a rule gates for this
 * caller. Throws `not-found` if there is no such folder, the caller may not see it or nothing can be listed,
 * and what its source throws; the root always exists.
 */
export async function openCollection(
  parts: CollectionParts,
  { identifier, from, words, callerOf }: CollectionRequest,
): Promise<CollectionPage> {
  const { sources, auth } = parts;
  const caller = callerOf(identifier);
  const sight = openSight(parts, callerOf, identifier);
  const { isSoonKnown, mayLookInto, finds, lookAt } = sight;
  const location = locationOf(sources, identifier);
  const isRoot = parentOf(sources, location) === undefined;
  if (sight.isMapped) {
    if (!isRoot) throw notFound();
    return { ...nothing, sharing: sight.sharing() };
  }
  if (!isRoot && !(await mayLookInto(identifier))) return lockedPage(parts, sight, location, caller.signal);
  parts.search.prepare();
  const contents = await readContents(parts, location, isRoot, caller);
  if (!contents) throw notFound();
  const tellsSummary = contents.summary !== undefined && (await finds.mayLookInto(identifier));
  const search =
    words.length > 0
      ? await parts.search.find({ location, isRoot, words, ...finds, signal: caller.signal })
      : undefined;
  const entries = await sight.filterListed((search ?? contents).entries);
  const start = startOf(entries.length, from);
  const { shown, at } = await pageOf(entries, start, isSoonKnown ? shownEntries : maxDecided, lookAt);
  const shownFolders = await folderLooks(
    parts,
    shown.flatMap((one) => (one.kind === "folder" ? [one.entry] : [])),
    { sight, tellsCounts: isSoonKnown && auth === undefined },
  );
  const shownImages = shown.flatMap((one) => (one.kind === "image" ? [one.image] : []));
  const isFront = isRoot && !search && start === 0 && !contents.isAway;
  const first = isFront ? await firstOf(parts, sight, shownImages) : undefined;
  sight.note(isRoot ? "" : identifierOf(location));
  return {
    identifier: isRoot ? "" : identifierOf(location),
    trail: await withLabels(parts, trailOf(sources, location), mayLookInto),
    folders: shownFolders,
    images: shownImages,
    around: search ? await waysTo(parts, [...shownFolders, ...shownImages], mayLookInto) : new Map(),
    ...(tellsSummary && { summary: contents.summary }),
    ...(shownImages.length > 0 && contents.viewed !== undefined && { viewed: contents.viewed }),
    ...(first && { first }),
    from: start,
    ...(at < entries.length && { next: at }),
    ...(isSoonKnown && { total: entries.length }),
    ...(search && { found: search }),
    ...(contents.isAway && { isAway: true }),
    sharing: sight.sharing(),
  };
}

/** Returns the first picture that works: a shown one, else a later one or one in a folder below. */
async function firstOf(
  parts: CollectionParts,
  sight: Sight,
  shown: readonly ShownImage[],
): Promise<ShownImage | undefined> {
  const first = shown.find(({ size }) => size) ?? (await firstPicture(parts, sight));
  return first?.size && first;
}

const nothing = {
  identifier: "",
  trail: [],
  folders: [],
  images: [],
  around: new Map(),
  from: 0,
  total: 0,
} as const;

async function lockedPage(
  parts: CollectionParts,
  sight: Sight,
  location: FolderLocation,
  signal: AbortSignal | undefined,
): Promise<CollectionPage> {
  const locked = await findLocked(parts, sight, location, signal);
  if (!locked) throw notFound();
  sight.note(locked.identifier);
  return { ...nothing, ...locked, sharing: sight.sharing() };
}

const startOf = (count: number, from: number) =>
  from < count ? from : Math.max(0, Math.floor((count - 1) / shownEntries) * shownEntries);

type ShownEntry =
  | { readonly kind: "folder"; readonly entry: Entry }
  | { readonly kind: "image"; readonly image: ShownImage };

/**
 * Returns the entries from `start` that make a page, and the start of the next one; examines at most `max`.
 */
async function pageOf(
  entries: readonly Entry[],
  start: number,
  max: number,
  lookAt: Sight["lookAt"],
): Promise<{ readonly shown: readonly ShownEntry[]; readonly at: number }> {
  const shown: ShownEntry[] = [];
  let at = start;
  const end = Math.min(entries.length, start + max);
  while (at < end && shown.length < shownEntries) {
    const batch = entries.slice(at, Math.min(end, at + shownEntries - shown.length));
    const seen: (ShownEntry | undefined)[] = [];
    await forEachConcurrently(batch.entries(), atOnce, async ([nth, entry]) => {
      const { kind } = entry;
      const image = kind === "image" ? await lookAt(entry) : undefined;
      seen[nth] = kind === "folder" ? { kind, entry } : image && { kind, image };
    });
    shown.push(...seen.filter((one) => one !== undefined));
    at += batch.length;
  }
  return { shown, at };
}

const notFound = () =>
  new ServiceError(
    "not-found",
    "Expected a folder that is listed here and that you may see; there is none with this name. Start at the start page, or ask for an image by its identifier.",
    { code: "no_such_folder" },
  );
