// The TIFF codec: TIFF 6.0 and BigTIFF, regions of strips and tiles, stored pyramid levels.

import type { Codec, CodecHost, ReadRequest } from "../codec.ts";
import { decodeTiff, stagesOf } from "./decode.ts";
import { encodeTiff } from "./encode.ts";
import { probeTiff } from "./header.ts";
import { jpegDecoder } from "./jpeg.ts";

/** Beside blocks and result: instances, tables and two reads of at most a mebibyte or one block. */
const FIXED = 8 << 20;

/** Reads the kinds that `picture.ts` does not refuse; others carry `unsupported` in their header. */
export function tiffCodec(host: CodecHost): Codec {
  const jpeg = jpegDecoder(host);
  return {
    format: "tif",
    recognises: (head) =>
      ["II*\0", "MM\0*", "II+\0", "MM\0+"].some((mark) =>
        [...mark].every((letter, i) => head[i] === letter.charCodeAt(0)),
      ),
    probe: probeTiff,
    scaleFactors: (header) => stagesOf(header).map(({ scale }) => scale),
    memory,
    decode: (bytes, read) => decodeTiff(bytes, read, jpeg),
    encode: (pixels, options) => encodeTiff(pixels, options, host),
    encodes: { alpha: true, depths: [8, 16], maxSide: 2 ** 31 - 1 },
  };
}

/**
 * Result (with its indices, for palettes), one block decompressed and once more as samples or in the module's memory,
 * and the stored bytes of two reads.
 */
function memory({ header, region, scaleFactor }: ReadRequest, fileSize: number): number {
  const block = stagesOf(header).find(({ scale }) => scale === scaleFactor)?.blockBytes ?? 0;
  const pixels = Math.ceil(region.width / scaleFactor) * Math.ceil(region.height / scaleFactor);
  const bytesPerPixel = header.bands * (header.depth / 8);
  const indices = header.details?.photometric === "palette" ? pixels : 0;
  // Samples of 1 bit take a byte each once unpacked.
  return pixels * bytesPerPixel + indices + block * 2 + 2 * Math.min(fileSize, 2 * block) + FIXED;
}
