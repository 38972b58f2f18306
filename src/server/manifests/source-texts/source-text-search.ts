// Searches the text of whole sources, or of a folder and all below it, for one caller.

import { createSemaphore, withDeadline } from "../../../base/index.ts";
import { parseQuery } from "../../../text/index.ts";
import { combineSharing, type Sharing } from "../../access/access.ts";
import type { Source } from "../../sources/source.ts";
import { Gate, type GateParts } from "../gate.ts";
import { type FolderLocation, identifierOf, inside } from "../locations.ts";
import { type FoundPage, type FoundPagesParts, foundPages, type PagesReader } from "./found-pages.ts";
import { mayReadPage, singleClass } from "./page-class.ts";
import { keysBelow, pageOfKey } from "./page-key.ts";
import { foldersAround } from "./source-pages.ts";
import type { BuiltGroup, OnPages, SourceTextIndex, TextLack } from "./source-text-index.ts";
import type { ReadableSegment, WordIndex } from "./word-index.ts";

export interface TextsRequest extends PagesReader {
  readonly location: FolderLocation;
  /** True if all sources are searched. */
  readonly isRoot: boolean;
  readonly query: string;
  /** Number of the first page, from 0, and of those to return. */
  readonly from: number;
  readonly count: number;
}

export interface FoundTexts {
  readonly pages: readonly FoundPage[];
  /** Number of the first page after these; absent if there is none. */
  readonly next?: number;
  /** Number of all pages; absent if some are decided on one by one, and if a hook changes manifests. */
  readonly total?: number;
  /** True if there are more pages than are counted. */
  readonly isCapped: boolean;
  readonly lack?: TextLack;
  /** Who may cache it. */
  readonly sharing: Sharing;
}

export interface SourceTextSearchParts extends GateParts, FoundPagesParts {
  readonly index: SourceTextIndex;
  readonly words: Pick<WordIndex, "find">;
}

/** The text of whole sources. */
export interface SourceTexts {
  /** Searches as `findTexts` does; throws `busy` if too many searches wait. */
  find(request: TextsRequest): Promise<FoundTexts>;
  /** Indexes a source for its first search. Throws as {@link SourceTextIndex.update} does. */
  prepare(source: Source, onPages?: OnPages): Promise<void>;
  /** Ends the work in the background. */
  close(): void;
}

/** Searches on the main thread, which they share with all other requests, and those that may wait. */
const maxAtOnce = 2;
const maxWaiting = 100;

export function createSourceTexts(parts: SourceTextSearchParts): SourceTexts {
  const gate = createSemaphore(maxAtOnce, maxWaiting);
  return {
    find: (request) => gate.run(() => findTexts(parts, request), request.caller.signal),
    prepare: (source, onPages) => parts.index.update(source, onPages),
    close: () => parts.index.close(),
  };
}

/** Milliseconds for which a search waits for an index that has never been read. */
const readMs = 150;
const late = new Error("the index has not been read yet");
/** Pages that are decided on one by one for a search. */
const maxDecided = 500;
/** Matches that are shown of a page. */
const matchesOfPage = 3;

/**
 * Finds pages with all words of a query, in the order of folders and images, among those whose text the
 * caller may read. Throws `cancelled`.
 */
