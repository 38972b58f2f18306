// Puts an exported folder into a ZIP archive: stored, since JPEG does not get smaller, and with ZIP64 where
// it is needed.

import { makeZip } from "client-zip";
import type { FileSystem } from "../../../base/index.ts";
import type { Contents } from "./export.ts";
import type { Target } from "./target.ts";

/** Bytes that are written together. */
const batchBytes = 2 ** 20;

export interface Packed {
  readonly target: Target;
  readonly contents: Contents;
  readonly signal: AbortSignal;
}

/**
 * Writes what a run has exported to a folder into an archive that appears as a whole or not at all. Returns
 * its size in bytes. Holds one file at a time. Throws the reason of the signal if it aborts.
 */
export async function writeArchive(
  files: FileSystem,
  folder: string,
  path: string,
  packed: Packed,
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
    const reader = makeZip(entriesOf(files, folder, packed)).getReader();
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

/** Yields files in the order of their names, images last. */
async function* entriesOf(
  files: FileSystem,
  folder: string,
  { target, contents, signal }: Packed,
): AsyncGenerator<{
  readonly name: string;
  readonly input: Uint8Array<ArrayBuffer>;
  readonly lastModified: Date;
}> {
  for await (const name of namesOf(target, contents)) {
    signal.throwIfAborted();
    const [stat, bytes] = [await files.stat(`${folder}/${name}`), await target.read(name)];
    if (stat && bytes) yield { name, input: bytes as Uint8Array<ArrayBuffer>, lastModified: stat.modified };
  }
}

async function* namesOf(target: Target, contents: Contents): AsyncGenerator<string> {
  yield* contents.files.toSorted();
  for (const folder of contents.images.toSorted()) yield* target.filesOf(folder);
}
