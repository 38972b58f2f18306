// The TIFF codec: TIFF 6.0 and BigTIFF, regions of strips and tiles, stored levels and averages.

import type { Codec, CodecHost } from "../codec.ts";
import { decodeTiff } from "./decode.ts";
import { blockDecoders } from "./decoders.ts";
import { encodeTiff } from "./encode.ts";
import { probeTiff } from "./header.ts";
import { memory } from "./memory.ts";
import { embedInTiff, readTiffBlocks } from "./metadata.ts";
import { decodedPixels, scaleFactors, storedScales } from "./stages.ts";
import { indexQuantiles, quantilesFor } from "./window.ts";

/** Reads the kinds that `picture.ts` does not refuse; others carry `unsupported` in their header. */
export function tiffCodec(host: CodecHost): Codec {
  const decoders = blockDecoders(host);
  return {
    format: "tif",
    recognises: (head) =>
      ["II*\0", "MM\0*", "II+\0", "MM\0+"].some((mark) =>
        [...mark].every((letter, i) => head[i] === letter.charCodeAt(0)),
      ),
    probe: probeTiff,
    scaleFactors,
    ownScales: storedScales,
    memory,
    decodedPixels,
    decode: async (bytes, read, index) =>
      decodeTiff(bytes, read, decoders, await quantilesFor(bytes, read, decoders, index)),
    index: (bytes, header) => indexQuantiles(bytes, header, decoders),
    indexing: ({ window }) => (window ? "wait" : "none"),
    blocks: readTiffBlocks,
    embed: embedInTiff,
    encode: (pixels, options) => encodeTiff(pixels, options, host),
    encodes: { alpha: true, depths: [8, 16], maxSide: 2 ** 31 - 1, deflates: true },
  };
}
