// The decoders of strips and tiles that use WebAssembly modules.

import type { CodecHost } from "../../codec.ts";
import type { SharedWorkbench } from "../../jp2/region/workbench.ts";
import { type DecodeJpeg, jpegDecoder } from "./jpeg.ts";
import type { JpegTiles } from "./jpeg-tiles.ts";
import { type DecodeJpeg2000, jpeg2000Decoder } from "./jpeg2000.ts";
import { type TiffInstances, tiffInstances } from "./module.ts";
import { type DecodeWebp, webpDecoder } from "./webp.ts";

export interface BlockDecoders {
  readonly jpeg: DecodeJpeg;
  readonly jpeg2000: DecodeJpeg2000;
  readonly webp: DecodeWebp;
  readonly zlib: CodecHost["zlib"];
  /** Lends the module that decompresses blocks and undoes predictors. */
  readonly module: TiffInstances;
}

/**
 * Returns a function that creates the decoders for a read of one master. Our own modules keep their instances
 * between reads, those compiled from C do not.
 */
export function blockDecoders(
  host: CodecHost,
  bench: SharedWorkbench,
  tiles: JpegTiles,
): () => BlockDecoders {
  const instances = {
    jpeg2000: jpeg2000Decoder(bench),
    zlib: host.zlib,
    module: tiffInstances(() => host.wasm("tiff")),
  };
  return () => ({ ...instances, jpeg: jpegDecoder(host, tiles), webp: webpDecoder(host) });
}
