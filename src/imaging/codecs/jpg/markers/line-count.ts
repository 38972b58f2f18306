// Files whose frame header leaves the height open: it is in a DNL segment after the first scan (ITU-T T.81,
// B.2.5).

import type { ByteSource } from "../../../../base/index.ts";
import { marker, walkMarkers, word } from "./walk.ts";

/** Maximum number of bytes of a first scan that are searched for the segment. */
export const maxSearchLength = 32 << 20;
const windowBytes = 1 << 20;

/**
 * Returns the number of lines in the DNL segment that ends the scan whose entropy-coded bytes begin at
 * `from`; undefined if another segment ends it, or if none is found within {@link maxSearchLength} bytes.
 */
export async function findLineCount(bytes: ByteSource, from: number): Promise<number | undefined> {
  const walk = walkMarkers(bytes, windowBytes);
  const found = await walk.next(from, { until: from + maxSearchLength - 1 });
  if (found?.code !== marker.dnl || found.length !== 4) return undefined;
  const body = await walk.body(found);
  return (body.length === 2 && word(body, 0)) || undefined;
}

/**
 * Returns the file with the height in its frame header at `frameOffset`, for decoders that look for the
 * height only there.
 */
export function withHeight(bytes: ByteSource, frameOffset: number, height: number): ByteSource {
  const positions = [
    [frameOffset + 5, height >> 8],
    [frameOffset + 6, height & 255],
  ] as const;
  return {
    size: bytes.size,
    get gap() {
      return bytes.gap;
    },
    async read(offset, length) {
      const part = await bytes.read(offset, length);
      for (const [at, value] of positions)
        if (at >= offset && at - offset < part.length) part[at - offset] = value;
      return part;
    },
  };
}
