// Reads a header piece by piece: its front in one read, later parts by short reads, all within a budget.

import { ImagingError } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";

const frontBytes = 4096;
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

/** Creates a reader of header pieces over a source. */
export async function headerBytes(bytes: ByteSource): Promise<HeaderBytes> {
  const front = await bytes.read(0, frontBytes);
  let left = budget - front.length;
  return {
    size: bytes.size,
    remaining: () => left,
    async view(offset, length) {
      if (offset + length <= front.length)
        return new DataView(front.buffer, front.byteOffset + offset, length);
      if (length > left)
        throw new ImagingError(
          "decode",
          `Expected an image header of at most ${budget} bytes, but it is longer; the file may be damaged.`,
        );
      left -= length;
      const part = await bytes.read(offset, length);
      return part.length < length ? undefined : new DataView(part.buffer, part.byteOffset, length);
    },
  };
}

/** Returns four characters as the number that a DataView reads in big-endian order. */
export function fourCC(text: string): number {
  return [...text].reduce((value, character) => value * 256 + character.charCodeAt(0), 0);
}
