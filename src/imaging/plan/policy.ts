// The choices that the bytes of derivatives depend on, besides the request.

import type { Sharpening } from "../pipeline/steps/sharpen.ts";

/** Plain data; the server has its JSON in every render key and ETag. */
export interface OutputPolicy {
  readonly jpegQuality: number;
  readonly webpQuality: number;
  readonly avifQuality: number;
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
