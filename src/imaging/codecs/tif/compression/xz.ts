// LZMA blocks (34925), as libtiff writes them since version 4.0: an .xz stream for each strip or tile.

import { decompress } from "../../xz/xz.ts";
import type { BlockReader, StoredBlock } from "./block.ts";

/**
 * Decompresses a block when its first bytes are requested. Reading throws ImagingError `decode` when the data
 * is broken or shorter.
 */
export function xz({ data, length }: StoredBlock): BlockReader {
  let whole: Uint8Array | undefined;
  let at = 0;
  return {
    read(into) {
      whole ??= decompress(data, length);
      into.set(whole.subarray(at, at + into.length));
      at += into.length;
    },
  };
}
