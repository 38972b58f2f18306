// A store in a folder: one file for each entry, written as a whole, verified when read. Several processes may
// share it.
//
//   <path>/v1/<2 hex>/<hash of group>/<hash of the name's rest><hash of variant>
//
// Names never become paths. Nothing is locked: a reader sees a whole entry or none, and an entry that fails
// verification counts as absent and is removed. The modification time of a file is the time of its last use.

import { z } from "zod";
import { createLru, pathOption, type WriteOptions } from "../../../base/index.ts";
import { boundOptions, type StoreDefaults } from "../bounds.ts";
import { decodeEntry, entryKey, entryParts, entryPath } from "../entry.ts";
import { roundTrip } from "../round-trip.ts";
import { type Store, tooLargeError } from "../store.ts";
import { type BoundedFiles, boundFiles, type EntryFiles, type FileDeadlines } from "./entry-files.ts";
import { folderFault } from "./folder.ts";
import { Room } from "./room.ts";
import { clearFolder, entriesOf, entryFile } from "./sweep.ts";

/** Schema of `backend: filesystem`. */
export const filesystemOptions = (defaults: StoreDefaults) =>
  z.strictObject({
    backend: z
      .literal("filesystem")
      .meta({ description: "In files, which survive a restart.", edit: "restart" }),
    path: pathOption.default("").meta({
      description:
        "Folder for the files. Empty: $XDG_CACHE_HOME/smalti, or ~/.cache/smalti if that variable is not set.",
      edit: "restart",
    }),
    ...boundOptions(defaults),
  });

export interface FilesystemStoreOptions {
  /** With bounds that several stores share, or without any. */
  readonly files: EntryFiles | BoundedFiles;
  /** Absolute. Made when the first entry is written. */
  readonly path: string;
  /**
   * Limit in bytes on the lengths of all files, which a second process that writes to the folder may exceed
   * by a sixteenth, or by one larger entry. An entry above the limit is not stored.
   */
  readonly maxBytes: number;
  /** Limits of concurrent file calls and of their duration; default: those of a usual disk. */
  readonly calls?: number;
  readonly deadlines?: FileDeadlines;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A file is marked as used at most once in this time. */
const touchInterval = 60_000;

/** Creates a store over the entries that the folder already contains. */
export function filesystemStore(options: FilesystemStoreOptions): Store {
  const { path, maxBytes, now = Date.now } = options;
  const files =
    "lateWrites" in options.files
      ? options.files
      : boundFiles(options.files, options.calls, options.deadlines);
  const { space } = files;
  const top = `${path.replace(/[/\\]+$/, "")}/v1`;
  const touched = createLru<string, number>(10_000);
  const room = new Room({ files, top, maxBytes, now });

  /**
   * Returns folder and file of an entry; without a variant, the common prefix of all files that the name
   * means.
   */
  const pathOf = async (name: string, variant?: string) => {
    const [group = "", ...parts] = await entryPath(name, variant);
    return { folder: `${top}/${group.slice(0, 2)}/${group}`, file: parts.join("") };
  };
  const fileOf = async (name: string, variant: string) => {
    const { folder, file } = await pathOf(name, variant);
    return `${folder}/${file}`;
  };

  const removeFile = async (file: string): Promise<number> => {
    const done = room.change();
    const stat = await files.stat(file);
    if (stat?.kind !== "file") return 0;
    await files.remove(file);
    touched.delete(file);
    done(-1, -stat.size);
    return 1;
  };

  const markUsed = async (file: string) => {
    const time = now();
    if (!files.touch || time - (touched.get(file) ?? Number.NEGATIVE_INFINITY) < touchInterval) return;
    touched.set(file, time, 1);
    // The file may have gone, and on a read-only disk it is still good to read.
    await files.touch(file).catch(() => {});
  };

  const get: Store["get"] = async (name, variant) => {
    const file = await fileOf(name, variant);
    const stored = await files.readFile(file, { plain: true });
    if (!stored) return undefined;
    const body = await decodeEntry(stored, entryKey(name, variant), now());
    if (body) await markUsed(file);
    // An entry that fails verification is a miss, even if it cannot be removed.
    else await removeFile(file).catch(() => 0);
    return body;
  };

  const set: Store["set"] = async (name, variant, value, ttl = 0) => {
    const file = await fileOf(name, variant);
    const entry = await entryParts(entryKey(name, variant), value, ttl > 0 ? now() + ttl * 1000 : 0);
    // What a crash of the machine leaves of an entry that was not synced does not verify.
    if (!(await writeEntry(file, entry, { unsynced: true }))) await removeFile(file);
  };

  const add: Store["add"] = async (name, variant, value) => {
    const file = await fileOf(name, variant);
    if (await get(name, variant)) return false;
    const entry = await entryParts(entryKey(name, variant), value, 0);
    try {
      if (!(await writeEntry(file, entry, { exclusive: true }))) throw tooLargeError();
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EEXIST") throw error;
      return false;
    }
  };

  /** Returns false, and writes nothing, if the entry is larger than the store. */
  const writeEntry = async (
    file: string,
    entry: readonly Uint8Array[],
    options: WriteOptions,
  ): Promise<boolean> => {
    const length = entry.reduce((sum, part) => sum + part.length, 0);
    if (length > maxBytes) return false;
    const write = () => files.writeFile(file, entry, options);
    await room.reserve(length, async () => {
      const done = room.change();
      const stat = await files.stat(file);
      if (stat?.kind === "directory") await files.remove(file);
      const old = stat?.kind === "file" ? stat : undefined;
      await write().catch((error: unknown) => {
        // Another process may have removed the empty folder just before the file was put into it: then retry
        // once.
        if ((error as { code?: unknown }).code !== "ENOENT") throw error;
        return write();
      });
      done(old ? 0 : 1, length - (old?.size ?? 0));
    });
    touched.set(file, now(), 1);
    return true;
  };

  const remove: Store["delete"] = async (name, variant) => {
    await files.lateWrites();
    if (variant !== undefined) return removeFile(await fileOf(name, variant));
    const { folder, file } = await pathOf(name);
    let removed = 0;
    for (const { name: entry } of await entriesOf(files, folder))
      if (entryFile.test(entry) && entry.startsWith(file)) removed += await removeFile(`${folder}/${entry}`);
    return removed;
  };

  return {
    maxBytes: () => maxBytes,
    get,
    set,
    add,
    delete: remove,
    async clear() {
      await Promise.all([room.whenSettled(), files.lateWrites()]);
      await clearFolder(files, top);
      room.reset();
      touched.clear();
    },
    usage: () => room.usage(),
    ...(space ? { volume: () => space(path) } : {}),
    async check() {
      const whole = await roundTrip({ get, set, delete: remove }).catch((cause: unknown) => {
        throw new Error(folderFault(cause), { cause });
      });
      if (!whole)
        throw new Error(
          "A read from the folder of the store does not return what was just written. Check the disk.",
        );
    },
    close: () => room.whenSettled(),
  };
}
