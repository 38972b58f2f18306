// A source whose archives are folders: keys below an archive name its members. Everything else is that of the
// source itself.

import { createLru, createPauses, isArchiveName, ServiceError } from "../../../base/index.ts";
import { fileKind } from "../listing.ts";
import type { Source, SourceEntry, SourceImage } from "../source.ts";
import { type ArchiveKey, archiveKeys, archivesIn } from "./archive-key.ts";
import { type Archives, isFault, validatorIn } from "./archives.ts";
import type { ArchiveDirectory, ArchiveFolder } from "./directory.ts";
import { archiveFindings } from "./findings.ts";

/** Maximum number of attempts to read an archive that is being replaced. */
const attempts = 3;

/** Number of addresses that are known to be no archives, and milliseconds until they are asked again. */
const maxForeign = 1000;
const foreignMs = 60_000;

/**
 * Returns a source with its archives as folders. An archive is read only for a key that leads into it.
 * Folders list archives as folders, unless they have images themselves: those are a document of their own,
 * and the archive is most probably a copy of them.
 */
export function withArchives(source: Source, archives: Archives): Source {
  const { list, has, stateOf } = source;
  const idOf = (archive: string) => `${source.name}:${archive}`;
  // Below a file, a disk has nothing, but a web server or a bucket may have more.
  const mayHaveBoth = source.backend === "http" || source.backend === "s3";
  const foreign = createLru<string, Opened & { readonly until: number }>(maxForeign);

  /**
   * Returns the result of `use` with the archive that a key leads to or into; undefined if it leads to none.
   * `use` closes the archive or passes it on, unless it throws.
   */
  const inArchive = async <T>(
    key: string,
    use: (archive: SourceImage, at: ArchiveKey) => Promise<T>,
    ...request: [AbortSignal?, Parameters<Source["open"]>[2]?]
  ): Promise<T | undefined> => {
    for (const at of archiveKeys(key))
      for (let left = attempts - 1; ; left--) {
        const archive = await source.open(at.archive, ...request);
        if (!archive) break;
        try {
          return await use(archive, at);
        } catch (error) {
          await archive.close();
          if (left === 0 || !(error instanceof ServiceError) || error.kind !== "changed") throw error;
          source.forget?.(at.archive);
        }
      }
    return undefined;
  };

  /** Returns the result of a look at the directory of the archive that a key leads to or into. */
  const lookUp = <T>(
    key: string,
    look: (directory: ArchiveDirectory, archive: SourceImage, path: string) => T | Promise<T>,
  ) =>
    inArchive(key, async (archive, { archive: name, path }) => {
      const directory = await archives.directoryOf(idOf(name), archive);
      await archive.close();
      return { found: await look(directory, archive, path) };
    });

  const isIn = async (key: string) => {
    const look = (directory: ArchiveDirectory, _: SourceImage, path: string) => holds(directory, path);
    return (await lookUp(key, look).catch(() => undefined))?.found === true;
  };

  const openMember: Source["open"] = async (key, signal, trace) => {
    const use = async (archive: SourceImage, { archive: name, path }: ArchiveKey): Promise<Opened> => {
      if (path === "") return { image: archive };
      const fault = await archives.directoryOf(idOf(name), archive, signal).then(() => undefined, faultOf);
      const image = fault ? undefined : await archives.open(idOf(name), archive, path, signal);
      if (image) return { image };
      await archive.close();
      return fault ? { fault } : {};
    };
    const [outer = key] = archivesIn(key);
    const known = foreign.get(outer);
    const search = async (): Promise<Opened | undefined> => {
      try {
        return await inArchive(key, use, signal, trace);
      } catch (error) {
        if (!mayHaveBoth || !isForeign(error)) throw error;
        foreign.set(outer, { fault: error, until: Date.now() + foreignMs }, 1);
        return { fault: error };
      }
    };
    const found = known && Date.now() < known.until ? known : await search();
    if (!found) return source.open(key, signal, trace);
    const image = found.image ?? (mayHaveBoth ? await source.open(key, signal, trace) : undefined);
    if (image) return image;
    if (found.fault) throw found.fault;
    if (!mayHaveBoth) source.counts.notFound.add();
    return undefined;
  };

  const listInArchive: NonNullable<Source["list"]> = async (prefix, enough) => {
    const look = async (directory: ArchiveDirectory, archive: SourceImage, path: string) => {
      const folder = directory.folder(path);
      const known = folder && archives.listings.get(folder);
      if (!folder || known) return known;
      const entries = await entriesOf(directory, folder, archive, path, enough);
      if (!enough?.()) archives.listings.set(folder, entries, bytesOfListing(entries));
      return entries;
    };
    return (await lookUp(prefix.replace(/\/$/, ""), look))?.found;
  };

  const own: Source = {
    ...source,
    findingsOf: async (key) =>
      (isArchiveName(key) ? await lookUp(key, archiveFindings) : undefined)?.found ?? [],
    open: (key, signal, trace) =>
      archiveKeys(key).some(({ path }) => path !== "")
        ? openMember(key, signal, trace)
        : source.open(key, signal, trace),
    forget(key) {
      for (const each of [key, ...archivesIn(key)]) source.forget?.(each);
    },
    purge(key) {
      foreign.clear();
      for (const each of key === undefined ? [key] : [key, ...archivesIn(key)]) {
        source.purge?.(each);
        if (each === undefined) archives.purge();
        else if (isArchiveName(each)) archives.purge(idOf(each));
      }
    },
    ...(list && {
      async list(prefix, enough, validators) {
        const listBelow = async () => {
          const entries = await list(prefix, enough, validators);
          return entries && withFolders(entries, prefix);
        };
        try {
          return (await listInArchive(prefix, enough)) ?? (await listBelow());
        } catch (error) {
          if (!isFault(error)) throw error;
          const entries = mayHaveBoth ? await listBelow() : undefined;
          if (!entries?.length) throw unlistedError(error);
          return entries;
        }
      },
    }),
    ...(has && { has: async (key) => (await has(key)) || (await isIn(key)) }),
    ...(stateOf && {
      async stateOf(key) {
        const own = await stateOf(key);
        if (own !== undefined || !(await isIn(key))) return own;
        for (const archive of archivesIn(key)) {
          const state = await stateOf(archive);
          if (state !== undefined) return state;
        }
        return undefined;
      },
    }),
  };
  const listOnly: Source["list"] = (prefix, enough) =>
    listInArchive(prefix, enough).catch((error: unknown) => {
      throw isFault(error) ? unlistedError(error) : error;
    });
  return list ? own : { ...own, inArchives: { ...own, list: listOnly } };
}

