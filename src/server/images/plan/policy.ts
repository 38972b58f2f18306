// The part of the configuration that the bytes of derivatives depend on.

import type { Decoder, Sharpening, Writing } from "../../../imaging/index.ts";
import { type ImageOptions, parseColour, sharpening } from "../options.ts";

/** Plain data; its JSON is part of every render key and ETag. */
export interface OutputPolicy {
  readonly jpegQuality: number;
  readonly webpQuality: number;
  readonly progressive: boolean;
  readonly chroma: "420" | "444";
  readonly encoder: "fast" | "small";
  readonly passthrough: "auto" | "off";
  /** `visual`: lossy derivatives of JPEG 2000 masters omit the lowest bit-planes. Absent: they use all. */
  readonly jp2Effort?: "visual";
  readonly depth: "8" | "source";
  readonly background: readonly [number, number, number];
  /** Sharpening of derivatives that are smaller than their region; absent if there is none. */
  readonly sharpen?: Sharpening;
  /**
   * Minimum ratio of the decoded image's size to the derivative's, for scales of exactly a power of two;
   * absent if the codec decides.
   */
  readonly supersample?: 2 | 4;
  /**
   * Percentiles that become black and white in masters whose values have a range of their own; absent if the
   * range of the type is used.
   */
  readonly window?: { readonly low: number; readonly high: number };
  /** True if images are reduced in linear light. */
  readonly linear: boolean;
  /**
   * `preserve`: EXIF, XMP and IPTC are embedded, and pixels are not turned, since EXIF still states the
   * orientation.
   */
  readonly metadata: "strip" | "preserve";
  /**
   * `srgb`: colours are converted to sRGB. `respect-icc`: they are kept and described by the embedded
   * profile.
   */
  readonly color: "srgb" | "respect-icc";
}

/** Facts about the two codecs that a plan depends on. */
export interface CodecFacts {
  readonly decoder: Pick<Decoder, "hasWindow" | "scales" | "memory" | "rows" | "sidecar">;
  readonly encoder: Writing;
}

/** Returns the output policy of the options under `image:`. */
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
