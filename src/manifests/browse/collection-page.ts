// A page of the collection as people look at it: the folders and images of a folder, or those that a search finds, with the sizes of
// images, what folders hold, and a picture of each.

import { type Caller, combineSharing, type Sharing } from "../../access/access.ts";
import type { Auth } from "../../access/auth.ts";
import { ServiceError } from "../../errors.ts";
import { type Listed, type LookParts, look } from "../../images/first-images.ts";
import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import type { Sources } from "../../sources/index.ts";
import { imagesOf } from "../documents/canvases.ts";
import type { Folders } from "../folders/folders.ts";
import { type Gate, openGate } from "../gate.ts";
import type { PresentationOptions } from "../options.ts";
import { identifierOf, inside, type Place, parentOf, placeOf, type Trail, trailOf } from "../places.ts";
import { type Entry, entriesOf } from "./entries.ts";
import { findNames, type Matches } from "./find-names.ts";

export interface CollectionParts {
  readonly images: LookParts;
  readonly auth?: Auth | undefined;
  readonly sources: Sources;
  readonly folders: Folders;
  readonly options: Pick<PresentationOptions, "derive">;
}

export interface CollectionRequest {
  /** Of the folder; "" is the root. */
  readonly identifier: string;
  /** Number of the first entry, from 0; that of the last page where there are fewer. */
  readonly from: number;
  /** Of a search; none: the folder itself. */
  readonly words: readonly string[];
  /** The caller for an identifier. */
  readonly callerOf: (identifier: string) => Caller;
}

export interface ShownFolder {
  readonly identifier: string;
  /** How much it holds, where everybody may know. */
  readonly holds?: { readonly images: number; readonly folders: number };
  /** Its first picture, where that is soon known. */
  readonly picture?: Listed;
}

export interface CollectionPage {
  /** "" is the root. */
  readonly identifier: string;
  readonly trail: Trail;
  readonly folders: readonly ShownFolder[];
  readonly images: readonly Listed[];
  readonly from: number;
  /** Where the next page begins; absent on the last one. */
  readonly next?: number;
  /** Of all entries; absent where each has to be asked about for its own sake. */
  readonly total?: number;
  /** Of a search: the first folder that it did not look through. */
  readonly stoppedAt?: string;
  /** Likewise: there are more matches than are listed. */
  readonly isCut?: true;
  /** The source of the root did not answer. */
  readonly isAway?: true;
  /** Who may keep it. */
  readonly sharing: Sharing;
}

/** Entries of a page. */
export const shownEntries = 48;
/** Images of a page that are looked at at once. */
const atOnce = 8;
/** Images that are decided on for one page where each has to be. */
const mostDecided = 480;
/** Folders of a page that are looked into at once, and the milliseconds after which no more of them is. */
const folders = { atOnce: 4, ms: 300 };
/** Images of a folder among which a picture of it is looked for. */
const pictureAmong = 4;
const searchBounds = { folders: 2000, matches: 2000, ms: 600 };

/**
 * The page. Leaves out images that the caller may not have, and folders that a rule gates for this caller. Throws `not-found` where there
 * is no such folder, the caller may not see it or nothing can be listed, and what its source throws; the root is there always.
 */
export async function openCollection(
  parts: CollectionParts,
  { identifier, from, words, callerOf }: CollectionRequest,
): Promise<CollectionPage> {
  const { images, sources, auth } = parts;
  const caller = callerOf(identifier);
  const gate = openGate(parts, caller, "");
  const mayLookInto = (folder: string) => auth?.profileFor(folder) === undefined || gate.allows(folder);
  const place = placeOf(sources, identifier);
  const isRoot = parentOf(sources, place) === undefined;
  if (images.hooks.has("resolve") && parts.options.derive !== "always") {
    // Which identifiers lead to the files of a listing is then for the hook alone to know.
    if (!isRoot) throw notFound();
    return { ...nothing, sharing: gate.sharing() };
  }
  if (!isRoot && !(await mayLookInto(identifier))) throw notFound();
  const contents = await contentsOf(parts, place, isRoot, caller);
  const found: Matches =
    words.length === 0
      ? contents
      : await findNames(parts, place, isRoot, words, mayLookInto, searchBounds, caller.signal);
  // Without a hook that has to be asked about each, what the caller may have is soon known of all entries.
  const isSoonKnown = !images.hooks.has("authorize");
  const isAllowed = (entry: Entry) =>
    entry.kind === "folder" ? mayLookInto(entry.identifier) : !isSoonKnown || gate.allows(entry.identifier);
  const entries = await filtered(found.entries, isAllowed);
  const start = startOf(entries.length, from);
  const sharing: Sharing[] = [];
  const show = showing(
    { ...parts, images: isSoonKnown ? { ...images, decisions: unnoted } : images },
    callerOf,
    sharing,
  );
  const { shown, at } = await pageOf(entries, start, isSoonKnown ? shownEntries : mostDecided, show.image);
  const shownFolders = await show.folders(
    shown.flatMap((one) => (one.kind === "folder" ? [one.identifier] : [])),
    { isSoonKnown, gate },
  );
  gate.note(identifier);
  return {
    identifier: isRoot ? "" : identifierOf(place),
    trail: trailOf(sources, place),
    folders: shownFolders,
    images: shown.flatMap((one) => (one.kind === "image" ? [one.image] : [])),
    from: start,
    ...(at < entries.length && { next: at }),
    ...(isSoonKnown && { total: entries.length }),
    ...(found.stoppedAt !== undefined && { stoppedAt: found.stoppedAt }),
    ...(found.isCut && { isCut: true }),
    ...(contents.isAway && { isAway: true }),
    sharing: combineSharing([...sharing, gate.sharing()]),
  };
}

