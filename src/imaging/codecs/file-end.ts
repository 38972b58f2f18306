// Detects files without their end. Some ways of copying give a file its full length first, and fill it from
// the front: until they finish it ends in zeros.

import type { ByteSource } from "../../base/index.ts";
import type { SourceFormat } from "./image-header.ts";

/** Number of zeros at the end of a file that raises suspicion; no checked format ends so. */
const suspicious = 64;
/** Zeros after the end of a sound file are padding; beyond this many bytes the end is not searched. */
const mostPadding = 2 ** 20;
const step = 64 * 1024;

/** Last bytes of a sound file. A TIFF may end in anything, and the header of a WebP states its length. */
const ends: Readonly<Record<SourceFormat, readonly number[] | "any" | undefined>> = {
  jpg: [0xff, 0xd9],
  png: [0xae, 0x42, 0x60, 0x82],
  gif: [0x3b],
  jp2: [0xff, 0xd9],
  webp: undefined,
  tif: "any",
};

/** True if a file ends in zeros instead of its end. Throws what the source throws. */
export async function lacksItsEnd(
  { size: stored, read }: ByteSource,
  format: SourceFormat,
): Promise<boolean> {
  const end = ends[format];
  if (end === "any" || stored === undefined || stored < suspicious) return false;
  const size = end ? stored : Math.min(stored, Math.max(suspicious, await statedLength(read)));
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

/** Length of a WebP as its header states it: what is behind it is padding. */
async function statedLength(read: ByteSource["read"]): Promise<number> {
  const head = await read(0, 8);
  return 8 + new DataView(head.buffer, head.byteOffset, head.length).getUint32(4, true);
}

/** Index of the last byte that is not zero; -1 if there is none. */
const lastOf = (bytes: Uint8Array): number => bytes.findLastIndex((byte) => byte !== 0);
