// Reads a file sequentially in larger pieces, for a walk that needs little at each position.

import type { ByteSource } from "../../../lib/byte-source.ts";

/** Returns bytes of a file from an offset on: at least `length`, or as many as there are before `end`. */
export type ReadAhead = (offset: number, length: number, end: number) => Promise<Uint8Array> | Uint8Array;

const pieceBytes = 1 << 20;

/** Creates a reader that holds one piece in memory. */
export function readAhead(bytes: ByteSource): ReadAhead {
  let from = 0;
  let piece: Uint8Array = new Uint8Array();
  const view = (offset: number, end: number) => piece.subarray(offset - from, end - from);
  return (offset, length, end) => {
    const wanted = Math.min(length, end - offset);
    if (offset >= from && offset + wanted <= from + piece.length) return view(offset, end);
    const size = Math.max(wanted, pieceBytes);
    return bytes.read(offset, size).then((read) => {
      from = offset;
      piece = read;
      return view(offset, end);
    });
  };
}
