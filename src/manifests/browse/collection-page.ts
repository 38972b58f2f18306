// A page of the collection as people look at it: the folders and images of a folder, or those that a search
// finds, with the sizes of images, what folders hold, and a picture of each.

import type { Caller, Sharing } from "../../access/access.ts";
import { ServiceError } from "../../errors.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { type FolderLocation, identifierOf, parentOf, placeOf, trailOf } from "../places.ts";
import type { Search, SearchResult } from "../search/search.ts";
import { type Entry, entriesOf } from "./entries.ts";
import { firstPicture } from "./first-picture.ts";
import { folderLooks, type ShownFolder } from "./folder-looks.ts";
import { type LabelledTrail, withLabels } from "./labels.ts";
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
const mostDecided = 480;

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
  const { isSoonKnown, mayLookInto, mayHave, finds, lookAt } = sight;
  const place = placeOf(sources, identifier);
  const isRoot = parentOf(sources, place) === undefined;
  if (sight.isMapped) {
    if (!isRoot) throw notFound();
    return { ...nothing, sharing: sight.sharing() };
  }
  if (!isRoot && !(await mayLookInto(identifier))) throw notFound();
  parts.search.prepare();
  const contents = await contentsOf(parts, place, isRoot, caller);
  const search =
    words.length > 0
      ? await parts.search.find({ place, isRoot, words, ...finds, signal: caller.signal })
      : undefined;
  const entries = await sight.filterPermitted((search ?? contents).entries);
  const start = startOf(entries.length, from);
  const { shown, at } = await pageOf(entries, start, isSoonKnown ? shownEntries : mostDecided, lookAt);
  const shownFolders = await folderLooks(
    parts,
    shown.flatMap((one) => (one.kind === "folder" ? [one.entry] : [])),
    { lookAt, mayHave: isSoonKnown ? mayHave : undefined, tellsCounts: isSoonKnown && auth === undefined },
  );
  const shownImages = shown.flatMap((one) => (one.kind === "image" ? [one.image] : []));
  const isFront = isRoot && !search && start === 0 && !contents.isAway;
  const first = isFront ? await firstOf(parts, sight, shownImages) : undefined;
  sight.note(isRoot ? "" : identifierOf(place));
  return {
    identifier: isRoot ? "" : identifierOf(place),
    trail: await withLabels(parts, trailOf(sources, place)),
    folders: shownFolders,
    images: shownImages,
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

const nothing = { identifier: "", trail: [], folders: [], images: [], from: 0, total: 0 } as const;

async function contentsOf(
  { sources, folders }: CollectionParts,
  place: FolderLocation,
  isRoot: boolean,
  { signal }: Caller,
): Promise<{ readonly entries: readonly Entry[]; readonly isAway?: true }> {
  const { source, key } = place;
  try {
    // Without listings, only stored manifests could be found.
    const folder = source.list && (await folders.find(source, key, signal));
    if (!folder && !isRoot) throw notFound();
    return { entries: entriesOf(sources, place, folder, isRoot) };
  } catch (error) {
    // The other sources are still listed.
    const isAway = error instanceof ServiceError && ["source", "busy"].includes(error.kind);
    if (!isRoot || !isAway) throw error;
    return { entries: entriesOf(sources, place, undefined, isRoot), isAway: true };
  }
}

const startOf = (count: number, from: number) =>
  from < count ? from : Math.max(0, Math.floor((count - 1) / shownEntries) * shownEntries);

type ShownEntry =
  | { readonly kind: "folder"; readonly entry: Entry }
  | { readonly kind: "image"; readonly image: ShownImage };

/**
 * Returns the entries from `start` that make a page, and the start of the next one; examines at most `most`.
 */
async function pageOf(
  entries: readonly Entry[],
  start: number,
  most: number,
  lookAt: Sight["lookAt"],
): Promise<{ readonly shown: readonly ShownEntry[]; readonly at: number }> {
  const shown: ShownEntry[] = [];
  let at = start;
  const end = Math.min(entries.length, start + most);
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
