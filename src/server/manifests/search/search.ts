// Search in the listings of sources: by an index of each if work may continue between requests, otherwise by
// listing folders.

import { ServiceError, withDeadline } from "../../../base/index.ts";
import { purgesOf } from "../../images/describe.ts";
import type { Sources } from "../../sources/index.ts";
import type { Source } from "../../sources/source.ts";
import type { Slot } from "../../stores/slot.ts";
import type { Folders } from "../folders/folders.ts";
import { type FolderLocation, identifierOf } from "../locations.ts";
import { findEntries, type LookInto, type Matches, type SearchRequest } from "./find.ts";
import { searchedFolder } from "./searched-folder.ts";
import { createSourceIndex, type Lack, type ReadFolder, type SourceIndex } from "./source-index.ts";

export interface SearchResult extends Matches {
  /** Identifier of the first folder that was not searched; absent if all were. */
  readonly stoppedAt?: string;
  /** Why matches may be missing; absent if none are, or if `stoppedAt` says it. */
  readonly lack?: "reading" | "unreadable";
}

export interface Search {
  /** Throws what the source throws if the client has gone. */
  find(request: SearchRequest): Promise<SearchResult>;
  /** Starts to read the index that searches use, if that costs little. */
  prepare(): void;
}

export interface SearchParts {
  readonly sources: Sources;
  readonly folders: Folders;
  /** The index is valid until this slot is purged. */
  readonly info: Slot;
  readonly revalidateMs: (source: Source) => number;
  /** True if work may continue after the request that began it. */
  readonly hasIndex: boolean;
  /** Bytes of memory for the indexes of all sources. */
  readonly maxBytes?: number;
  readonly now?: () => number;
}

/** About 400,000 names. */
const usualBytes = 96 * 2 ** 20;
/** Milliseconds for which a search waits for an index to be read. */
const readMs = 150;
const late = new Error("the index has not been read yet");
/** Limits of the listings during a search: folders, and milliseconds. */
const walkBounds = { folders: 2000, ms: 600 };
/** Limits for folders that do not fit an index. */
const beyondIndex = { folders: 2000, ms: 150 };

/** The search of a service. */
export function createSearch(parts: SearchParts): Search {
  const { sources, info, hasIndex } = parts;
  let indexes = new Map<Source, SourceIndex>();
  let purges = purgesOf(info);
  const indexOf = (source: Source): SourceIndex => {
    if (purges !== purgesOf(info)) indexes = new Map();
    purges = purgesOf(info);
    const index = indexes.get(source) ?? createIndex(parts, source);
    indexes.set(source, index);
    return index;
  };
  const listable = sources.all.filter(({ list }) => list !== undefined);

  return {
    async find(request) {
      const { location, isRoot, signal } = request;
      if (!hasIndex) {
        const walk = walkFolders(parts, walkBounds, signal);
        return withStop(await findEntries(sources, walk.lookInto, request), walk.stoppedAt());
      }
      const asked = listable.filter((source) => isRoot || source === location.source).map(indexOf);
      await withDeadline(readMs, () => Promise.all(asked.map((index) => index.refresh())), late).catch(
        (error) => {
          if (error !== late) throw error;
        },
      );
      const walk = walkFolders(parts, beyondIndex, signal);
      const lookInto: LookInto = (location) => {
        if (!location.source.list) return undefined;
        const index = indexOf(location.source);
        return index.folder(location.key) ?? (index.lack() === "full" ? walk.lookInto(location) : undefined);
      };
      const found = withStop(await findEntries(sources, lookInto, request), walk.stoppedAt());
      const lack = worst(asked.map((index) => index.lack()));
      return { ...found, ...(lack && { lack }) };
    },
    prepare() {
      if (!hasIndex) return;
      for (const source of listable)
        if (source.stateOf)
          void indexOf(source)
            .refresh()
            .catch(() => {});
    },
  };
}

function createIndex(
  { sources, folders, revalidateMs, maxBytes = usualBytes, now = Date.now }: SearchParts,
  source: Source,
): SourceIndex {
  // Folders on other machines are listed once for all replicas.
  const read: ReadFolder = source.stateOf
    ? ({ key }, before) => folders.read(source, key, before)
    : ({ key }) => folders.find(source, key);
  return createSourceIndex({
    sources,
    source,
    read,
    revalidateMs: revalidateMs(source),
    maxBytes: maxBytes / sources.all.length,
    now,
  });
}

const withStop = (matches: Matches, stoppedAt: string | undefined): SearchResult => ({
  ...matches,
  ...(stoppedAt !== undefined && { stoppedAt }),
});

const worst = (lacks: readonly Lack[]) =>
  lacks.includes("reading") ? "reading" : lacks.includes("unreadable") ? "unreadable" : undefined;

interface WalkBounds {
  /** Most folders to read. */
  readonly folders: number;
  /** Milliseconds after which no further folder is. */
  readonly ms: number;
}

interface FolderWalk {
  readonly lookInto: LookInto;
  /** Identifier of the first folder that was not looked into, for whatever reason; undefined if all were. */
  stoppedAt(): string | undefined;
}

/** Reads folders as they are listed now. */
export function walkFolders(
  { sources, folders }: { readonly sources: Sources; readonly folders: Pick<Folders, "find"> },
  { folders: max, ms }: WalkBounds,
  signal?: AbortSignal,
): FolderWalk {
  const end = performance.now() + ms;
  let stoppedAt: string | undefined;
  let seen = 0;
  const stop = (location: FolderLocation): undefined => {
    stoppedAt ??= identifierOf(location);
  };
  return {
    async lookInto(location) {
      const { source, key } = location;
      if (!source.list) return undefined;
      const left = end - performance.now();
      if (seen++ >= max || left <= 0) return stop(location);
      try {
        const folder = await withDeadline(left, () => folders.find(source, key));
        return folder && searchedFolder(sources, location, folder);
      } catch (error) {
        if (signal?.aborted) throw error;
        if (error instanceof ServiceError && error.kind === "cancelled") throw error;
        return stop(location);
      }
    },
    stoppedAt: () => stoppedAt,
  };
}