/** True if a web server has a page at the address of an archive, or denies it: others may lie below it. */
const isForeign = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.code === "origin_not_image" || error.code === "origin_denied");

/** The result of a search in an archive. */
interface Opened {
  readonly image?: SourceImage;
  /** Why the file is not an archive. */
  readonly fault?: ServiceError;
}

/** Returns the fault of an archive. Throws any other error. */
function faultOf(error: unknown): ServiceError {
  if (!isFault(error)) throw error;
  return error;
}

/** Returns the error of a folder that cannot be listed, which hides none of those around it. */
const unlistedError = ({ message, code }: ServiceError) =>
  new ServiceError("source", message, code === undefined ? {} : { code });

const holds = ({ find, folder }: ArchiveDirectory, path: string): boolean =>
  typeof find(path) === "object" || folder(path) !== undefined;

/** Returns the entries of a folder in an archive, by name; those so far once there are `enough`. */
async function entriesOf(
  { find }: ArchiveDirectory,
  { files, directories }: ArchiveFolder,
  archive: SourceImage,
  path: string,
  enough: () => boolean = () => false,
): Promise<readonly SourceEntry[]> {
  const entries: SourceEntry[] = [];
  const pause = createPauses();
  for (const name of files) {
    const header = find(path === "" ? name : `${path}/${name}`);
    const validator = typeof header === "object" ? validatorIn(archive, header) : undefined;
    entries.push({ name, kind: fileKind(name), ...(validator !== undefined && { validator }) });
    if (enough()) return entries;
    const due = pause();
    if (due) await due;
  }
  for (const name of directories) entries.push({ name, kind: "directory" });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Estimated bytes of a listing in memory, whose names are those of the directory. */
const bytesOfListing = (entries: readonly SourceEntry[]) => 256 + 192 * entries.length;

/** Returns the entries of a folder with its archives as folders, unless it has images itself. */
function withFolders(entries: readonly SourceEntry[], prefix: string): readonly SourceEntry[] {
  if (prefix !== "" && entries.some(({ kind }) => kind === "image")) return entries;
  const folders = new Set(entries.filter(({ kind }) => kind === "directory").map(({ name }) => name));
  return entries.flatMap((entry): SourceEntry[] => {
    if (entry.kind !== "other" || !isArchiveName(entry.name)) return [entry];
    return folders.has(entry.name) ? [] : [{ name: entry.name, kind: "directory" }];
  });
}
