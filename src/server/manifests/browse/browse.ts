// Contents of a folder that one caller may have, page by page, by names and labels: no image is opened.

import {
  compareNaturally,
  forEachConcurrently,
  type LanguageMap,
  ServiceError,
} from "../../../base/index.ts";
import { type Caller, isUndecided, type RefusedDecision } from "../../access/access.ts";
import type { Auth } from "../../access/auth.ts";
import type { OpenParts } from "../../images/open.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { Gate } from "../gate.ts";
import { identifierOf, locationOf, nameOf, parentOf } from "../locations.ts";
import type { PresentationOptions } from "../options.ts";
import type { Search, SearchResult } from "../search/search.ts";
import { type Entry, entriesOf } from "./entries.ts";
import { labelOfFolder, labelsOf } from "./labels.ts";

export interface BrowseParts {
  readonly images: Pick<OpenParts, "access" | "hooks" | "decisions">;
  readonly auth?: Auth | undefined;
  readonly sources: Sources;
  readonly folders: Folders;
  readonly search: Search;
  readonly options: Pick<PresentationOptions, "derive">;
}

/**
 * Start of a page of a folder: after an entry that the caller has seen, and after some more that are not for
 * this caller.
 */
export interface Position {
  readonly kind: Entry["kind"];
  readonly identifier: string;
  readonly skipped: number;
}

export interface FolderPage {
  /** Identifier of the folder; "" for the root. */
  readonly identifier: string;
  readonly name: string;
  /** Parent of the collection; absent for the root. */
  readonly parent?: string;
  /** Identifiers in their order. */
  readonly folders: readonly string[];
  readonly images: readonly string[];
  /** Labels of the folder and its entries by identifier, from manifest files. */
  readonly labels: ReadonlyMap<string, LanguageMap>;
  /** For a search: whether it is complete. */
  readonly found?: Pick<SearchResult, "isCut" | "stoppedAt" | "lack">;
  /** Start of the next page; absent on the last one. */
  readonly next?: Position;
}

export interface BrowseRequest {
  /** Identifier of the folder; "" for the root. */
  readonly identifier: string;
  /** Words of a search in the folder and everything below it; empty for the folder itself. */
  readonly words: readonly string[];
  readonly after: Position | undefined;
  readonly caller: Caller;
}

/** Entries of a page. */
const shown = 50;
/** Entries of a folder that are decided on for one page: a hook may have to be asked about each. */
const maxDecided = 500;
/** Number of simultaneous decisions. */
const atOnce = 8;

/**
 * Returns one page of a folder, or of the results of a search in it: its folders, then its images, in their
 * order; in the root, the tops of further sources follow the folders. Leaves out images that the caller may
 * not have, and folders that a rule gates for this caller; `refused` if that is the folder itself. Throws
 * `not-found` if there is no such folder or none can be listed, and what the source throws.
 */
export async function browseFolder(
  parts: BrowseParts,
  { identifier, words, after, caller }: BrowseRequest,
): Promise<FolderPage | { readonly refused: RefusedDecision }> {
  // Only the hook knows then which identifiers lead to the files of a listing.
  if (parts.images.hooks?.has("resolve") && parts.options.derive !== "always") throw notFound(mappedByHook);
  const refused = await refusalOf(parts, identifier, caller);
  if (refused) return { refused };
  const location = locationOf(parts.sources, identifier);
  const isRoot = parentOf(parts.sources, location) === undefined;
  // Without listings, only stored manifests could be found.
  const folder =
    location.source.list && (await parts.folders.find(location.source, location.key, caller.signal));
  if (!folder && !isRoot) throw notFound(location.source.list ? noFolder : cannotList);
  const all = entriesOf(parts.sources, location, folder, isRoot);
  if (!folder && all.length === 0) throw notFound(cannotList);
  const gate = new Gate(parts, caller, "");
  const mayLookInto = async (folder: string) =>
    (await isAllowed(parts, { kind: "folder", identifier: folder }, caller, gate)) &&
    (!gate.keepsDocuments(folder) || gate.mayRead(folder, "rules"));
  // A hook is asked about the images of a page only.
  const mayHave = (image: string) =>
    (parts.images.hooks?.has("authorize") && !gate.keepsDocuments(image)) || gate.mayFind(image);
  const { signal } = caller;
  const found =
    words.length > 0
      ? await parts.search.find({ location, isRoot, words, mayLookInto, mayHave, signal })
      : undefined;
  const page = await pageOf(parts, found?.entries ?? all, after, caller, gate);
  gate.note(identifier, "list");
  const parent = parentOf(parts.sources, location);
  const own = isRoot ? "" : identifierOf(location);
  const label = folder && labelOfFolder(parts.sources, location, folder);
  const labels = await labelsOf(parts, page.allowed);
  if (label) labels.set(own, label);
  const identifiersOf = (kind: Entry["kind"]) =>
    page.allowed.filter((entry) => entry.kind === kind).map(({ identifier }) => identifier);
  return {
    identifier: own,
    name: nameOf(location),
    ...(parent !== undefined && { parent }),
    folders: identifiersOf("folder"),
    images: identifiersOf("image"),
    labels,
    ...(found && { found }),
    ...(page.next && { next: page.next }),
  };
}

