// Files whose frame header leaves the height open: a DNL segment behind the first scan tells it (ITU-T T.81, B.2.5).

import type { ByteSource } from "../../../lib/byte-source.ts";

/** Bytes of a first scan that are read in search of the segment. */
export const longestSearch = 32 << 20;
const chunkSize = 1 << 20;

/** Behind FF: a stuffed zero, a fill byte, a restart; all else ends the scan. */
const isInScan = (code: number) => code === 0 || code === 0xff || (code >= 0xd0 && code <= 0xd7);

/**
 * The number of lines that the DNL segment tells which ends the scan whose entropy-coded bytes begin at `from`.
 * `undefined` where something else ends it, or nothing within {@link longestSearch} bytes.
 */
export async function findLineCount(bytes: ByteSource, from: number): Promise<number | undefined> {
  for (let at = from; at - from < longestSearch; ) {
    const chunk = await bytes.read(at, chunkSize);
    for (let i = chunk.indexOf(0xff); i >= 0 && i + 6 <= chunk.length; i = chunk.indexOf(0xff, i + 1)) {
      const code = chunk[i + 1]!;
      if (isInScan(code)) continue;
      const isLineCount = code === 0xdc && chunk[i + 2] === 0 && chunk[i + 3] === 4;
      return (isLineCount && chunk[i + 4]! * 256 + chunk[i + 5]!) || undefined;
    }
    if (chunk.length < chunkSize) return undefined;
    at += chunk.length - 5;
  }
  return undefined;
}

/** The file as if the frame header at `frameOffset` told the height, for decoders that look for it nowhere else. */
export function withHeight(bytes: ByteSource, frameOffset: number, height: number): ByteSource {
  const places = [
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
      for (const [at, value] of places)
        if (at >= offset && at - offset < part.length) part[at - offset] = value;
      return part;
    },
  };
}
