// What a runtime has of zlib, apart from the Web's streams, which take up to five times as long.

/** Forms of deflated bytes: with the header and checksum of zlib (RFC 1950), or without (RFC 1951). */
export type DeflateForm = "deflate" | "deflate-raw";

export interface NativeZlib {
  /**
   * Yields the contents of a deflated stream, by default that of zlib, whose bytes are `pieces`, in pieces of
   * at most 1 MiB, none earlier than they are asked for; the bytes after its end are ignored. Leaving the
   * loop frees the state and ends `pieces`. Throws what the runtime throws for a broken stream or one that
   * ends early, and what `pieces` throws.
   */
  inflate(pieces: AsyncIterable<Uint8Array>, form?: DeflateForm): AsyncIterable<Uint8Array>;
  /**
   * Returns the contents of a whole zlib stream, or undefined if it is broken or has more than `limit` bytes.
   * Blocks the thread: for streams of up to some MiB.
   */
  inflateWithin(data: Uint8Array, limit: number): Uint8Array | undefined;
  /** As `crc32` of crc32.ts. Absent on Node before 20.15. */
  readonly crc32?: ((data: Uint8Array, before?: number) => number) | undefined;
}
