// Reads a file sequentially in larger pieces, for a walk that needs little at each position.

import type { ByteSource } from "../../../../base/index.ts";

/** Returns bytes of a file from an offset on: at least `length`, or as many as there are before `end`. */
export type ReadAhead = (offset: number, length: number, end: number) => Promise<Uint8Array> | Uint8Array;

const pieceBytes = 1 << 20;
/** Bytes between two parts up to which they are read together. */
const gap = 4096;

/**
 * Creates a reader that holds one piece in memory. `parts`: what is read of the file, in file order; a piece
 * does not extend beyond the ones that follow each other.
 */
export function readAhead(
  bytes: ByteSource,
  parts: readonly { readonly start: number; readonly end: number }[],
): ReadAhead {
  let from = 0;
  let piece: Uint8Array = new Uint8Array();
  /** First part of the current run of neighbours and of the next one; the end of its bytes. */
  let next = 0;
  let runEnd = 0;
  const endOfRun = (offset: number) => {
    while (runEnd <= offset && next < parts.length) {
      runEnd = parts[next++]!.end;
      while (next < parts.length && parts[next]!.start - runEnd <= gap) runEnd = parts[next++]!.end;
    }
    return runEnd;
  };
  const view = (offset: number, end: number) => piece.subarray(offset - from, end - from);
  return (offset, length, end) => {
    const wanted = Math.min(length, end - offset);
    if (offset >= from && offset + wanted <= from + piece.length) return view(offset, end);
    const size = Math.max(wanted, Math.min(pieceBytes, endOfRun(offset) - offset));
    return bytes.read(offset, size).then((read) => {
      from = offset;
      piece = read;
      return view(offset, end);
    });
  };
}
