// A stream in pieces: ranges of a file, and bytes that the file lacks.

import type { ByteRange, ByteSource } from "../../../../base/index.ts";

export type JpegPiece = ByteRange | Uint8Array;

/**
 * Concatenates the pieces. A piece truncated by the end of the file is padded with zeros, so that later ones
 * keep their positions.
 */
export function joinedPieces(bytes: ByteSource, pieces: readonly JpegPiece[]): ByteSource {
  const starts: number[] = [];
  let size = 0;
  for (const { length } of pieces) {
    starts.push(size);
    size += length;
  }
  /** Returns the index of the piece with the byte at `offset`. */
  const pieceAt = (offset: number) => {
    let [low, high] = [0, pieces.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low;
  };
  return {
    size,
    get gap() {
      return bytes.gap;
    },
    async read(offset, length, signal) {
      const end = Math.min(size, offset + length);
      if (offset >= end) return new Uint8Array();
      const out = new Uint8Array(end - offset);
      for (let i = pieceAt(offset); i < pieces.length && (starts[i] as number) < end; i++) {
        const piece = pieces[i] as JpegPiece;
        const start = starts[i] as number;
        const from = Math.max(0, offset - start);
        const to = Math.min(piece.length, end - start);
        const part =
          piece instanceof Uint8Array
            ? piece.subarray(from, to)
            : await bytes.read(piece.offset + from, to - from, signal);
        out.set(part, start + from - offset);
      }
      return out;
    },
  };
}
