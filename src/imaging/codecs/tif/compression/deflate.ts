// Deflate blocks (TIFF Technical Note 3): the zlib format, inflated by the platform.

import { damagedTif } from "../../damaged.ts";
import { type Inflating, inflating } from "../../inflate.ts";
import type { BlockReader, BlockTools, StoredBlock } from "./block.ts";

const MAX_PADDING = 3;

/** Bytes of the largest block that is decompressed as a whole. */
const largestWhole = 2 << 20;

/** Bytes of a block, or of pieces of a larger one, in addition to the rows. */
export const inflatedMemory = (length: number): number => Math.min(length, largestWhole);

/**
 * Decompresses a block as its bytes are requested; the rest is neither produced nor checked. Reading throws
 * ImagingError `decode` if the stream is broken or shorter.
 */
export function inflateBlock(
  { data, length, whole }: StoredBlock,
  { zlib }: Pick<BlockTools, "zlib">,
): BlockReader {
  let end = data.length;
  let total = 0;
  // A stream that is broken, or longer than its block, may still have the rows that are needed.
  let piece = (whole <= largestWhole && zlib?.inflateWithin(data, whole)) || new Uint8Array();
  let stream: Inflating | undefined;

  /** Sets `piece` to the next non-empty one. */
  const advance = async () => {
    for (let skip = 0; ; ) {
      if (!stream) {
        stream = inflating(data, end, zlib);
        skip = total;
      }
      let next: Uint8Array | undefined;
      try {
        next = await stream.next();
      } catch (cause) {
        // Some writers pad blocks with zeros, and most platforms refuse bytes after the end of the stream.
        if (data[end - 1] !== 0 || data.length - end >= MAX_PADDING)
          throw Object.assign(damagedTif(`${length} bytes in a deflate block`, "a broken stream"), {
            cause,
          });
        end--;
        stream = undefined;
        continue;
      }
      if (!next) throw damagedTif(`${length} bytes in a deflate block`, `${total}`);
      const skipped = Math.min(skip, next.length);
      skip -= skipped;
      piece = next.subarray(skipped);
      if (piece.length > 0) return;
    }
  };

  return {
    async read(into) {
      for (let filled = 0; filled < into.length; ) {
        if (piece.length === 0) await advance();
        const part = piece.subarray(0, into.length - filled);
        into.set(part, filled);
        piece = piece.subarray(part.length);
        filled += part.length;
        total += part.length;
      }
    },
    close: () => stream?.close(),
  };
}
