// Puts an exported folder into a ZIP archive: stored, since JPEG does not get smaller, and with ZIP64 where
// it is needed.

import { makeZip } from "client-zip";
import type { FileSystem } from "../../platform/platform.ts";
import { notesFolder } from "./target.ts";

/** Bytes that are written together. */
const batchBytes = 2 ** 20;

/**
 * Writes the files of a folder, without the notes, into an archive that appears as a whole or not at all.
 * Returns its size in bytes. Holds one file at a time. Throws the reason of the signal if it aborts.
 */
export async function writeArchive(
  files: FileSystem,
  folder: string,
  path: string,
  signal: AbortSignal,
): Promise<number> {
  const file = await files.create?.(path);
  if (!file) throw new Error("this runtime cannot write archives; export to a folder");
  let size = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    const bytes = new Uint8Array(waitingBytes);
    let at = 0;
    for (const piece of waiting) {
      bytes.set(piece, at);
      at += piece.length;
    }
    waiting = [];
    waitingBytes = 0;
    size += bytes.length;
    await file.append(bytes);
  };
  try {
    const reader = makeZip(entriesOf(files, folder, signal)).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      waiting.push(next.value);
      waitingBytes += next.value.length;
      if (waitingBytes >= batchBytes) await flush();
    }
    await flush();
    await file.finish();
    return size;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Yields the files of a folder in the order of their names. */
async function* entriesOf(
  files: FileSystem,
  top: string,
  signal: AbortSignal,
  below = "",
): AsyncGenerator<{
  readonly name: string;
  readonly input: Uint8Array<ArrayBuffer>;
  readonly lastModified: Date;
}> {
  const entries: { readonly name: string; readonly isFolder: boolean }[] = [];
  for await (const { name, kind } of files.list(`${top}/${below}`))
    if (below + name !== notesFolder && !/^\..*\.tmp$/.test(name))
      entries.push({ name, isFolder: kind === "directory" });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const { name, isFolder } of entries) {
    signal.throwIfAborted();
    const path = `${top}/${below}${name}`;
    if (isFolder) {
      yield* entriesOf(files, top, signal, `${below}${name}/`);
      continue;
    }
    const [stat, bytes] = [await files.stat(path), await files.readFile(path)];
    if (stat && bytes)
      yield { name: below + name, input: bytes as Uint8Array<ArrayBuffer>, lastModified: stat.modified };
  }
}
