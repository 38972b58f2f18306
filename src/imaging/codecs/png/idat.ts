// The picture data of a PNG as a stream: IDAT chunks joined (PNG specification 10.1) and inflated by the
// platform.

import { type ByteSource, ImagingError, type NativeZlib, crc32 as ownCrc32 } from "../../../base/index.ts";
import { damagedPng } from "../damaged.ts";
import { inflate } from "../inflate.ts";

const smallestRead = 32 * 1024;
const largestRead = 1024 * 1024;
const chunkType = Uint8Array.of(0x49, 0x44, 0x41, 0x54); // "IDAT"

/**
 * Yields the zlib stream in the IDAT chunks, from the chunk at `start`; ends at the first other chunk or the
 * end of the file. Reads grow, so that a small region near the top costs little. Throws ImagingError `decode`
 * if the checksum of a chunk differs.
 */
async function* joinedChunks(
  bytes: ByteSource,
  start: number,
  crc32: typeof ownCrc32,
): AsyncGenerator<Uint8Array> {
  const typeSum = crc32(chunkType);
  const frame = new Uint8Array(12); // checksum of the previous chunk, length and type of the next
  const view = new DataView(frame.buffer);
  let framed = 4;
  let left = 0;
  let sum = 0;
  let at = start;
  for (let size = smallestRead; ; size = Math.min(size * 2, largestRead)) {
    const block = await bytes.read(at, size);
    if (block.length === 0) return;
    at += block.length;
    let stored = 0;
    let ended = false;
    for (let i = 0; i < block.length; ) {
      if (left > 0) {
        const n = Math.min(left, block.length - i);
        sum = crc32(block.subarray(i, i + n), sum);
        block.copyWithin(stored, i, i + n);
        stored += n;
        left -= n;
        i += n;
        continue;
      }
      frame[framed++] = block[i++]!;
      if (framed === 4 && sum !== view.getUint32(0)) throw damagedPng("a checksum of its picture data");
      if (framed < 12) continue;
      framed = 0;
      left = view.getUint32(4);
      sum = typeSum;
      ended = view.getUint32(8) !== 0x49444154;
      if (ended) break;
    }
    if (stored > 0) yield block.subarray(0, stored);
    if (ended) return;
  }
}

/**
 * Yields the inflated picture data, in pieces of the platform's size. Leaving the loop early stops reading.
 * Checksums are verified as far as the data is read. Throws ImagingError `decode` if the data is damaged or
 * ends within the stream, `source` from the bytes.
 */
export async function* inflatedPicture(
  bytes: ByteSource,
  start: number,
  zlib: NativeZlib | undefined,
): AsyncGenerator<Uint8Array> {
  let reading: Promise<unknown> | undefined;
  const tracked: ByteSource = {
    read: (offset, length) => {
      const part = bytes.read(offset, length);
      reading = part.catch(() => {});
      return part;
    },
  };
  try {
    yield* inflate(joinedChunks(tracked, start, zlib?.crc32 ?? ownCrc32), zlib);
  } catch (error) {
    if (error instanceof ImagingError) throw error;
    throw Object.assign(damagedPng("its picture data"), { cause: error });
  } finally {
    await reading; // the source may be closed as soon as we return
  }
}
