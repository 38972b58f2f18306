// Inflates deflated streams by the Web's DecompressionStream, and by the runtime's zlib if it has one.

import { concatenate, type DeflateForm, type NativeZlib } from "../../base/index.ts";

/**
 * Bytes passed to the inflater at a time: bounds its output before anyone checks it (deflate expands up to
 * 1032 times).
 */
const feedSize = 16 * 1024;

/**
 * Yields the contents of the stream whose bytes are `pieces`, in pieces of the platform's size. Leaving the
 * loop ends `pieces`. Throws what the platform throws for a broken stream, and what `pieces` throws.
 */
export function inflate(
  pieces: AsyncIterable<Uint8Array>,
  zlib: NativeZlib | undefined,
  form: DeflateForm = "deflate",
): AsyncIterable<Uint8Array> {
  return zlib ? zlib.inflate(pieces, form) : decompress(pieces, form);
}

async function* decompress(pieces: AsyncIterable<Uint8Array>, form: DeflateForm): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream(form);
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const ignore = () => {};
  writer.closed.catch(ignore);
  reader.closed.catch(ignore);
  let stopped = false;
  const feed = async () => {
    for await (const piece of pieces)
      for (let at = 0; at < piece.length; at += feedSize) {
        if (stopped) return;
        await writer.write(piece.subarray(at, at + feedSize) as Uint8Array<ArrayBuffer>);
      }
    await writer.close();
  };
  let failure: { readonly error: unknown } | undefined;
  feed().catch((error: unknown) => {
    failure = { error };
    writer.abort(error).catch(ignore);
  });
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw failure ? failure.error : error;
  } finally {
    stopped = true;
    reader.cancel().catch(ignore);
    writer.abort().catch(ignore);
  }
}

/** A stream that is being inflated. */
export interface Inflating {
  /**
   * Returns the next piece, of the platform's size; undefined at the end. Throws what the platform throws for
   * a broken stream.
   */
  next(): Promise<Uint8Array | undefined>;
  /** Stops before the end. */
  close(): void;
}

/** Inflates the first `end` bytes of `data`, in pieces. */
export function inflating(data: Uint8Array, end = data.length, zlib?: NativeZlib): Inflating {
  const pieces = inflate(
    (async function* () {
      yield data.subarray(0, end);
    })(),
    zlib,
  )[Symbol.asyncIterator]();
  return {
    next: async () => (await pieces.next()).value as Uint8Array | undefined,
    close: () => void pieces.return?.(),
  };
}

/**
 * Returns a whole stream, or undefined if it is broken or inflates to more than `limit` bytes. `made` is
 * called with the number of bytes of each piece, also of streams that are then given up.
 */
export async function inflateWithin(
  data: Uint8Array,
  limit: number,
  made?: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  const stream = inflating(data);
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    for (let piece = await stream.next(); piece; piece = await stream.next()) {
      total += piece.length;
      made?.(piece.length);
      if (total > limit) return undefined;
      pieces.push(piece);
    }
  } catch {
    return undefined;
  } finally {
    stream.close();
  }
  return concatenate(pieces);
}
