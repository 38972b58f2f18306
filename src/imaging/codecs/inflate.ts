// Inflates zlib streams (RFC 1950) with the platform's means, piece by piece.

import { concatenate } from "../lib/concatenate.ts";

/**
 * Bytes passed to the inflater at a time: bounds its output before anyone checks it (deflate expands up to
 * 1032 times).
 */
const feedSize = 16 * 1024;

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
export function inflating(data: Uint8Array, end = data.length): Inflating {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const quiet = () => {};
  writer.closed.catch(quiet);
  reader.closed.catch(quiet);
  let closed = false;
  const feed = async () => {
    for (let at = 0; at < end && !closed; at += feedSize)
      await writer.write(data.subarray(at, Math.min(end, at + feedSize)) as Uint8Array<ArrayBuffer>);
    if (!closed) await writer.close();
  };
  feed().catch(quiet); // reading reports the same failure
  return {
    next: async () => (await reader.read()).value,
    close() {
      closed = true;
      reader.cancel().catch(quiet);
      writer.abort().catch(quiet);
    },
  };
}

/** Returns a whole stream, or undefined if it is broken or inflates to more than `limit` bytes. */
export async function inflateWithin(data: Uint8Array, limit: number): Promise<Uint8Array | undefined> {
  const stream = inflating(data);
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    for (let piece = await stream.next(); piece; piece = await stream.next()) {
      total += piece.length;
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
