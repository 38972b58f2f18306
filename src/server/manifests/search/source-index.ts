// Index in memory of the names, labels and metadata in one source: read folder by folder, and again after
// changes.

import { forEachConcurrently, ServiceError } from "../../../base/index.ts";
import type { Sources } from "../../sources/index.ts";
import type { Source } from "../../sources/source.ts";
import type { ListedFolder } from "../folders/folders.ts";
import type { ManifestFile } from "../folders/manifest-file.ts";
import { type FolderLocation, inside, isReached } from "../locations.ts";
import { type SearchedFolder, searchedFolder } from "./searched-folder.ts";

/** Reads a folder; `before`: its manifest file as read before. */
export type ReadFolder = (
  location: FolderLocation,
  before: ManifestFile | undefined,
) => Promise<ListedFolder | undefined>;

export interface SourceIndexParts {
  readonly sources: Sources;
  readonly source: Source;
  readonly read: ReadFolder;
  /** Milliseconds after which the source is read again. */
  readonly revalidateMs: number;
  /** Bytes of memory that it may take. */
  readonly maxBytes: number;
  readonly now: () => number;
}

/** Why an index is incomplete; undefined if it is complete. */
export type Lack =
  /** It is being built, or has not been read again within its time. */
  | "reading"
  /** It has reached its bound. */
  | "full"
  /** Some folders could not be read. */
  | "unreadable"
  | undefined;

export interface SourceIndex {
  /** Returns what is known of a folder by its key, or undefined. */
  folder(key: string): SearchedFolder | undefined;
  /** Reads new and changed folders, unless that was done recently. Resolves when it is done. */
  refresh(): Promise<void>;
  lack(): Lack;
}

/** Folders that are read simultaneously. */
const atOnce = 8;
/** Folders below each other: links may lead in circles. */
const maxLevels = 32;
/** Folders that cannot be read after which nothing further is tried. */
const maxFailures = 20;
/** Milliseconds after which a folder is read again although its source says that nothing changed. */
const maxUnread = 600_000;
/**
 * Milliseconds that reading a folder may take if its state afterwards is to count; `Source.stateOf` says why.
 */
const maxRead = 1000;

interface IndexedFolder {
  /** The listing that it was made from, which others may cache. */
  readonly listed: WeakRef<ListedFolder>;
  readonly manifestFile: ManifestFile | undefined;
  /** Keys of the manifest files that are there. */
  readonly manifestKeys: readonly string[];
  readonly searched: SearchedFolder;
  readonly bytes: number;
  /**
   * State of the folder and of its manifest file according to the source; undefined: it cannot detect
   * changes.
   */
  readonly state: string | undefined;
  readonly readAt: number;
}

/** An index that holds nothing until it is refreshed. */
export function createSourceIndex(parts: SourceIndexParts): SourceIndex {
  const { sources, source, read, revalidateMs, maxBytes, now } = parts;
  const known = new Map<string, IndexedFolder>();
  let running: Promise<void> | undefined;
  let begunAt = Number.NEGATIVE_INFINITY;
  /** Start of the latest reading that was completed. */
  let readAt = Number.NEGATIVE_INFINITY;
  let isFull = false;
  let failures = 0;

  const isDue = (since: number) => !(now() - since < revalidateMs);

  /** Returns the current folder; the previous one if it cannot be read. */
  const current = async (key: string): Promise<IndexedFolder | undefined> => {
    const before = known.get(key);
    const location = { source, key };
    try {
      const at = now();
      if (before?.state !== undefined && at - before.readAt < maxUnread)
        if ((await stateOf(source, [key, ...before.manifestKeys])) === before.state) return before;
      const listed = await read(location, before?.manifestFile);
      if (listed === undefined) return undefined;
      const manifestKeys = listed.listing.manifestFiles.map(({ name }) => inside(location, name).key);
      // A state read right after a change may not reflect further changes, unless reading took long.
      const state = now() - at < maxRead ? await stateOf(source, [key, ...manifestKeys]) : undefined;
      if (before?.listed.deref() === listed) return { ...before, state, readAt: at };
      const searched = searchedFolder(sources, location, listed);
      const { manifestFile } = listed;
      const bytes = bytesOf(searched) + (manifestFile?.size ?? 0) * bytesOfManifestByte;
      return { listed: new WeakRef(listed), manifestFile, manifestKeys, searched, bytes, state, readAt: at };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      failures++;
      return before;
    }
  };

  const readAll = async () => {
    const began = (begunAt = now());
    let bytes = 0;
    failures = 0;
    let hasRoom = true;
    const seen = new Set<string>();
    let level = [""];
    for (let depth = 0; level.length > 0 && depth < maxLevels; depth++) {
      const below: string[] = [];
      await forEachConcurrently(level, atOnce, async (key) => {
        if (!hasRoom || failures > maxFailures) return;
        const folder = await current(key);
        if (folder === undefined) return;
        bytes += folder.bytes;
        hasRoom = bytes <= maxBytes;
        if (!hasRoom) return;
        seen.add(key);
        known.set(key, folder);
        for (const { kind, name } of folder.searched.contents) {
          const inner = inside({ source, key }, name);
          if (kind === "folder" && isReached(sources, inner, "folder")) below.push(inner.key);
        }
      });
      level = below;
    }
    isFull = !hasRoom;
    if (failures <= maxFailures) for (const key of known.keys()) if (!seen.has(key)) known.delete(key);
    readAt = began;
  };

  return {
    folder: (key) => known.get(key)?.searched,
    refresh() {
      if (running) return running;
      if (!isDue(begunAt)) return Promise.resolve();
      running = readAll().finally(() => {
        running = undefined;
      });
      return running;
    },
    lack() {
      if (running !== undefined && isDue(readAt)) return "reading";
      if (isFull) return "full";
      return failures > 0 || readAt < begunAt ? "unreadable" : undefined;
    },
  };
}

/** Returns the state of several files and folders according to a source; undefined if it has none for one. */
async function stateOf(source: Source, keys: readonly string[]): Promise<string | undefined> {
  if (!source.stateOf) return undefined;
  const states: string[] = [];
  for (const each of keys) {
    const state = await source.stateOf(each);
    if (state === undefined) return undefined;
    states.push(state);
  }
  return states.join("\n");
}

/** About how many bytes of memory a folder takes. */
const bytesOf = ({ text, contents }: SearchedFolder) =>
  contents.reduce(
    (sum, { name, text }) => sum + bytesOfContent + name.length + text.length,
    bytesOfFolder + text.length,
  );
const bytesOfContent = 160;
const bytesOfFolder = 512;
/** The values of a manifest file take several times the bytes of its text. */
const bytesOfManifestByte = 8;
