// Storage of a WebP (WebP Container Specification).

import type { ByteSource } from "../../../base/index.ts";
import type { FileFacts } from "../file-facts.ts";
import type { ImageHeader } from "../image-header.ts";
import { readContainer } from "./header.ts";

/** Returns facts of its chunks. Throws ImagingError `decode`. */
export async function webpFacts(bytes: ByteSource, header: ImageHeader): Promise<FileFacts> {
  const { alpha, variant } = await readContainer(bytes);
  const kind = {
    lossy: { compression: "VP8", lossless: false, colours: "YCbCr", subsampling: "4:2:0" },
    lossless: { compression: "VP8L", lossless: true, colours: "RGB" },
    animated: {}, // each frame has its own
  }[variant];
  return {
    container: header.pages > 1 ? "animated WebP" : "WebP",
    bits: Array.from({ length: header.bands }, () => 8),
    ...kind,
    ...(alpha && { transparency: "alpha for each pixel" }),
    layout: "whole",
  };
}
