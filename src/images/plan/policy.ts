// What of the configuration decides the bytes of an answer, beside the request itself.

import type { Codec, EncodableKinds } from "../../imaging/codecs/codec.ts";
import type { Sharpening } from "../../imaging/pipeline/steps/sharpen.ts";
import { type ImageOptions, parseColour, sharpening } from "../options.ts";

/** Plain data; its JSON is part of every render key and ETag. */
export interface OutputPolicy {
  readonly jpegQuality: number;
  readonly webpQuality: number;
  readonly progressive: boolean;
  readonly chroma: "420" | "444";
  readonly encoder: "fast" | "small";
  readonly passthrough: "auto" | "off";
  /** `visual`: lossy answers of JPEG 2000 masters leave out the lowest bit-planes; absent: they do not. */
  readonly jp2Effort?: "visual";
  readonly depth: "8" | "source";
  readonly background: readonly [number, number, number];
  /** For answers smaller than their region; absent: none. */
  readonly sharpen?: Sharpening;
  /** At how many times the answer's size to decode for scales of exactly a power of two; absent: as the codec likes. */
  readonly supersample?: 2 | 4;
  /** Percentiles that become black and white in masters that have a range of their own; absent: the range of the type. */
  readonly window?: { readonly low: number; readonly high: number };
  /** Whether reductions are done in linear light. */
  readonly linear: boolean;
  /** preserve: EXIF, XMP and IPTC are kept, and pixels are not turned by the orientation that EXIF goes on telling. */
  readonly metadata: "strip" | "preserve";
  /** Whether colours are converted to sRGB or left as the embedded profile tells them. */
  readonly color: "srgb" | "respect-icc";
}

/** What a plan has to know of the two codecs. */
export interface CodecFacts {
  readonly decoder: Pick<Codec, "scales" | "memory" | "rowsApart">;
  readonly encoder: EncodableKinds;
}

/** The output policy of the options under `image:`. */
export function outputPolicy(options: ImageOptions): OutputPolicy {
  const sharpen = sharpening(options);
  return {
    jpegQuality: options.jpeg_quality,
    webpQuality: options.webp_quality,
    progressive: options.jpeg_progressive,
    chroma: options.jpeg_chroma,
    encoder: options.jpeg_encoder,
    passthrough: options.jpeg_passthrough,
    ...(options.jp2_effort === "visual" && { jp2Effort: options.jp2_effort }),
    depth: options.depth,
    background: parseColour(options.background),
    ...(sharpen && { sharpen }),
    ...(options.supersample !== "off" && { supersample: options.supersample }),
    ...(options.window !== "off" && { window: options.window }),
    linear: options.linear === "on",
    metadata: options.metadata,
    color: options.color || (options.metadata === "preserve" ? "respect-icc" : "srgb"),
  };
}
