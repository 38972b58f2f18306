// Searches for a few bytes in a part of a file.

import type { ByteSource } from "../../base/index.ts";

/** Bytes at the end of a file that are read together. */
export const endBytes = 64 * 1024;
const step = 2 ** 20;

/** True if the bytes of `mark` are in the file between two offsets. */
export async function contains(
  { read }: ByteSource,
  mark: readonly number[],
  from: number,
  to: number,
): Promise<boolean> {
  for (let at = from; at < to; at += step) {
    // A mark may begin in one step and end in the next.
    const bytes = await read(at, Math.min(step + mark.length - 1, to - at));
    if (indexOf(bytes, mark) >= 0) return true;
  }
  return false;
}

/** Returns the index of a mark; -1 if there is none. */
export function indexOf(bytes: Uint8Array, mark: readonly number[]): number {
  const [first = 0] = mark;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1))
    if (mark.every((byte, i) => bytes[at + i] === byte)) return at;
  return -1;
}
