// What of the configuration decides the bytes of an answer, beside the request itself.

import type { Codec } from "../codecs/codec.ts";
import { type ImageOptions, parseColour } from "./options.ts";

/** Plain data; its JSON is part of every render key and ETag. */
export interface OutputPolicy {
  readonly jpegQuality: number;
  readonly webpQuality: number;
  readonly progressive: boolean;
  readonly chroma: "420" | "444";
  readonly encoder: "fast" | "small";
  readonly passthrough: "auto" | "off";
  readonly depth: "8" | "source";
  readonly background: readonly [number, number, number];
}

/** What a plan has to know of the two codecs. */
export interface CodecFacts {
  readonly decoder: Pick<Codec, "scaleFactors" | "ownScales" | "memory">;
  readonly encoder: NonNullable<Codec["encodes"]>;
}

/** The output policy of the options under `image:`. */
export function outputPolicy(options: ImageOptions): OutputPolicy {
  return {
    jpegQuality: options.jpeg_quality,
    webpQuality: options.webp_quality,
    progressive: options.jpeg_progressive,
    chroma: options.jpeg_chroma,
    encoder: options.jpeg_encoder,
    passthrough: options.jpeg_passthrough,
    depth: options.depth,
    background: parseColour(options.background),
  };
}
