// The formats of this build, one row each.

import { ImagingError } from "../../base/index.ts";
import { createColour } from "../colour/transform.ts";
import { createKernels } from "../render/kernels.ts";
import { createOverlayPixels } from "../render/overlay-pixels.ts";
import { createBlockCache } from "../sidecar/block-reader.ts";
import { createTileCoder } from "../sidecar/tiles/tile-coder.ts";
import type { Codec, CodecHost } from "./codec.ts";
import type { Codecs } from "./codecs.ts";
import { gifCodec } from "./gif/codec.ts";
import type { SourceFormat } from "./image-header.ts";
import { jp2Codec } from "./jp2/codec.ts";
import { workbench } from "./jp2/region/workbench.ts";
import { jpegCodec } from "./jpg/codec.ts";
import { jpegDeriver } from "./jpg/derive.ts";
import { pngCodec } from "./png/codec.ts";
import { createPyramids } from "./pyramid/pyramids.ts";
import { tiffCodec } from "./tif/codec.ts";
import { webpCodec } from "./webp/codec.ts";

/** Creates all codecs over one host; instances of WebAssembly modules are created on demand. */
export function createCodecs(host: CodecHost): Codecs {
  const kernels = createKernels(host);
  const tiles = { cache: createBlockCache(), coder: createTileCoder(() => host.wasm("tiles")) };
  const pyramids = createPyramids({ resize: kernels.resize, keptWhole: host.keptBytes ?? 0, ...tiles });
  const deriver = jpegDeriver(host);
  const jpg = jpegCodec(host, kernels, tiles, deriver);
  const bench = workbench(() => host.wasm("jp2k"));
  const byFormat: Readonly<Record<SourceFormat, Codec>> = {
    jpg,
    png: pngCodec(host, pyramids),
    gif: gifCodec(pyramids),
    tif: tiffCodec(host, jpg, bench, pyramids, deriver),
    webp: webpCodec(host, pyramids),
    jp2: jp2Codec(host, bench),
  };
  const all = new Map<string, Codec>(Object.entries(byFormat));
  return {
    kernels,
    colour: createColour(host),
    overlays: createOverlayPixels(kernels, () => host.wasm("lcms")),
    ignoredProfile: host.noteIgnoredProfile,
    recognise: (head) => [...all.values()].find((codec) => codec.recognises(head)),
    byFormat(format) {
      const codec = all.get(format);
      if (!codec) throw new ImagingError("unsupported", `This service does not read ${format} images.`);
      return codec;
    },
    encoder(format) {
      const write = all.get(format)?.write;
      if (!write) throw new ImagingError("unsupported", `This service does not write ${format} images.`);
      return write;
    },
  };
}
