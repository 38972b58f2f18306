// Folders of the sources, remembered: each is listed again when its source's `revalidate` is over, once for
// all who ask.

import {
  cancelledError,
  createLru,
  createSingleFlight,
  type KeepAlive,
  plainSegments,
  ServiceError,
  type SingleFlight,
} from "../../../base/index.ts";
import { hash, masterName } from "../../images/cache-keys.ts";
import { purgesOf } from "../../images/describe.ts";
import type { Source, SourceEntry } from "../../sources/source.ts";
import type { Slot } from "../../stores/slot.ts";
import { type FolderLocation, inside } from "../locations.ts";
import { readAnnotationsName } from "./annotation-names.ts";
import type { Folder, KnownFacts } from "./folder.ts";
import { type ListedFile, type Listing, listingOf, manifestFileNames, weightOf } from "./listing.ts";
import { type ManifestFile, readManifestFile } from "./manifest-file.ts";
import type { ReadYaml } from "./manifest-file-text.ts";
import { readMetsFile } from "./mets-file.ts";
import { type Look, withoutNotes } from "./notes.ts";
import { readTextName } from "./text-names.ts";

export interface FoldersParts {
  readonly readYaml: ReadYaml;
  /** Keeps listings of sources on other machines, for all replicas and later starts. */
  readonly info: Slot;
  /**
   * Milliseconds for which a listing of a source is valid, and additionally while the source does not
   * respond.
   */
  readonly times: (source: Source) => { readonly revalidateMs: number; readonly staleMs: number };
  readonly keepAlive?: KeepAlive | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A folder as it is now. */
export type ListedFolder = Omit<Folder, "serial" | "facts">;

/** Bytes that remembered folders may take together. */
const cacheBytes = 48 * 2 ** 20;

/** Memory of an image's facts, in addition to its entry in the listing. */
const bytesOfFacts = 160;

/** Raised whenever the form of stored listings changes. */
const listingVersion = 4;

interface CachedFolder {
  /** Absent if the folder does not exist. */
  readonly folder?: Folder;
  readonly listedAt: number;
}

/** The remembered folders of the sources. */
export class Folders {
  readonly #parts: FoldersParts;
  readonly #now: () => number;
  readonly #cache = createLru<string, CachedFolder>(cacheBytes);
  readonly #flights: SingleFlight<Folder | undefined>;
  #serial = 0;
  #purges: number;
  /** Manifest files that were read to find out what a folder holds. */
  readonly #seen = createLru<string, ManifestFile>(seenBytes);

  constructor(parts: FoldersParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#flights = createSingleFlight<Folder | undefined>(this.#parts.keepAlive);
    this.#purges = purgesOf(this.#parts.info);
  }

