// Zstandard blocks, as libtiff writes them since version 4.0.10: one frame for each strip or tile.

import { damagedTif } from "../../damaged.ts";
import { decompressFrames, MOST_WINDOW } from "../../zstd/frames.ts";
import type { BlockReader, StoredBlock } from "./block.ts";

/**
 * Decompresses a block as its bytes are requested. Reading throws ImagingError `decode` when the data is
 * broken or shorter.
 */
export function zstd({ data, length }: StoredBlock): BlockReader {
  const source = decompressFrames(data, length);
  let total = 0;
  let piece: Uint8Array = new Uint8Array();
  return {
    read(into) {
      for (let filled = 0; filled < into.length; ) {
        if (piece.length === 0) {
          const next = source.next();
          if (!next) throw damagedTif(`${length} bytes in a Zstandard block`, `${total}`);
          piece = next;
        }
        const part = piece.subarray(0, into.length - filled);
        into.set(part, filled);
        piece = piece.subarray(part.length);
        filled += part.length;
        total += part.length;
      }
    },
    close: source.close,
  };
}

/** Returns the bytes held while decompressing a block of `length` bytes: those that copies may refer to. */
export const zstdMemory = (length: number) => Math.min(length, 2 * MOST_WINDOW) + 2 ** 19;
