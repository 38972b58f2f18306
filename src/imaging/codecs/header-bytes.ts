// Reads a header piece by piece: its front in one read, later parts by short reads, all within a budget.

import { type ByteSource, ImagingError } from "../../base/index.ts";

const frontBytes = 4096;
/** Maximum number of bytes between a piece and what was read before, for the two to be read together. */
const nearBytes = 512;
/** Minimum number of bytes that are read for a near piece. */
const windowBytes = 1024;
const budget = 256 * 1024;

export interface HeaderBytes {
  readonly size?: number | undefined;
  /**
   * Returns exactly `length` bytes, or undefined if the file ends before. Throws ImagingError `decode` past
   * 256 KiB in total.
   */
  view(offset: number, length: number): Promise<DataView | undefined>;
  /** Returns the number of bytes that may still be read. */
  remaining(): number;
}

/**
 * Creates a reader of header pieces over a source. A piece near the one before is read with what follows it:
 * thousands of small parts do not cost a read each.
 */
export async function headerBytes(bytes: ByteSource): Promise<HeaderBytes> {
  let window = await bytes.read(0, frontBytes);
  let start = 0;
  let left = budget - window.length;
  return {
    size: bytes.size,
    remaining: () => left,
    async view(offset, length) {
      const front = offset + length <= frontBytes;
      if (!front && length > left)
        throw new ImagingError(
          "decode",
          `Expected an image header of at most ${budget} bytes, but it is longer; the file may be damaged.`,
        );
      if (!front) left -= length;
      if (offset < start || offset + length > start + window.length) {
        const isNear = offset >= start && offset <= start + window.length + nearBytes;
        window = await bytes.read(offset, isNear ? Math.max(length, windowBytes) : length);
        start = offset;
      }
      const from = offset - start;
      return from + length > window.length
        ? undefined
        : new DataView(window.buffer, window.byteOffset + from, length);
    },
  };
}

/** Returns four characters as the number that a DataView reads in big-endian order. */
export function fourCC(text: string): number {
  return [...text].reduce((value, character) => value * 256 + character.charCodeAt(0), 0);
}
