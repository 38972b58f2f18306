// PNG as a row of the table of formats.

import type { ByteSource } from "../../../base/index.ts";
import type { FileFacts } from "../file-facts.ts";
import type { Format } from "../format.ts";
import { pngCut } from "./cut.ts";
import { pngDecoder } from "./decoder.ts";
import { encodePng } from "./encode.ts";
import { readPngHeader, signature } from "./header.ts";
import { pngEmbedder } from "./metadata.ts";

export const png = {
  title: "PNG",
  read: {
    extensions: ["png"],
    recognises: (head) => signature.every((byte, i) => head[i] === byte),
    end: [0xae, 0x42, 0x60, 0x82],
    findCut: pngCut,
    readFacts: pngFacts,
    hasSheets: false,
    nsPerPixel: 15,
    decoder: ({ host, pyramids, png }) => pngDecoder(host, pyramids, png),
  },
  write: {
    mediaType: "image/png",
    extensions: ["png"],
    advertised: true,
    optIn: false,
    forModels: true,
    nsPerPixel: 50,
    maxSide: 2 ** 31 - 1,
    depths: [8, 16],
    bilevel: true,
    alpha: true,
    rgbOnly: false,
    profiles: true,
    halvesChroma: false,
    quality: undefined,
    hidesLowBits: false,
    deflates: true,
    encoder: ({ host, png }) => ({
      encode: (pixels, options) => encodePng(pixels, options, { ...host, instances: png }),
      embed: pngEmbedder(host),
    }),
  },
} satisfies Format;

/** Returns facts of the chunks before the picture (PNG, 11.2 and 11.3). Throws ImagingError `decode`. */
async function pngFacts(bytes: ByteSource): Promise<FileFacts> {
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