async function findTexts(parts: SourceTextSearchParts, request: TextsRequest): Promise<FoundTexts> {
  const { index, words, sources } = parts;
  const { location, isRoot, from, count, caller, context } = request;
  const searched = sources.all.filter(
    (source) => source.list !== undefined && (isRoot || source === location.source),
  );
  const begun = Promise.all(searched.map((source) => index.refresh(source)));
  await withDeadline(readMs, () => begun, late).catch(() => {});
  const gate = new Gate(parts, caller, context.base);
  // A hook may take canvases out of manifests, which are then not shown.
  const isHooked = parts.images.hooks?.has("presentation") === true;
  const { segments, isSingle, isCut } = await readableSegments(
    parts,
    gate,
    request,
    searched.flatMap((source) => index.groups(source)),
  );
  const below = isRoot ? undefined : keysBelow({ prefix: location.source.prefix, folder: location.key });
  const query = parseQuery(request.query);
  const { signal } = caller;
  const window = { from, count, matches: matchesOfPage };
  const found = await words.find({
    query,
    segments,
    window,
    ...(below && { below }),
    ...(signal && { signal }),
  });
  if (found.lost.length > 0) index.noteLost(found.lost);
  const shown = found.hits;
  const { pages, sharing } = await foundPages(parts, shown, request);
  const lacks = searched.map((source) => index.lack(source));
  const lack = lacks.includes("reading") ? "reading" : lacks.find((each) => each !== undefined);
  return {
    pages,
    ...(from + shown.length < found.pages && { next: from + shown.length }),
    ...(!isSingle && !isHooked && { total: found.pages }),
    isCapped: found.isCapped || isCut(),
    ...(lack && { lack }),
    sharing: combineSharing([gate.sharing(), ...sharing]),
  };
}

/**
 * Returns the segments of groups in which a caller may find pages. What others may read is in none of them,
 * except for pages that are decided on one by one.
 */
async function readableSegments(
  parts: SourceTextSearchParts,
  gate: Gate,
  { location, isRoot }: TextsRequest,
  groups: readonly BuiltGroup[],
): Promise<{
  readonly segments: readonly ReadableSegment[];
  readonly isSingle: boolean;
  readonly isCut: () => boolean;
}> {
  const [first, before] = keysBelow({ prefix: location.source.prefix, folder: location.key });
  const isBelow = (key: string) => isRoot || (key >= first && key < before);
  const singly = decideSingly(parts, gate);
  const decided = new Map<string, boolean>();
  const segments: ReadableSegment[] = [];
  let isSingle = false;
  for (const group of groups) {
    const { pageClass } = group;
    if (!isRoot && (group.lastKey < first || group.firstKey >= before)) continue;
    const isOfOne = pageClass.name === singleClass;
    const isReadable = isOfOne || decided.get(pageClass.name) || (await mayReadPage(parts, gate, pageClass));
    decided.set(pageClass.name, isReadable);
    if (!isReadable) continue;
    isSingle ||= isOfOne;
    const isBelowAll = isBelow(group.firstKey) && isBelow(group.lastKey);
    const mayRead = isOfOne && ((key: string) => singly.mayRead(key));
    segments.push(...group.segments.map((name) => ({ name, isBelowAll, ...(mayRead && { mayRead }) })));
  }
  return { segments, isSingle, isCut: () => singly.areCut() };
}

interface SingleDecisions {
  mayRead(key: string): Promise<boolean>;
  /** True if there may be more pages that the caller may read. */
  areCut(): boolean;
}

/**
 * Returns what decides on pages one by one, and refuses all after 500, whatever they hold. Decisions are said
 * to be cut only if the caller may read all 500: else the caller would learn of other pages with the words.
 */
function decideSingly(parts: SourceTextSearchParts, gate: Gate): SingleDecisions {
  let left = maxDecided;
  let allowed = 0;
  const decide = async (key: string): Promise<boolean> => {
    const { prefix, folder, name, page } = pageOfKey(key);
    const source = parts.sources.all.find((each) => each.prefix === prefix);
    if (!source) return false;
    const location = { source, key: folder };
    const image = identifierOf(inside(location, name));
    return mayReadPage(parts, gate, {
      image: page === undefined ? image : `${image};${page}`,
      folders: foldersAround(location),
    });
  };
  return {
    async mayRead(key) {
      if (left-- <= 0) return false;
      const mayRead = await decide(key);
      if (mayRead) allowed++;
      return mayRead;
    },
    areCut: () => allowed === maxDecided,
  };
}
