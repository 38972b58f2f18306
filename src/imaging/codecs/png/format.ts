// PNG as a row of the table of formats.

import type { Format } from "../format.ts";
import { pngCut } from "./cut.ts";
import { pngDecoder } from "./decoder.ts";
import { encodePng } from "./encode.ts";
import { pngFacts } from "./facts.ts";
import { signature } from "./header.ts";
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
    forModels: true,
    nsPerPixel: 50,
    maxSide: 2 ** 31 - 1,
    depths: [8, 16],
    bilevel: true,
    alpha: true,
    rgbOnly: false,
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
