// The compressions of TIFF by number: their names, and how the supported ones are undone.

import { damagedTif } from "../../damaged.ts";
import { decodingMemory } from "../../jp2/memory.ts";
import { xzMemory } from "../../xz/xz.ts";
import type { BlockReader, BlockTools, StoredBlock } from "./block.ts";
import { ccitt } from "./ccitt.ts";
import { inflateBlock, inflatedMemory } from "./deflate.ts";
import { lzw, lzwMemory } from "./lzw.ts";
import { packbits } from "./packbits.ts";
import { xz } from "./xz.ts";
import { zstd, zstdMemory } from "./zstd.ts";

export interface Compression {
  readonly name: string;
  /** Absent if the compression is not supported, or not as a stream of bytes. */
  readonly open?: (stored: StoredBlock, tools: BlockTools) => BlockReader;
  /** Bytes of the memory of the module "tiff" that decompressing a block needs. */
  readonly moduleBytes?: number;
  /** Bytes that decompressing a block of a given size holds in addition to its result, if significant. */
  readonly heldBytes?: (length: number) => number;
  /** Blocks are decoded as a whole (parts.ts), which takes this multiple of their pixels' bytes. */
  readonly whole?: number;
  /** True if all blocks are one stream, which another codec reads (old-jpeg/). */
  readonly stream?: true;
  /** Nanoseconds of decoding per pixel, with photographs on a server's processor; 12 if absent. */
  readonly ns?: number;
  /** True if it supports black and white only. */
  readonly bilevel?: boolean;
}

/** Uncompressed. */
export const PLAIN = 1;
/** The JPEG of TIFF 6.0 section 22. */
export const OLD_JPEG = 6;
/** JPEG, whose blocks are decoded as a whole by a module, with the picture's tables. */
export const JPEG = 7;
/** WebP, whose blocks are decoded as a whole by a module. */
export const WEBP = 50001;
/** JPEG 2000 of luma and chroma in Aperio's slides. */
export const APERIO_YCC = 33003;
/** JPEG 2000 as written by libvips. */
export const VIPS_JPEG_2000 = 33004;

/** True if strips and tiles are codestreams of JPEG 2000. */
export const isJpeg2000 = (compression: number): boolean => compressions[compression] === jpeg2000;

/** Decoded samples in addition to the result. */
const jpeg2000: Compression = {
  name: "jpeg 2000",
  whole: 2,
  ns: 250,
  heldBytes: (length) => decodingMemory(length, length),
};

function readStored({ data, length }: StoredBlock): BlockReader {
  let at = 0;
  return {
    read(into) {
      const part = data.subarray(at, at + into.length);
      at += part.length;
      if (part.length < into.length) throw damagedTif(`${length} bytes in a strip or tile`, `${at}`);
      into.set(part);
    },
  };
}

export const compressions: Readonly<Record<number, Compression>> = {
  [PLAIN]: { name: "uncompressed", ns: 4, open: readStored },
  2: { name: "ccitt rle", bilevel: true, open: (stored) => ccitt(stored, "rle") },
  3: { name: "ccitt group 3", bilevel: true, open: (stored) => ccitt(stored, "g3") },
  4: { name: "ccitt group 4", bilevel: true, open: (stored) => ccitt(stored, "g4") },
  5: { name: "lzw", open: lzw, moduleBytes: lzwMemory },
  [OLD_JPEG]: { name: "old-style jpeg", stream: true },
  [JPEG]: { name: "jpeg", whole: 2 },
  8: { name: "deflate", open: inflateBlock, heldBytes: inflatedMemory },
  32773: { name: "packbits", open: packbits },
  32809: { name: "thunderscan" },
  32946: { name: "deflate", open: inflateBlock, heldBytes: inflatedMemory },
  [APERIO_YCC]: jpeg2000,
  [VIPS_JPEG_2000]: jpeg2000,
  33005: jpeg2000,
  34661: { name: "jbig" },
  34676: { name: "sgi log" },
  34677: { name: "sgi log" },
  34712: jpeg2000,
  34887: { name: "lerc" },
  34892: { name: "lossy dng jpeg" },
  34925: { name: "lzma", ns: 100, open: xz, heldBytes: xzMemory },
  50000: { name: "zstd", open: zstd, heldBytes: zstdMemory },
  // RGBA in the decoder, in its bindings and here
  [WEBP]: { name: "webp", whole: 5 },
  50002: { name: "jpeg xl" },
};
