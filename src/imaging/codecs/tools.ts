// What the decoders and encoders of a thread share.

import type { Kernels } from "../pipeline/step.ts";
import { createKernels } from "../render/kernels.ts";
import { createBlockCache } from "../sidecar/block-reader.ts";
import { createTileCoder } from "../sidecar/tiles/tile-coder.ts";
import type { CodecHost, Decoder } from "./codec.ts";
import { type SharedWorkbench, workbench } from "./jp2/region/workbench.ts";
import { jpegDecoder } from "./jpg/decoder.ts";
import { type JpegDeriver, jpegDeriver } from "./jpg/derive.ts";
import { type PngInstances, pngInstances } from "./png/module.ts";
import { createPyramids, type Pyramids } from "./pyramid/pyramids.ts";

export interface CodecTools {
  readonly host: CodecHost;
  readonly kernels: Kernels;
  readonly pyramids: Pyramids;
  /** Reads JPEG files, and the streams of old-style JPEG in TIFF. */
  readonly jpeg: Decoder;
  readonly deriver: JpegDeriver;
  /** Decodes JPEG 2000 files, and strips and tiles of it in TIFF. */
  readonly bench: SharedWorkbench;
  readonly png: PngInstances;
}

/** Creates the tools over one host; instances of WebAssembly modules are created on demand. */
export function createTools(host: CodecHost): CodecTools {
  const kernels = createKernels(host);
  const tiles = { cache: createBlockCache(), coder: createTileCoder(() => host.wasm("tiles")) };
  const deriver = jpegDeriver(host);
  return {
    host,
    kernels,
    pyramids: createPyramids({ resize: kernels.resize, wholeCacheBytes: host.cacheBytes ?? 0, ...tiles }),
    jpeg: jpegDecoder(host, kernels, tiles, deriver),
    deriver,
    bench: workbench(() => host.wasm("jp2k")),
    png: pngInstances(() => host.wasm("png")),
  };
}
