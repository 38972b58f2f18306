// Boxes of ISO base media files and their relatives: JPEG 2000, AVIF, JPEG XL (ISO/IEC 14496-12, 4.2).

import { type ByteSource, blockwise, type ImagingError } from "../../base/index.ts";
import type { HeaderBytes } from "./header-bytes.ts";

export interface Box {
  readonly type: number;
  readonly body: number;
  /** Undefined: to the end of the file, whose length is unknown. */
  readonly length?: number | undefined;
}

/** Yields the boxes from `start` on by their headers. */
export type WalkBoxes = (
  file: HeaderBytes,
  start: number,
  end: number | undefined,
) => AsyncGenerator<Box, void>;

/** Returns a walk over at most `limit` boxes, which throws the error for a box shorter than its header. */
export function boxWalk(damaged: (expected: string) => ImagingError, limit = 256): WalkBoxes {
  return async function* (file, start, end) {
    let at = start;
    for (let n = 0; n < limit && at + 8 <= (end ?? Number.POSITIVE_INFINITY); n++) {
      if (file.remaining() < 64) return;
      const head = await file.view(at, 8);
      if (!head) return;
      let length = head.getUint32(0);
      let header = 8;
      if (length === 1) {
        const extended = await file.view(at + 8, 8);
        if (!extended) return;
        length = Number(extended.getBigUint64(0));
        header = 16;
      }
      const type = head.getUint32(4);
      if (length === 0) {
        yield { type, body: at + header, ...(end !== undefined && { length: end - at - header }) };
        return;
      }
      if (length < header) throw damaged("boxes at least as long as their headers");
      yield { type, body: at + header, length: length - header };
      at += length;
    }
  };
}

/** Makes small reads for a walk, without the limit on headers: boxes are skipped, not read. */
export function boxBytes(bytes: ByteSource): HeaderBytes {
  const blocks = blockwise(bytes, 2048);
  return {
    size: bytes.size,
    remaining: () => Number.MAX_SAFE_INTEGER,
    async view(offset, length) {
      const part = await blocks.read(offset, length);
      return part.length < length ? undefined : new DataView(part.buffer, part.byteOffset, length);
    },
  };
}
