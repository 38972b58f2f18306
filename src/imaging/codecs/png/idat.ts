// The picture data of a PNG as a stream: IDAT chunks joined (PNG specification 10.1) and inflated by the
// platform.

import { ImagingError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { damagedError } from "./header.ts";

const smallestRead = 32 * 1024;
const largestRead = 256 * 1024;
/**
 * Bytes passed to the inflater at a time: bounds its output before anyone checks it (deflate expands up to
 * 1032 times).
 */
const feedSize = 32 * 1024;

/**
 * Yields the zlib stream in the IDAT chunks, from the chunk at `start`; ends at the first other chunk or the
 * end of the file. Reads grow, so that a small region near the top costs little.
 */
async function* joinedChunks(bytes: ByteSource, start: number): AsyncGenerator<Uint8Array> {
  const frame = new Uint8Array(12); // checksum of the previous chunk, length and type of the next
  const view = new DataView(frame.buffer);
  let framed = 4;
  let left = 0;
  let at = start;
  for (let size = smallestRead; ; size = Math.min(size * 2, largestRead)) {
    const block = await bytes.read(at, size);
    if (block.length === 0) return;
    at += block.length;
    let kept = 0;
    let ended = false;
    for (let i = 0; i < block.length; ) {
      if (left > 0) {
        const n = Math.min(left, block.length - i);
        block.copyWithin(kept, i, i + n);
        kept += n;
        left -= n;
        i += n;
        continue;
      }
      frame[framed++] = block[i++]!;
      if (framed < 12) continue;
      framed = 0;
      left = view.getUint32(4);
      ended = view.getUint32(8) !== 0x49444154; // "IDAT"
      if (ended) break;
    }
    for (let i = 0; i < kept; i += feedSize) yield block.subarray(i, Math.min(kept, i + feedSize));
    if (ended) return;
  }
}

/**
 * Yields the inflated picture data, in pieces of the platform's size. Leaving the loop early stops reading.
 * Throws ImagingError `decode` when the data is damaged or ends within the stream, `source` from the bytes.
 */
export async function* inflatedPicture(bytes: ByteSource, start: number): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter() as WritableStreamDefaultWriter<Uint8Array>;
  const reader = stream.readable.getReader();
  const quiet = () => {};
  writer.closed.catch(quiet);
  reader.closed.catch(quiet);

  let stopped = false;
  let sourceFailure: unknown;
  let reading: Promise<unknown> | undefined;
  const tracked: ByteSource = {
    read: (offset, length) => {
      const part = bytes.read(offset, length);
      reading = part.catch(quiet);
      return part;
    },
  };
  const feed = async () => {
    try {
      for await (const piece of joinedChunks(tracked, start)) {
        if (stopped) return;
        await writer.write(piece);
      }
      await writer.close();
    } catch (error) {
      if (error instanceof ImagingError) sourceFailure = error;
      writer.abort(error).catch(quiet);
    }
  };
  void feed();

  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw sourceFailure ?? Object.assign(damagedError("its picture data"), { cause: error });
  } finally {
    stopped = true;
    reader.cancel().catch(quiet);
    await reading; // the source may be closed as soon as we return
  }
}
