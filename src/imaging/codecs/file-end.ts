// Whether a file has its end already. Some ways of copying give a file its full length first, and fill it from the front: until they are done
// it ends in zeros.

import type { ByteSource } from "../lib/byte-source.ts";
import type { SourceFormat } from "./image-header.ts";

/** So many zeros at the end of a file are looked into; no format that is asked about ends so by itself. */
const suspicious = 64;
/** Zeros behind the end of a sound file are padding; of more than so many bytes the end is not searched for. */
const mostPadding = 2 ** 20;
const step = 64 * 1024;

/** What stands at the end of a sound file. A TIFF may end in anything, and WebP says in its header how long it is. */
const ends: Readonly<Record<SourceFormat, readonly number[] | "any" | undefined>> = {
  jpg: [0xff, 0xd9],
  png: [0xae, 0x42, 0x60, 0x82],
  gif: [0x3b],
  jp2: [0xff, 0xd9],
  webp: undefined,
  tif: "any",
};

/** Whether a file ends in zeros where its end should be. Throws what the source throws. */
export async function lacksItsEnd({ size, read }: ByteSource, format: SourceFormat): Promise<boolean> {
  const end = ends[format];
  if (end === "any" || size === undefined || size < suspicious) return false;
  if (lastOf(await read(size - suspicious, suspicious)) >= 0) return false;
  if (!end) return true;
  const first = Math.max(0, size - mostPadding);
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

/** Where the last byte stands that is not zero; -1: there is none. */
const lastOf = (bytes: Uint8Array): number => bytes.findLastIndex((byte) => byte !== 0);
