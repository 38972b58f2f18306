// A page of the collection as people look at it: the folders and images of a folder, or those that a search finds, with the sizes of
// images, what folders hold, and a picture of each.

import { type Caller, combineSharing, type Decision, type Sharing } from "../../access/access.ts";
import type { Auth } from "../../access/auth.ts";
import { ServiceError } from "../../errors.ts";
import type { LanguageMap } from "../../iiif/auth.ts";
import { type Listed, type LookParts, look } from "../../images/first-images.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { openGate } from "../gate.ts";
import type { PresentationOptions } from "../options.ts";
import { identifierOf, type Place, parentOf, placeOf, trailOf } from "../places.ts";
import type { Found, Search } from "../search/search.ts";
import { type Entry, entriesOf } from "./entries.ts";
import { folderLooks, type ShownFolder } from "./folder-looks.ts";
import { type LabelledTrail, withLabels } from "./labels.ts";
import { permittedEntries } from "./permitted.ts";

export interface CollectionParts {
  readonly images: LookParts;
  readonly auth?: Auth | undefined;
  readonly sources: Sources;
  readonly folders: Folders;
  readonly search: Search;
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

export interface ShownImage extends Listed {
  /** As the manifest file of its folder says. */
  readonly label?: LanguageMap;
}

export interface CollectionPage {
  /** "" is the root. */
  readonly identifier: string;
  readonly trail: LabelledTrail;
  readonly folders: readonly ShownFolder[];
  readonly images: readonly ShownImage[];
  readonly from: number;
  /** Where the next page begins; absent on the last one. */
  readonly next?: number;
  /** Of all entries; absent where each has to be asked about for its own sake. */
  readonly total?: number;
  /** Of a search: whether it has found all there is, as {@link Found}. */
  readonly found?: Pick<Found, "isCut" | "stoppedAt" | "lack">;
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
  parts.search.prepare();
  const contents = await contentsOf(parts, place, isRoot, caller);
  // Without a hook that has to be asked about each, what the caller may have is soon known of all entries.
  const isSoonKnown = !images.hooks.has("authorize");
  const mayHave = (image: string) => !isSoonKnown || gate.allows(image);
  const search =
    words.length > 0
      ? await parts.search.find({ place, isRoot, words, mayLookInto, mayHave, signal: caller.signal })
      : undefined;
  const found = (search ?? contents).entries;
  const isAllowed = ({ kind, identifier }: Entry) =>
    kind === "folder" ? mayLookInto(identifier) : mayHave(identifier);
  const entries = await permittedEntries(found, { access: images.access, auth }, isAllowed);
  const start = startOf(entries.length, from);
  const sharing: Sharing[] = [];
  // One decision is noted for the whole page.
  const decisions = { note: (_: unknown, decision: Decision) => gate.heed(decision) };
  const lookParts = { ...images, decisions };
  const lookAt = (image: string) => look(lookParts, callerOf(image), sharing);
  const { shown, at } = await pageOf(entries, start, isSoonKnown ? shownEntries : mostDecided, lookAt);
  const shownFolders = await folderLooks(
    parts,
    shown.flatMap((one) => (one.kind === "folder" ? [one.entry] : [])),
    { lookAt, mayHave: isSoonKnown ? mayHave : undefined, tellsCounts: isSoonKnown && auth === undefined },
  );
  gate.note(isRoot ? "" : identifierOf(place), "page");
  return {
    identifier: isRoot ? "" : identifierOf(place),
    trail: await withLabels(parts, trailOf(sources, place)),
    folders: shownFolders,
    images: shown.flatMap((one) => (one.kind === "image" ? [one.image] : [])),
    from: start,
    ...(at < entries.length && { next: at }),
    ...(isSoonKnown && { total: entries.length }),
    ...(search && { found: search }),
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
): Promise<{ readonly entries: readonly Entry[]; readonly isAway?: true }> {
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

const startOf = (count: number, from: number) =>
  from < count ? from : Math.max(0, Math.floor((count - 1) / shownEntries) * shownEntries);

type Shown =
  | { readonly kind: "folder"; readonly entry: Entry }
  | { readonly kind: "image"; readonly image: ShownImage };

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
    await forEachConcurrently(batch.entries(), atOnce, async ([nth, entry]) => {
      const { kind, identifier, label } = entry;
      const image = kind === "image" ? await lookAt(identifier) : undefined;
      const labelled = image && { ...image, ...(label && { label }) };
      seen[nth] = kind === "folder" ? { kind, entry } : labelled && { kind, image: labelled };
    });
    shown.push(...seen.filter((one) => one !== undefined));
    at += batch.length;
  }
  return { shown, at };
}

const notFound = () =>
  new ServiceError(
    "not-found",
    "Expected a folder that is listed here and that you may see; there is none of this name. Begin at the start page, or ask for an image by its identifier.",
    { code: "no_such_folder" },
  );
