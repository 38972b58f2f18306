// Detects files without their end.

import type { ByteSource } from "../../base/index.ts";
import type { Cut } from "./cut.ts";
import { readingOf } from "./formats.ts";
import type { ImageHeader } from "./image-header.ts";

/** Number of zeros at the end of a file that raises suspicion; no checked format ends so. */
const suspicious = 64;
/** Zeros after the end of a sound file are padding; beyond this many bytes the end is not searched. */
const maxPadding = 2 ** 20;
const step = 64 * 1024;

/**
 * True if a file ends in zeros instead of the end of its format. Some ways of copying give a file its full
 * length first, and fill it from the front. Throws what the source throws.
 */
export async function lacksItsEnd({ size: stored, read }: ByteSource, format: string): Promise<boolean> {
  const { end } = readingOf(format);
  if (end === "any" || stored === undefined || stored < suspicious) return false;
  // What is behind the length that a header states is padding.
  const isStated = typeof end === "function";
  const size = isStated ? Math.min(stored, Math.max(suspicious, await end(read))) : stored;
  if (lastOf(await read(size - suspicious, suspicious)) >= 0) return false;
  if (isStated) return true;
  const first = Math.max(0, size - maxPadding);
  for (let at = size - suspicious; at > first; ) {
    const from = Math.max(first, at - step);
    const last = lastOf(await read(from, at - from));
    at = from;
    if (last < 0) continue;
    const found = await read(Math.max(0, from + last + 1 - end.length), end.length);
    return !end.every((byte, i) => found[i] === byte);
  }
  return true;
}

/** Index of the last byte that is not zero; -1 if there is none. */
const lastOf = (bytes: Uint8Array): number => bytes.findLastIndex((byte) => byte !== 0);

/** Finds what is missing of a file, as its format does; undefined also if its length is unknown. */
export async function findCut(bytes: ByteSource, header: ImageHeader): Promise<Cut | undefined> {
  const { size } = bytes;
  if (size === undefined) return undefined;
  const read: ByteSource["read"] = (offset, length, signal) => bytes.read(offset, length, signal);
  return readingOf(header.format).findCut({ size, read }, header);
}
