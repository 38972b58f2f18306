// Search by name in a folder and all below it, as they are listed: nothing is opened, and the search stops at its bounds.

import { ServiceError } from "../../errors.ts";
import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folder } from "../folders/folder.ts";
import type { Folders } from "../folders/folders.ts";
import { identifierOf, type Place, placeOf } from "../places.ts";
import { type Entry, entriesOf } from "./entries.ts";

/** Characters of what is searched for that count. */
export const longestSearch = 200;
/** Words in it that count. */
const mostWords = 12;

export interface SearchBounds {
  /** Folders that are looked through at most. */
  readonly folders: number;
  /** Matches after which the search stops. */
  readonly matches: number;
  /** Milliseconds after which no further folder is looked through. */
  readonly ms: number;
}

export interface Matches {
  /** In the order of their folders, those further up first. */
  readonly entries: readonly Entry[];
  /** Identifier of the first folder that was not looked through, for whatever reason; absent where all were. */
  readonly stoppedAt?: string | undefined;
  /** There are more matches than a search lists. */
  readonly isCut?: true;
}

/** The words of a search in the form that names are compared in; none for one that is blank. */
export function wordsOf(text: string): readonly string[] {
  return comparable(text.slice(0, longestSearch)).split(/\s+/u).filter(Boolean).slice(0, mostWords);
}

/** A name without case, accents and differences of width. */
function comparable(text: string): string {
  const plain = /^[\x20-\x7e]*$/.test(text) ? text : text.normalize("NFKD").replace(/\p{M}+/gu, "");
  return plain.toLowerCase();
}

/**
 * Entries whose names hold all of the words: each in the name or in those of the folders between it and `place`, one at least in
 * its own. `mayLookInto`: whether the caller may know what a folder holds; those that are not are no matches either.
 */
export async function findNames(
  { sources, folders }: { readonly sources: Sources; readonly folders: Folders },
  place: Place,
  isRoot: boolean,
  words: readonly string[],
  mayLookInto: (identifier: string) => Promise<boolean> | boolean,
  { folders: mostFolders, matches, ms }: SearchBounds,
  signal?: AbortSignal,
): Promise<Matches> {
  const end = performance.now() + ms;
  const start = isRoot ? "" : identifierOf(place);
  const queue: Queued[] = [{ place, identifier: start, isRoot, above: "" }];
  const found: Entry[] = [];
  let stoppedAt: string | undefined;
  for (const [nth, { place, identifier, isRoot, above }] of queue.entries()) {
    const left = end - performance.now();
    if (nth >= mostFolders || left <= 0) return { entries: found, stoppedAt: stoppedAt ?? identifier };
    const folder = await listedWithin(left, folders, place, signal);
    if (folder === null) stoppedAt ??= identifier;
    for (const entry of entriesOf(sources, place, folder ?? undefined, isRoot)) {
      if (entry.kind === "folder" && !(await mayLookInto(entry.identifier))) continue;
      const own = comparable(nameIn(entry.identifier, identifier));
      const isMatch = holdsWords(words, own, above);
      if (isMatch && found.length >= matches) return { entries: found, isCut: true };
      if (isMatch) found.push(entry);
      if (entry.kind === "folder") queue.push(queued(placeOf(sources, entry.identifier), `${above}${own}/`));
    }
  }
  return { entries: found, stoppedAt };
}

/** A folder that is still to be looked into. */
interface Queued {
  readonly place: Place;
  readonly identifier: string;
  readonly isRoot: boolean;
  /** Names of the folders between it and where the search began. */
  readonly above: string;
}

const queued = (place: Place, above: string): Queued => ({
  place,
  identifier: identifierOf(place),
  isRoot: false,
  above,
});

/** null: it cannot be listed now; undefined: its source lists nothing. */
async function listedWithin(
  ms: number,
  folders: Folders,
  { source, key }: Place,
  signal: AbortSignal | undefined,
): Promise<Folder | undefined | null> {
  if (!source.list) return undefined;
  try {
    return await withDeadline(ms, () => folders.find(source, key));
  } catch (error) {
    if (signal?.aborted) throw error;
    if (error instanceof ServiceError && error.kind === "cancelled") throw error;
    return null;
  }
}

const nameIn = (identifier: string, folder: string) =>
  folder !== "" && identifier.startsWith(`${folder}/`) ? identifier.slice(folder.length + 1) : identifier;

/** Whether a name holds one of the words, and holds the others where the folders above it do not. */
function holdsWords(words: readonly string[], own: string, above: string): boolean {
  return (
    words.some((word) => own.includes(word)) &&
    words.every((word) => own.includes(word) || above.includes(word))
  );
}
