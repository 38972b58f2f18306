// Counting and clearing the folder of a filesystem store. Other processes may write to it and sweep it meanwhile, so
// that anything may vanish between two looks.

import { forEachConcurrently } from "../lib/concurrent.ts";
import type { FileSystem } from "../platform/platform.ts";
import type { Usage } from "./store.ts";

/** Names of the files that are entries. */
export const entryFile = /^[0-9a-f]{64}$/;
const groupFolder = /^[0-9a-f]{32}$/;
const shardFolder = /^[0-9a-f]{2}$/;

/** Nothing is half-written or about to be filled for so long (milliseconds): an older stray was left by a crash. */
const strayAge = 60 * 60_000;
const atOnce = 8;
/** How many of the least recently used a count remembers. */
const candidates = 20_000;

/** An entry as a count saw it. */
export interface Found {
  readonly file: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly used: number;
}

/**
 * Removes the least recently used entries until at most `room` bytes are left, and temporary files and empty folders
 * that are older than an hour at `now` (milliseconds since 1970). The entries and bytes that are left, and
 * the least recently used of them, the oldest last.
 */
export async function sweep(
  files: FileSystem,
  top: string,
  room: number,
  now: number,
): Promise<Usage & { oldest: Found[] }> {
  const found: Found[] = [];
  const names = (await entriesOf(files, top)).filter((name) => shardFolder.test(name));
  await forEachConcurrently(names, atOnce, async (shard) => {
    for (const folder of await entriesOf(files, `${top}/${shard}`))
      if (groupFolder.test(folder)) await look(files, `${top}/${shard}/${folder}`, now, found);
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
export async function clearFolder(files: FileSystem, top: string): Promise<void> {
  for (const name of await entriesOf(files, top))
    if (shardFolder.test(name)) await files.remove(`${top}/${name}`);
}

/** Adds the entries of one group to `found`, and clears what a crash or an earlier sweep left. */
async function look(files: FileSystem, folder: string, now: number, found: Found[]): Promise<void> {
  const names = await entriesOf(files, folder);
  for (const name of names) {
    const file = `${folder}/${name}`;
    const stat = await files.stat(file);
    if (stat?.kind !== "file") continue;
    const used = stat.modified.getTime();
    if (entryFile.test(name)) found.push({ file, bytes: stat.size, used });
    else if (now - used > strayAge) await files.remove(file);
  }
  if (names.length > 0) return;
  const stat = await files.stat(folder);
  if (stat && now - stat.modified.getTime() > strayAge) await files.remove(folder);
}

/** Names in a folder; none when it is not there (any more). */
export async function entriesOf(files: FileSystem, folder: string): Promise<string[]> {
  for (let last = false; ; last = true) {
    const names: string[] = [];
    try {
      for await (const { name } of files.list(folder)) names.push(name);
      return names;
    } catch (error) {
      if (!(await files.stat(folder))) return [];
      // It may have come just after it was not there.
      if (last) throw error;
    }
  }
}