const nothing = { identifier: "", trail: [], folders: [], images: [], from: 0, total: 0 } as const;

async function contentsOf(
  { sources, folders }: CollectionParts,
  place: Place,
  isRoot: boolean,
  { signal }: Caller,
): Promise<{ readonly entries: readonly Entry[]; readonly isAway?: true; readonly stoppedAt?: undefined }> {
  const { source, key } = place;
  try {
    // Where nothing can be listed only stored manifests would be looked for.
    const folder = source.list && (await folders.find(source, key, signal));
    if (!folder && !isRoot) throw notFound();
    return { entries: entriesOf(sources, place, folder, isRoot) };
  } catch (error) {
    // The other sources are there all the same.
    if (!isRoot || !(error instanceof ServiceError) || error.kind !== "source") throw error;
    return { entries: entriesOf(sources, place, undefined, isRoot), isAway: true };
  }
}

/** Without a promise for each entry: there may be thousands. */
async function filtered(
  entries: readonly Entry[],
  isAllowed: (entry: Entry) => Promise<boolean> | boolean,
): Promise<readonly Entry[]> {
  const allowed: Entry[] = [];
  for (const entry of entries) {
    const answer = isAllowed(entry);
    if (answer === true || (answer !== false && (await answer))) allowed.push(entry);
  }
  return allowed;
}

const startOf = (count: number, from: number) =>
  from < count ? from : Math.max(0, Math.floor((count - 1) / shownEntries) * shownEntries);

type Shown =
  | { readonly kind: "folder"; readonly identifier: string }
  | { readonly kind: "image"; readonly image: Listed };

/** Entries from `start` that make a page, and where the next one begins; no more than `most` are looked at. */
async function pageOf(
  entries: readonly Entry[],
  start: number,
  most: number,
  lookAt: (identifier: string) => Promise<Listed | undefined>,
): Promise<{ readonly shown: readonly Shown[]; readonly at: number }> {
  const shown: Shown[] = [];
  let at = start;
  const end = Math.min(entries.length, start + most);
  while (at < end && shown.length < shownEntries) {
    const batch = entries.slice(at, Math.min(end, at + shownEntries - shown.length));
    const seen: (Shown | undefined)[] = [];
    await forEachConcurrently(batch.entries(), atOnce, async ([nth, { kind, identifier }]) => {
      const image = kind === "image" ? await lookAt(identifier) : undefined;
      seen[nth] = kind === "folder" ? { kind, identifier } : image && { kind, image };
    });
    shown.push(...seen.filter((one) => one !== undefined));
    at += batch.length;
  }
  return { shown, at };
}

function showing(
  { images, auth, sources, folders: all }: CollectionParts,
  callerOf: (identifier: string) => Caller,
  sharing: Sharing[],
) {
  const image = (identifier: string) => look(images, callerOf(identifier), sharing);
  const lookInto = async (
    identifier: string,
    { isSoonKnown, gate }: { readonly isSoonKnown: boolean; readonly gate: Gate },
  ): Promise<ShownFolder> => {
    const place = placeOf(sources, identifier);
    // Without the signal of the request: it is soon asked for again.
    const folder = await all.find(place.source, place.key);
    if (!folder) return { identifier };
    const inFolder = imagesOf(sources, place, folder);
    let picture: Listed | undefined;
    for (const { name } of inFolder.slice(0, pictureAmong)) {
      const inner = identifierOf(inside(place, name));
      if (isSoonKnown && !(await gate.allows(inner))) continue;
      picture = await image(inner);
      if (picture?.size) break;
    }
    const isPublic = isSoonKnown && auth === undefined;
    return {
      identifier,
      ...(isPublic && { holds: { images: inFolder.length, folders: folder.listing.directories.length } }),
      ...(picture?.size && { picture }),
    };
  };
  return {
    image,
    /** As far as there is time for it. */
    async folders(
      identifiers: readonly string[],
      how: Parameters<typeof lookInto>[1],
    ): Promise<ShownFolder[]> {
      const end = performance.now() + folders.ms;
      const seen: ShownFolder[] = identifiers.map((identifier) => ({ identifier }));
      await forEachConcurrently(identifiers.entries(), folders.atOnce, async ([at, identifier]) => {
        const left = end - performance.now();
        if (left <= 0) return;
        // One folder that cannot be read does not hide the others.
        const known = await withDeadline(left, () => lookInto(identifier, how)).catch(() => undefined);
        if (known) seen[at] = known;
      });
      return seen;
    },
  };
}

/** One decision is noted for the whole page. */
const unnoted = { note() {} };

const notFound = () =>
  new ServiceError(
    "not-found",
    "Expected a folder that is listed here and that you may see; there is none of this name. Begin at the start page, or ask for an image by its identifier.",
    { code: "no_such_folder" },
  );
