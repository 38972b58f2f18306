// The formats that this build knows, one row each.

import { type Colour, createColour } from "../colour/transform.ts";
import { ServiceError } from "../errors.ts";
import type { Kernels } from "../pipeline/steps.ts";
import type { Codec, CodecHost, OutputFormat, SourceFormat } from "./codec.ts";
import { gifCodec } from "./gif/codec.ts";
import { jp2Codec } from "./jp2/codec.ts";
import { jpegCodec } from "./jpg/codec.ts";
import { createKernels } from "./kernels.ts";
import { createOverlayPixels, type OverlayPixels } from "./overlays.ts";
import { pngCodec } from "./png/codec.ts";
import { tiffCodec } from "./tif/codec.ts";
import { webpCodec } from "./webp/codec.ts";

const factories = {
  jpg: jpegCodec,
  png: pngCodec,
  gif: gifCodec,
  tif: tiffCodec,
  webp: webpCodec,
  jp2: jp2Codec,
} as const satisfies Record<
  SourceFormat,
  (host: CodecHost, kernels: ReturnType<typeof createKernels>) => Codec
>;

/** A codec that writes as well. */
export type Encoder = Codec & Required<Pick<Codec, "encode" | "encodes" | "embed">>;

export interface Codecs {
  /** The format of a file by its first 64 bytes; undefined where none is known. */
  recognise(head: Uint8Array): Codec | undefined;
  /** Throws ServiceError `unsupported` for a format that this build does not read. */
  byFormat(format: SourceFormat): Codec;
  /** Throws ServiceError `unsupported` for a format that this build does not write. */
  encoder(format: OutputFormat): Encoder;
  /** What the steps between decoding and encoding run on. */
  readonly kernels: Kernels;
  /** Transforms by profiles. */
  readonly colour: Colour;
  /** Overlays that this thread has. */
  readonly overlays: OverlayPixels;
  /** Hears of profiles that turned out not to be usable. */
  readonly ignoredProfile?: CodecHost["ignoredProfile"];
}

/** All codecs over one host; instances of WebAssembly modules are made when first needed. */
export function createCodecs(host: CodecHost): Codecs {
  const all = new Map<string, Codec>();
  const kernels = createKernels(host);
  for (const factory of Object.values(factories)) {
    const codec = factory(host, kernels);
    all.set(codec.format, codec);
  }
  return {
    kernels,
    colour: createColour(host),
    overlays: createOverlayPixels(kernels, () => host.wasm("lcms")),
    ignoredProfile: host.ignoredProfile,
    recognise: (head) => [...all.values()].find((codec) => codec.recognises(head)),
    byFormat(format) {
      const codec = all.get(format);
      if (!codec) throw new ServiceError("unsupported", `This service does not read ${format} images.`);
      return codec;
    },
    encoder(format) {
      const codec = all.get(format);
      if (!codec || !writes(codec))
        throw new ServiceError("unsupported", `This service does not write ${format} images.`);
      return codec;
    },
  };
}

function writes(codec: Codec): codec is Encoder {
  return codec.encode !== undefined && codec.encodes !== undefined && codec.embed !== undefined;
}
