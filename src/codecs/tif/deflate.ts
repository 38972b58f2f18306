// Deflate blocks (TIFF Technical Note 3): the zlib format, undone by the platform.

import type { BlockReader, Stored } from "./compression.ts";
import { damaged } from "./ifd.ts";

const MAX_PADDING = 3;
/** What is handed to the inflater at once: bounds what it can put out before anyone looks (deflate expands up to 1032 times). */
const FEED = 16 * 1024;

/**
 * Decompresses a block as its bytes are asked for; what follows them is neither produced nor checked.
 * Reading throws ServiceError `decode` when the stream is broken or shorter.
 */
export function inflated({ data, length }: Stored): BlockReader {
  let end = data.length;
  let stream = inflating(data, end);
  let total = 0;
  let piece: Uint8Array = new Uint8Array();

  /** Makes `piece` the next that is not empty. */
  const advance = async () => {
    for (let skip = 0; ; ) {
      let next: Uint8Array | undefined;
      try {
        next = await stream.next();
      } catch (cause) {
        // Some writers pad blocks with zeros, and most platforms refuse bytes after the end of the stream.
        if (data[end - 1] !== 0 || data.length - end >= MAX_PADDING)
          throw Object.assign(damaged(`${length} bytes in a deflate block`, "a broken stream"), { cause });
        stream = inflating(data, --end);
        skip = total;
        continue;
      }
      if (!next) throw damaged(`${length} bytes in a deflate block`, `${total}`);
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

/** The first `end` bytes of `data` inflated, in pieces of the platform's size; undefined at the end. */
function inflating(data: Uint8Array, end: number) {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const quiet = () => {};
  writer.closed.catch(quiet);
  reader.closed.catch(quiet);
  let closed = false;
  const feed = async () => {
    for (let at = 0; at < end && !closed; at += FEED)
      await writer.write(data.subarray(at, Math.min(end, at + FEED)) as Uint8Array<ArrayBuffer>);
    if (!closed) await writer.close();
  };
  feed().catch(quiet); // reading reports the same failure
  return {
    next: async (): Promise<Uint8Array | undefined> => (await reader.read()).value,
    close(): void {
      closed = true;
      reader.cancel().catch(quiet);
      writer.abort().catch(quiet);
    },
  };
}