  /**
   * Returns a folder, or undefined if it does not exist. A source that cannot list only has folders with a
   * manifest file, otherwise empty. Throws what the source throws.
   */
  async find(source: Source, key: string, signal?: AbortSignal): Promise<Folder | undefined> {
    if (this.#purges !== purgesOf(this.#parts.info)) this.#cache.clear();
    this.#purges = purgesOf(this.#parts.info);
    const name = `${source.name}\0${key}`;
    const known = this.#cache.get(name);
    if (known && this.#isFresh(source, known.listedAt)) return known.folder;
    return this.#flights
      .run(`${name}\0${this.#purges}`, (work) => this.#refresh(source, key, name, work), signal)
      .catch((error: unknown) => this.#standIn(source, known, error));
  }

  /**
   * Returns the current state of a folder of a source that can list: its files without validators, and its
   * manifest file, which stays the previous one while it is unchanged. Undefined if there is none. Caches
   * nothing. Throws what the source throws.
   */
  async read(
    source: Source,
    key: string,
    before?: ManifestFile,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ListedFolder | undefined> {
    const entries = await listFolder(source, key, signal, false);
    if (entries === undefined) return undefined;
    const listed = listingOf(entries);
    // What a folder without images holds is found by reading what is in it.
    const listing =
      listed.images.length > 0
        ? await withoutNotes({ source, key }, listed, maxSought.local, this.#look(signal))
        : listed;
    for (const { name } of listing.manifestFiles) source.forget?.(inside({ source, key }, name).key);
    const reading = { readYaml: this.#parts.readYaml, known: before, signal };
    const manifestFile = await readManifestFile(source, key, listing.manifestFiles, reading);
    return { listing, ...(manifestFile && { manifestFile }) };
  }

  #isFresh(source: Source, listedAt: number): boolean {
    const age = this.#now() - listedAt;
    return age >= 0 && age < this.#parts.times(source).revalidateMs;
  }

  /** Returns the previous listing, while it may replace a failed one. */
  #standIn(source: Source, known: CachedFolder | undefined, error: unknown): Folder {
    const { revalidateMs, staleMs } = this.#parts.times(source);
    const isAway = error instanceof ServiceError && ["source", "busy"].includes(error.kind);
    if (!isAway || !known?.folder || this.#now() - known.listedAt >= revalidateMs + staleMs) throw error;
    return known.folder;
  }

  #look(signal: AbortSignal): Look {
    return async (location) => {
      const { source, key } = location;
      const name = `${source.name}\0${key}`;
      const listing = listingOf((await listFolder(source, key, signal, false)) ?? []);
      if (listing.images.length > 0) return { listing };
      const known = this.#seen.get(name) ?? this.#cache.get(name)?.folder?.manifestFile;
      const manifestFile = await readManifestFile(source, key, listing.manifestFiles, {
        readYaml: this.#parts.readYaml,
        known,
        signal,
      });
      if (manifestFile) this.#seen.set(name, manifestFile, 8 * manifestFile.size + bytesOfName);
      return { listing, ...(manifestFile && { manifestFile }) };
    };
  }

  #withoutFoundNotes(location: FolderLocation, entries: readonly SourceEntry[], signal: AbortSignal) {
    const max = isRemote(location.source) ? maxSought.remote : maxSought.local;
    return withoutNotes(location, listingOf(entries), max, this.#look(signal));
  }

  async #refresh(source: Source, key: string, name: string, signal: AbortSignal) {
    const list = () => listFolder(source, key, signal);
    const begun = purgesOf(this.#parts.info);
    const found = isRemote(source)
      ? await throughSlot(
          this.#parts.info,
          { source, key },
          (at) => this.#isFresh(source, at),
          this.#now,
          list,
        )
      : await timeListing(list, this.#now);
    if (signal.aborted) throw cancelledError(signal);
    const before = this.#cache.get(name)?.folder;
    const listing = found.entries && (await this.#withoutFoundNotes({ source, key }, found.entries, signal));
    const manifestFile = await readManifestFile(
      source,
      key,
      source.list ? (listing?.manifestFiles ?? []) : candidates,
      { readYaml: this.#parts.readYaml, known: before?.manifestFile, signal },
    );
    const reading = { known: before?.mets, signal };
    const mets = listing && (await readMetsFile(source, key, listing, reading));
    const folder =
      listing || manifestFile
        ? { listing: listing ?? emptyListing, ...(manifestFile && { manifestFile }), ...(mets && { mets }) }
        : undefined;
    const known =
      folder &&
      (before && isSame(before, folder)
        ? before
        : { ...folder, serial: ++this.#serial, facts: stillTrue(before?.facts, folder.listing) });
    const entry = { ...(known && { folder: known }), listedAt: found.at };
    if (begun === purgesOf(this.#parts.info))
      this.#cache.set(name, entry, known ? bytesOf(known) : bytesOfName);
    return known;
  }
}

/** Folders in a folder that are looked into to find those of annotations alone. */
const maxSought = { local: 200, remote: 16 } as const;

/** Bytes for the manifest files of those. */
const seenBytes = 8 * 2 ** 20;

/** The manifest files that a folder of a source without listings may hold. */
const candidates = manifestFileNames.map((name) => ({ name }));

const emptyListing = listingOf([]);

/** Memory in addition to that of its manifest file, whose values take several times the bytes of its text. */
const bytesOf = ({ listing, manifestFile, mets }: Folder) =>
  weightOf(listing) +
  bytesOfFacts * listing.images.length +
  8 * (manifestFile?.size ?? 0) +
  (mets?.size ?? 0);

/** Memory of a missing folder. */
const bytesOfName = 256;

const isRemote = ({ backend }: Source) => backend === "s3" || backend === "http";

interface TimedListing {
  /** Absent if there is no such folder. */
  readonly entries?: readonly SourceEntry[] | undefined;
  readonly at: number;
}

/**
 * The time when a listing started, so that a file that is added meanwhile is not missed for longer than any
 * other.
 */
async function timeListing(
  list: () => Promise<readonly SourceEntry[] | undefined>,
  now: () => number,
): Promise<TimedListing> {
  const at = now();
  return { entries: await list(), at };
}

/**
 * Returns what a folder holds of interest for documents; undefined if there is none. Throws `cancelled` if
 * the signal aborts.
 */
export async function listFolder(source: Source, key: string, signal: AbortSignal, validators = true) {
  const entries = await source.list?.(key, () => signal.aborted, validators);
  // A listing that ended early does not count.
  if (signal.aborted) throw cancelledError(signal);
  return entries?.filter(
    ({ kind, name }) =>
      isPlain(key === "" ? name : `${key}/${name}`) &&
      (kind !== "other" ||
        name.startsWith("manifest.") ||
        readTextName(name) !== undefined ||
        readAnnotationsName(name) !== undefined),
  );
}

/**
 * True if a file of that key can have an identifier: file systems allow a backslash in names, and buckets
 * more. A key may be a URL.
 */
const isPlain = (key: string) =>
  plainSegments(key.replace(/^https?:\/\//i, "")) !== undefined && !/^[a-z]:/i.test(key);

/** Returns the stored listing while it is valid, else the result of `list`, which is stored. */
async function throughSlot(
  info: Slot,
  { source, key }: { readonly source: Source; readonly key: string },
  isFresh: (at: number) => boolean,
  now: () => number,
  list: () => Promise<readonly SourceEntry[] | undefined>,
): Promise<TimedListing> {
  const name = masterName({ source, key });
  const variant = `listing.${await hash([listingVersion, source.fingerprint, key])}`;
  if (!source.list) return { at: now() };
  const stored = decode(await info.get(name, variant));
  if (stored && isFresh(stored.at)) return stored;
  const fresh = await timeListing(list, now);
  // Clients can ask for any number of names that do not exist.
  if (fresh.entries) info.put(name, variant, new TextEncoder().encode(JSON.stringify(fresh)));
  return fresh;
}

function decode(bytes: Uint8Array | undefined): TimedListing | undefined {
  if (!bytes) return undefined;
  try {
    const stored = JSON.parse(new TextDecoder().decode(bytes)) as Partial<TimedListing>;
    const sound =
      typeof stored.at === "number" && (stored.entries === undefined || Array.isArray(stored.entries));
    return sound ? (stored as TimedListing) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * True if nothing changed between two listings, as far as known: an image without a validator may be another
 * one.
 */
function isSame(one: Pick<Folder, "listing" | "manifestFile" | "mets">, other: typeof one): boolean {
  const [before, after] = [one.listing, other.listing];
  return (
    one.manifestFile === other.manifestFile &&
    one.mets === other.mets &&
    before.directories.length === after.directories.length &&
    before.directories.every((name, at) => name === after.directories[at]) &&
    before.notes.join("/") === after.notes.join("/") &&
    areSame(before.images, after.images) &&
    areSame(before.texts, after.texts) &&
    areSame(before.annotations, after.annotations)
  );
}

const areSame = (before: readonly ListedFile[], after: readonly ListedFile[]) =>
  before.length === after.length &&
  before.every(({ name, validator }, at) => {
    const now = after[at];
    return validator !== undefined && now?.name === name && now.validator === validator;
  });

/** Returns the known facts of a folder's images that its listing does not contradict. */
function stillTrue(known: ReadonlyMap<string, KnownFacts> | undefined, { images }: Listing) {
  const facts = new Map<string, KnownFacts>();
  for (const { name, validator } of known ? images : []) {
    const one = known?.get(name);
    if (one && one.validator === validator) facts.set(name, one);
  }
  return facts;
}
