// Counting and clearing the folder of a filesystem store. Other processes may write to it and sweep it
// meanwhile, so that anything may vanish between two looks.

import { type FileEntry, forEachConcurrently } from "../../../base/index.ts";
import type { Usage } from "../store.ts";
import type { EntryFiles } from "./entry-files.ts";

/** Names of the files that are entries. */
export const entryFile = /^[0-9a-f]{64}$/;
const groupFolder = /^[0-9a-f]{32}$/;
const shardFolder = /^[0-9a-f]{2}$/;

/**
 * Nothing is half-written or about to be filled for so long (milliseconds): an older stray was left by a
 * crash.
 */
const strayAge = 60 * 60_000;
const atOnce = 8;
/** Number of least recently used entries that a count remembers. */
const candidates = 20_000;

/** An entry as a count saw it. */
export interface CountedEntry {
  readonly file: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly used: number;
}

/**
 * Removes the least recently used entries until at most `room` bytes are left, and temporary files and empty
 * folders that are older than an hour at `now` (milliseconds since 1970). The entries and bytes that are
 * left, and the least recently used of them, the oldest last.
 */
export async function sweep(
  files: EntryFiles,
  top: string,
  room: number,
  now: number,
): Promise<Usage & { oldest: CountedEntry[] }> {
  const found: CountedEntry[] = [];
  const shards = await foldersOf(files, top, shardFolder);
  await forEachConcurrently(shards, atOnce, async (shard) => {
    for (const folder of await foldersOf(files, shard, groupFolder)) await look(files, folder, now, found);
  });
  found.sort((a, b) => a.used - b.used);
  let bytes = found.reduce((sum, each) => sum + each.bytes, 0);
  let gone = 0;
  for (const each of found) {
    if (bytes <= room) break;
    await files.remove(each.file);
    bytes -= each.bytes;
    gone++;
  }
  return { entries: found.length - gone, bytes, oldest: found.slice(gone, gone + candidates).reverse() };
}

/** Removes all entries, and nothing that is not ours. */
export async function clearFolder(files: EntryFiles, top: string): Promise<void> {
  for (const { name } of await entriesOf(files, top))
    if (shardFolder.test(name)) await files.remove(`${top}/${name}`);
}

/** Adds the entries of one group to `found`, and removes leftovers of a crash or an earlier sweep. */
async function look(files: EntryFiles, folder: string, now: number, found: CountedEntry[]): Promise<void> {
  const entries = await entriesOf(files, folder);
  for (const { name, link } of entries) {
    // The target of a link is not in the folder.
    if (link) continue;
    const file = `${folder}/${name}`;
    const stat = await files.stat(file);
    if (stat?.kind !== "file") continue;
    const used = stat.modified.getTime();
    if (entryFile.test(name)) found.push({ file, bytes: stat.size, used });
    else if (now - used > strayAge) await files.remove(file);
  }
  if (entries.length > 0) return;
  const stat = await files.stat(folder);
  if (stat && now - stat.modified.getTime() > strayAge) await files.remove(folder);
}

/** The folders in a folder that have such names, as paths. */
async function foldersOf(files: EntryFiles, folder: string, names: RegExp): Promise<string[]> {
  const entries = await entriesOf(files, folder);
  return entries
    .filter(({ name, kind, link }) => kind === "directory" && !link && names.test(name))
    .map(({ name }) => `${folder}/${name}`);
}

/** Returns the contents of a folder; empty if it does not exist (any more). */
export async function entriesOf(files: EntryFiles, folder: string): Promise<FileEntry[]> {
  for (let last = false; ; last = true) {
    const entries: FileEntry[] = [];
    try {
      for await (const entry of files.list(folder)) entries.push(entry);
      return entries;
    } catch (error) {
      if (!(await files.stat(folder))) return [];
      // It may have come just after it was not there.
      if (last) throw error;
    }
  }
}
