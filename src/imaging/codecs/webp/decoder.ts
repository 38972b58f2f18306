// The WebP decoder: header by our own reader, pixels by libwebp.

import { readAll } from "../../../base/index.ts";
import type { CodecHost, Decoder } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import { partsOf } from "../parts.ts";
import { drawnArea } from "../pyramid/drawn.ts";
import type { Pyramids } from "../pyramid/pyramids.ts";
import { rowsAtOnce } from "../pyramid/rows.ts";
import { cropImage, decodePage } from "./decode.ts";
import { readHeader } from "./header.ts";
import { readWebpMetadata } from "./metadata.ts";

/** Largest file that is read into memory. */
const fileLimit = 512 * 1024 * 1024;

const drawnPixels = (header: ImageHeader) => drawnArea(header).width * drawnArea(header).height;

/** Creates the decoder; its module instances are internal. */
export function webpDecoder(host: CodecHost, pyramids: Pyramids): Decoder {
  const parts = pyramids({
    async decodeWhole(bytes, master) {
      const file = await readAll(bytes, fileLimit);
      const whole = await decodePage(host, file, master);
      const { x, y } = drawnArea(master.header);
      const bands = master.header.bands as 3 | 4;
      return {
        async take(region, take) {
          const own = { ...region, x: region.x - x, y: region.y - y };
          for (const part of partsOf(own, rowsAtOnce)) await take(cropImage(whole, part, bands));
        },
      };
    },
    wholeBytes: (header) => 4 * drawnPixels(header),
    // The file here and in the decoder's memory; RGBA there (with a copy inside the bindings) and here; the
    // canvas of an animation.
    memory: (header, _region, fileSize) =>
      2 * fileSize + drawnPixels(header) * 4 * (header.variant === "animated" ? 4 : 3),
    nsPerPixel: () => 25,
  });
  return {
    ...parts,
    probe: readHeader,
    maxBytes: fileLimit,
    metadata: { read: (bytes, _header, kinds) => readWebpMetadata(bytes, kinds) },
  };
}
