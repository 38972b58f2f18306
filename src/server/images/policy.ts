// The part of the configuration that the bytes of derivatives depend on. Its JSON is part of every render key
// and ETag.

import type { OutputPolicy } from "../../imaging/index.ts";
import { type ImageOptions, parseColour, sharpening } from "./options.ts";

/** Returns the output policy of the options under `image:`. */
export function outputPolicy(options: ImageOptions): OutputPolicy {
  const sharpen = sharpening(options);
  return {
    jpegQuality: options.jpeg_quality,
    webpQuality: options.webp_quality,
    avifQuality: options.avif_quality,
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
