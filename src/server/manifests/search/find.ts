// Search in a folder and all below it: words are compared with names, labels and metadata, and nothing is
// opened.

import type { Sources } from "../../sources/index.ts";
import { type Entry, topsOf } from "../browse/entries.ts";
import { type FolderLocation, identifierOf, inside, locationOf } from "../locations.ts";
import type { SearchedContent, SearchedFolder } from "./searched-folder.ts";
import { textIn, toComparable } from "./words.ts";

/** Matches that a search lists. */
export const maxMatches = 2000;

type Decide = (identifier: string) => Promise<boolean> | boolean;

export interface SearchRequest {
  readonly location: FolderLocation;
  /** True if the tops of further sources are searched too. */
  readonly isRoot: boolean;
  readonly words: readonly string[];
  /** True if the caller may know the contents of a folder; other folders are no matches either. */
  readonly mayLookInto: Decide;
  /** True if a folder is listed whose contents the caller may not know. It matches by its title alone. */
  readonly mayList?: Decide;
  /** True if the caller may have an image. */
  readonly mayHave: Decide;
  /** Also what manifest files hide. */
  readonly showsHidden?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Matches {
  /** In the order of their folders, those further up first. */
  readonly entries: readonly Entry[];
  /** There are more matches than a search lists. */
  readonly isCut?: true;
}

/** Returns what is known of a folder, or undefined. */
export type LookInto = (
  location: FolderLocation,
) => Promise<SearchedFolder | undefined> | SearchedFolder | undefined;

interface Queued {
  readonly location: FolderLocation;
  readonly folder: SearchedFolder | undefined;
  readonly isRoot: boolean;
  /** Texts of the folders between it and the start of the search. */
  readonly above: string;
}

/**
 * Returns entries that match all of the words: each word in the visible text of the entry or of the folders
 * between it and `location`, and at least one in that of the entry itself. `max`: maximum of listed matches.
 */
export async function findEntries(
  sources: Sources,
  lookInto: LookInto,
  request: SearchRequest,
  max = maxMatches,
): Promise<Matches> {
  const { location, isRoot } = request;
  const entries: Entry[] = [];
  const queue: Queued[] = [{ location, folder: await lookInto(location), isRoot, above: "" }];
  for (const around of queue)
    for (const one of contentsWithLocations(sources, around)) {
      if (one[1].isHidden && !request.showsHidden) continue;
      const found =
        one[1].kind === "image"
          ? matches(request.words, one[1].text, around.above) && (await imageEntry(one, request))
          : await folderEntry(one, around, { request, lookInto, queue });
      if (!found) continue;
      if (entries.length >= max) return { entries, isCut: true };
      entries.push(found);
    }
  return { entries };
}

type LocatedContent = readonly [FolderLocation, SearchedContent];

async function imageEntry(
  [location, { label }]: LocatedContent,
  { mayHave }: SearchRequest,
): Promise<Entry | undefined> {
  const identifier = identifierOf(location);
  return (await mayHave(identifier)) ? { kind: "image", identifier, ...(label && { label }) } : undefined;
}

/** A folder is searched later, whether it matches or not. */
async function folderEntry(
  [location, { name, label: labelAbove, text }]: LocatedContent,
  { above }: Queued,
  search: { readonly request: SearchRequest; readonly lookInto: LookInto; readonly queue: Queued[] },
): Promise<Entry | undefined> {
  const { request, lookInto, queue } = search;
  const identifier = identifierOf(location);
  if (!(await request.mayLookInto(identifier))) {
    if (!(await request.mayList?.(identifier))) return undefined;
    const label = labelAbove ?? (await lookInto(location))?.label;
    const title = label ? `${toComparable(name)}\n${textIn({ label })}` : toComparable(name);
    return matches(request.words, title, above)
      ? { kind: "folder", identifier, ...(label && { label }) }
      : undefined;
  }
  const folder = await lookInto(location);
  if (folder && (await holdsNotes(location, folder, lookInto))) return undefined;
  const own = folder ? `${text}\n${folder.text}` : text;
  queue.push({ location, folder, isRoot: false, above: `${above}${own}\n` });
  if (!matches(request.words, own, above)) return undefined;
  const label = labelAbove ?? folder?.label;
  return { kind: "folder", identifier, ...(label && { label }) };
}

/** Levels of folders that are looked into to find out that they hold annotations alone. */
const maxLevels = 3;

/** True for a folder that holds annotations alone, or folders of those: it is no folder for readers. */
async function holdsNotes(
  location: FolderLocation,
  { isOfNotes, contents }: SearchedFolder,
  lookInto: LookInto,
  levels = maxLevels,
): Promise<boolean> {
  if (isOfNotes) return true;
  if (levels === 0 || contents.length === 0 || contents.some(({ kind }) => kind === "image")) return false;
  for (const { name } of contents) {
    const inner = inside(location, name);
    const folder = await lookInto(inner);
    if (!folder || !(await holdsNotes(inner, folder, lookInto, levels - 1))) return false;
  }
  return true;
}

function* contentsWithLocations(
  sources: Sources,
  { location, folder, isRoot }: Omit<Queued, "above">,
): Generator<LocatedContent> {
  for (const content of folder?.contents ?? []) yield [inside(location, content.name), content];
  for (const { identifier } of isRoot ? topsOf(sources) : []) {
    const inner = locationOf(sources, identifier);
    yield [inner, { kind: "folder", name: identifier, isHidden: false, text: toComparable(identifier) }];
  }
}

/** True if a text contains one of the words, and the folders above it contain the others. */
function matches(words: readonly string[], own: string, above: string): boolean {
  return (
    words.some((word) => own.includes(word)) &&
    words.every((word) => own.includes(word) || above.includes(word))
  );
}
