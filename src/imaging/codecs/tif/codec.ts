// The TIFF codec: TIFF 6.0 and BigTIFF, regions of strips and tiles, stored levels and averages.

import type { Codec, CodecHost } from "../codec.ts";
import type { SharedWorkbench } from "../jp2/region/workbench.ts";
import { rowsByParts } from "../parts.ts";
import { blockDecoders } from "./compression/decoders.ts";
import { decodeTiff } from "./decode.ts";
import { probeTiff } from "./directory/header.ts";
import { embedInTiff, readTiffMetadata } from "./directory/metadata.ts";
import { decodedPixels, reductions, rowsApart } from "./directory/stages.ts";
import { encodeTiff } from "./encode.ts";
import { memory } from "./memory.ts";
import { isStream, withStreams } from "./old-jpeg/reading.ts";
import { buildQuantiles, quantilesFor } from "./samples/window.ts";

/**
 * Reads the kinds that `directory/refusals.ts` does not name; others have `unsupported` in their header.
 * `jpeg` reads pages of old-style JPEG, `bench` strips and tiles of JPEG 2000.
 */
export function tiffCodec(host: CodecHost, jpeg: Codec, bench: SharedWorkbench): Codec {
  const decoders = blockDecoders(host, bench);
  const blocks = {
    memory,
    decodedPixels,
    decode: async (bytes, read, sidecar) =>
      decodeTiff(bytes, read, decoders, await quantilesFor(bytes, read, decoders, sidecar)),
    scales: { of: reductions },
    // Quantiles of a page, for derivatives that show the range between two of them: a few bytes, always
    // complete.
    sidecar: {
      way: ({ window }) => (window ? "wait" : "none"),
      build: (bytes, { header }) => buildQuantiles(bytes, header, decoders),
      memory: () => 0,
      nsPerPixel: () => 2,
    },
  } as const satisfies Partial<Codec>;
  return {
    ...withStreams(blocks, jpeg),
    format: "tif",
    rows: rowsByParts(blocks, (read) => (isStream(read.header) ? undefined : rowsApart(read))),
    recognises: (head) =>
      ["II*\0", "MM\0*", "II+\0", "MM\0+"].some((mark) =>
        [...mark].every((letter, i) => head[i] === letter.charCodeAt(0)),
      ),
    probe: probeTiff,
    metadata: { read: readTiffMetadata },
    write: {
      encode: (pixels, options) => encodeTiff(pixels, options, host),
      embed: embedInTiff,
      encodes: { alpha: true, depths: [8, 16], maxSide: 2 ** 31 - 1, deflates: true },
    },
  };
}
