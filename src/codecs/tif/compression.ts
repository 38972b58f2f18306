// The compressions of TIFF by number: their names, and how those that are served are undone.

import { ccitt } from "./ccitt.ts";
import { inflate } from "./deflate.ts";
import { lzw } from "./lzw.ts";
import { packbits } from "./packbits.ts";

/** One strip or tile as stored, and what is wanted of it. */
export interface Stored {
  readonly data: Uint8Array;
  /** Pixels of a row. */
  readonly width: number;
  readonly rows: number;
  /** Wanted bytes: whole rows from the top. */
  readonly length: number;
  /** T4Options or T6Options, where the compression has them. */
  readonly options: number;
}

interface Compression {
  readonly name: string;
  /**
   * The first `length` decompressed bytes in an array of their own. Throws ServiceError `decode` when there are
   * fewer. Absent: the compression is not served.
   */
  readonly decompress?: (stored: Stored) => Uint8Array | Promise<Uint8Array>;
  /** Whether it holds black and white only. */
  readonly bilevel?: boolean;
}

export const compressions: Readonly<Record<number, Compression>> = {
  1: { name: "uncompressed", decompress: ({ data, length }) => data.slice(0, length) },
  2: { name: "ccitt rle", bilevel: true, decompress: (stored) => ccitt(stored, "rle") },
  3: { name: "ccitt group 3", bilevel: true, decompress: (stored) => ccitt(stored, "g3") },
  4: { name: "ccitt group 4", bilevel: true, decompress: (stored) => ccitt(stored, "g4") },
  5: { name: "lzw", decompress: ({ data, length }) => lzw(data, length) },
  6: { name: "old-style jpeg" },
  // Needs the picture's tables and a WebAssembly module: decode.ts sends it to jpeg.ts.
  7: { name: "jpeg", decompress: ({ data }) => data },
  8: { name: "deflate", decompress: ({ data, length }) => inflate(data, length) },
  32773: { name: "packbits", decompress: ({ data, length }) => packbits(data, length) },
  32809: { name: "thunderscan" },
  32946: { name: "deflate", decompress: ({ data, length }) => inflate(data, length) },
  33003: { name: "jpeg 2000" },
  33004: { name: "jpeg 2000" },
  33005: { name: "jpeg 2000" },
  34661: { name: "jbig" },
  34676: { name: "sgi log" },
  34677: { name: "sgi log" },
  34712: { name: "jpeg 2000" },
  34887: { name: "lerc" },
  34892: { name: "lossy dng jpeg" },
  34925: { name: "lzma" },
  50000: { name: "zstd" },
  50001: { name: "webp" },
  50002: { name: "jpeg xl" },
};
