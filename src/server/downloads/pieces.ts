// A file that is written in pieces: its length is known without its largest parts, which are read only as far
// as a client asks for them.

/** Bytes that are read when they are needed. */
export interface Section {
  readonly length: number;
  /** Yields the bytes from an offset on, to the end. Throws what their source throws. */
  read(from: number): AsyncIterable<Uint8Array>;
}

export type Piece = Uint8Array | Section;

/** Returns the length of a file in bytes; reads none of its sections. */
export async function lengthOf(pieces: AsyncIterable<Piece>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

/** Yields the bytes of a file from `first` to `last`, inclusive; reads no section that lies outside. */
export async function* bytesOf(
  pieces: AsyncIterable<Piece>,
  first = 0,
  last = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  let start = 0;
  for await (const piece of pieces) {
    const from = Math.max(0, first - start);
    let left = Math.min(piece.length, last + 1 - start) - from;
    start += piece.length;
    if (left <= 0) {
      if (start > last) return;
      continue;
    }
    if (piece instanceof Uint8Array) yield piece.subarray(from, from + left);
    else
      for await (const some of piece.read(from)) {
        yield some.length > left ? some.subarray(0, left) : some;
        left -= some.length;
        if (left <= 0) break;
      }
    if (left > 0 && !(piece instanceof Uint8Array))
      throw new RangeError("expected the rest of a section, received its end");
    if (start > last) return;
  }
}

/** Yields what parts have after their first bytes. */
export async function* bytesFrom(
  count: number,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const part of parts) {
    if (part.length > left) yield part.subarray(left);
    left = Math.max(0, left - part.length);
  }
}
