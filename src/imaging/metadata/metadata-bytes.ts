// Reads the metadata of a file: each kind whole or not at all, all kinds within one budget.

import type { ByteSource } from "../../base/index.ts";
import { inflateWithin } from "../codecs/inflate.ts";
import { maxMetadataBytes } from "./metadata.ts";

export interface MetadataBytes {
  /** Returns exactly these bytes; undefined if the file ends before or they exceed the budget. */
  take(offset: number, length: number): Promise<Uint8Array | undefined>;
  /**
   * Inflates zlib data; undefined if they are broken or exceed the budget, which such data reduce as well.
   */
  inflate(data: Uint8Array): Promise<Uint8Array | undefined>;
}

/** Returns a reader of the metadata of one file. Throws what the source throws. */
export function metadataBytes(bytes: ByteSource, budget = maxMetadataBytes): MetadataBytes {
  let left = budget;
  return {
    async take(offset, length) {
      if (length > left) return undefined;
      left -= length;
      const taken = await bytes.read(offset, length);
      return taken.length === length ? taken : undefined;
    },
    inflate: (data) =>
      inflateWithin(data, left, (bytes) => {
        left -= bytes;
      }),
  };
}

/** True if `data` has the ASCII (or Latin-1) characters of `text` at `at`. */
export function hasText(data: Uint8Array, text: string, at = 0): boolean {
  if (data.length < at + text.length) return false;
  for (let i = 0; i < text.length; i++) if (data[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** One byte for each character of ASCII or Latin-1 text. */
export const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));
