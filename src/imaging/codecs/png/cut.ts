// The end of a PNG: the chunk IEND (PNG third edition, 5.6). Behind it there may be anything.

import type { Cut, SizedSource } from "../cut.ts";
import { endBytes, indexOf } from "../search.ts";

/** An IEND chunk with its checksum, without its length. */
const iend = [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];

/** Chunks that are passed: of files with more, nothing is said. */
const maxChunks = 50_000;
const signature = 8;

export async function pngCut({ size, read }: SizedSource): Promise<Cut | undefined> {
  const from = Math.max(0, size - endBytes);
  if (indexOf(await read(from, size - from), iend) >= 0) return undefined;
  let at = signature;
  for (let n = 0; n < maxChunks; n++) {
    if (at + 12 > size) return "picture";
    const head = await read(at, 8);
    const length = new DataView(head.buffer, head.byteOffset, 8).getUint32(0);
    const name = String.fromCharCode(...head.subarray(4));
    if (name === "IEND") return undefined;
    // A chunk without a name is damage of another kind, which the decoder reports.
    if (!/^[A-Za-z]{4}$/.test(name)) return undefined;
    at += 12 + length;
  }
  return undefined;
}
