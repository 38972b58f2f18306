// Deflate blocks (TIFF Technical Note 3): the zlib format, undone by the platform.

import { damaged } from "./ifd.ts";

const MAX_PADDING = 3;

/**
 * The first `length` decompressed bytes; what follows is neither produced nor checked.
 * Throws ServiceError `decode` when the stream is broken or shorter.
 */
export async function inflate(data: Uint8Array, length: number): Promise<Uint8Array> {
  for (let end = data.length; ; end--) {
    try {
      return await inflateExactly(data.subarray(0, end), length);
    } catch (error) {
      // Some writers pad blocks with zeros, and most platforms refuse bytes after the end of the stream.
      if (data[end - 1] !== 0 || data.length - end >= MAX_PADDING) throw error;
    }
  }
}

async function inflateExactly(data: Uint8Array, length: number): Promise<Uint8Array> {
  const out = new Uint8Array(length);
  let filled = 0;
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // The reader reports the same failure; these two only must not be left unhandled.
  writer.write(data as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  try {
    while (filled < length) {
      const { value, done } = await reader.read();
      if (done) break;
      out.set(value.subarray(0, length - filled), filled);
      filled += value.length;
    }
  } catch (cause) {
    throw Object.assign(damaged(`${length} bytes in a deflate block`, "a broken stream"), { cause });
  }
  await reader.cancel().catch(() => {});
  if (filled < length) throw damaged(`${length} bytes in a deflate block`, `${filled}`);
  return out;
}
