// Storage of a GIF's frames (GIF89a specification, 17 to 20).

import type { ByteSource } from "../../../base/index.ts";
import type { FileFacts } from "../file-facts.ts";
import type { ImageHeader } from "../image-header.ts";
import { readGifHeader } from "./header.ts";

/** Returns the facts of the frame that is page `page`. Throws ImagingError `decode`. */
export async function gifFacts(bytes: ByteSource, _header: ImageHeader, page: number): Promise<FileFacts> {
  const [head, { frames }] = [await bytes.read(0, 6), await readGifHeader(bytes)];
  const frame = frames[page - 1];
  return {
    container: String.fromCharCode(...head),
    colours: "palette",
    ...(frame && {
      paletteEntries: frame.tableEntries,
      ...(frame.transparentIndex >= 0 && { transparency: "one colour of the palette" }),
      interlaced: frame.interlaced,
    }),
    compression: "LZW",
    lossless: true,
    layout: "whole",
  };
}
