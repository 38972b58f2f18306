// Deflate blocks (TIFF Technical Note 3): the zlib format, inflated by the platform.

import { inflating } from "../../inflate.ts";
import { damagedError } from "../directory/ifd.ts";
import type { BlockReader, StoredBlock } from "./block.ts";

const MAX_PADDING = 3;

/**
 * Decompresses a block as its bytes are requested; the rest is neither produced nor checked. Reading throws
 * ImagingError `decode` when the stream is broken or shorter.
 */
export function inflateBlock({ data, length }: StoredBlock): BlockReader {
  let end = data.length;
  let stream = inflating(data, end);
  let total = 0;
  let piece: Uint8Array = new Uint8Array();

  /** Sets `piece` to the next non-empty one. */
  const advance = async () => {
    for (let skip = 0; ; ) {
      let next: Uint8Array | undefined;
      try {
        next = await stream.next();
      } catch (cause) {
        // Some writers pad blocks with zeros, and most platforms refuse bytes after the end of the stream.
        if (data[end - 1] !== 0 || data.length - end >= MAX_PADDING)
          throw Object.assign(damagedError(`${length} bytes in a deflate block`, "a broken stream"), {
            cause,
          });
        stream = inflating(data, --end);
        skip = total;
        continue;
      }
      if (!next) throw damagedError(`${length} bytes in a deflate block`, `${total}`);
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
    close: () => stream.close(),
  };
}