async function pageOf(
  parts: BrowseParts,
  entries: readonly Entry[],
  after: Position | undefined,
  caller: Caller,
  gate: Gate,
): Promise<{ readonly allowed: readonly Entry[]; readonly next?: Position }> {
  const start = after ? startOf(entries, after) : 0;
  const end = Math.min(start + maxDecided, entries.length);
  const allowed: Entry[] = [];
  let last: { readonly entry: Entry; readonly at: number } | undefined;
  let at = start;
  while (at < end && allowed.length < shown) {
    const batch = entries.slice(at, Math.min(at + shown, end));
    const passes: boolean[] = [];
    await forEachConcurrently(batch.entries(), atOnce, async ([nth, entry]) => {
      passes[nth] = await isAllowed(parts, entry, caller, gate);
    });
    for (const [nth, entry] of batch.entries()) {
      if (allowed.length === shown) break;
      at++;
      if (!passes[nth]) continue;
      allowed.push(entry);
      last = { entry, at };
    }
  }
  if (at >= entries.length) return { allowed };
  // Names that the caller may not see do not count as positions either.
  if (last) {
    const { kind, identifier } = last.entry;
    return { allowed, next: { kind, identifier, skipped: at - last.at } };
  }
  return {
    allowed,
    next: { ...(after ?? { kind: "folder", identifier: "" }), skipped: at - base(entries, after) },
  };
}

/**
 * Returns the index of the first entry after the named one; if that one is gone, of the first that sorts
 * after it.
 */
function base(entries: readonly Entry[], after: Position | undefined): number {
  if (!after || after.identifier === "") return 0;
  const known = entries.findIndex(
    ({ kind, identifier }) => kind === after.kind && identifier === after.identifier,
  );
  if (known >= 0) return known + 1;
  const behind = entries.findIndex(({ kind, identifier }) =>
    kind === after.kind ? compareNaturally(identifier, after.identifier) > 0 : kind === "image",
  );
  return behind < 0 ? entries.length : behind;
}

const startOf = (entries: readonly Entry[], after: Position) =>
  Math.min(base(entries, after) + after.skipped, entries.length);

async function isAllowed(
  parts: BrowseParts,
  { kind, identifier }: Entry,
  caller: Caller,
  gate: Gate,
): Promise<boolean> {
  if (kind === "image") return (await gate.pass(identifier)).allowed;
  try {
    return (await refusalOf(parts, identifier, caller)) === undefined;
  } catch (error) {
    if (isUndecided(error)) return false;
    throw error;
  }
}

/**
 * Returns why a caller may not see the contents of a folder, if a rule gates all of it. Hooks decide on
 * images only.
 */
async function refusalOf(
  { auth }: BrowseParts,
  identifier: string,
  caller: Caller,
): Promise<RefusedDecision | undefined> {
  if (identifier === "" || auth?.requirementOf(identifier) === undefined) return undefined;
  const decision = await auth.access.decide({ ...caller, identifier });
  return decision.allowed ? undefined : decision;
}

const notFound = (message: string) => new ServiceError("not-found", message, { code: "no_such_folder" });

const mappedByHook =
  "A hook maps identifiers to images here, so folders cannot be listed. Ask for images by their identifiers; the operator can set presentation.derive.";
const cannotList =
  "The source of this identifier cannot list its folders. Ask for its images by their identifiers.";
const noFolder =
  "There is no folder with this identifier. Check its spelling; for facts of an image see its image information.";
