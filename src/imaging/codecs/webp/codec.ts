// The WebP codec: header by our own reader, pixels by libwebp.

import { readAll } from "../../lib/byte-source.ts";
import type { Codec, CodecHost } from "../codec.ts";
import { partsOf } from "../parts.ts";
import type { Pyramids } from "../pyramid/pyramids.ts";
import { rowsAtOnce } from "../pyramid/rows.ts";
import { cut, damagedError, decodePage, stillDecoder } from "./decode.ts";
import { maxSide, webpEncoder } from "./encode.ts";
import { isWebp, readHeader } from "./header.ts";
import { embedInWebp, readWebpMetadata } from "./metadata.ts";

/** Largest file that is read into memory. */
const fileLimit = 512 * 1024 * 1024;

/** Creates the WebP codec; its two module instances are internal. */
export function webpCodec(host: CodecHost, pyramids: Pyramids): Codec {
  const decodeStill = stillDecoder(host);
  const parts = pyramids({
    async decodeWhole(bytes, { header, page }) {
      const file = await readAll(bytes, fileLimit);
      const { whole, bands } = await decodePage(decodeStill, file, page);
      if (whole.width !== header.width || whole.height !== header.height || bands !== header.bands)
        throw damagedError("its header is not the one read before");
      return {
        async take(region, take) {
          for (const part of partsOf(region, rowsAtOnce)) await take(cut(whole, part, bands));
        },
      };
    },
    wholeBytes: ({ width, height }) => 4 * width * height,
    // The file here and in the decoder's memory; RGBA there (with a copy inside the bindings) and here; the
    // canvas of an animation.
    memory: (header, _region, fileSize) =>
      2 * fileSize + header.width * header.height * 4 * (header.variant === "animated" ? 4 : 3),
    nsPerPixel: () => 25,
  });
  return {
    ...parts,
    format: "webp",
    recognises: isWebp,
    probe: readHeader,
    mostBytes: fileLimit,
    metadata: { read: (bytes, _header, kinds) => readWebpMetadata(bytes, kinds) },
    write: {
      encode: webpEncoder(host),
      embed: embedInWebp,
      encodes: { alpha: true, depths: [8], maxSide, rgbOnly: true },
    },
  };
}
