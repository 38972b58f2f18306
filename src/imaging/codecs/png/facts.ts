// Storage of a PNG (PNG specification, third edition, 11.2 and 11.3).

import type { ByteSource } from "../../../base/index.ts";
import type { FileFacts } from "../file-facts.ts";
import { readPngHeader } from "./header.ts";

/** Returns facts of the chunks before the picture. Throws ImagingError `decode`. */
export async function pngFacts(bytes: ByteSource): Promise<FileFacts> {
  const { bitDepth, samples, colourName, colourType, interlaced, palette, transparency } =
    await readPngHeader(bytes);
  const alpha = colourType === 4 || colourType === 6;
  return {
    container: "PNG",
    bits: Array.from({ length: samples }, () => bitDepth),
    colours: colourName,
    ...(palette && { paletteEntries: palette.length / 3 }),
    ...((alpha || transparency) && {
      transparency: alpha
        ? "alpha for each pixel"
        : palette
          ? "alpha for colours of the palette"
          : "one colour",
    }),
    compression: "deflate",
    lossless: true,
    layout: "whole",
    interlaced,
  };
}
