// TIFF as a row of the table of formats.

import type { Format } from "../format.ts";
import { tiffCut } from "./cut.ts";
import { tiffDecoder } from "./decoder.ts";
import { embedInTiff } from "./directory/metadata.ts";
import { encodeTiff } from "./encode.ts";
import { tiffFacts } from "./facts.ts";

/** Byte order and version of TIFF 6.0 and BigTIFF. */
const marks = ["II*\0", "MM\0*", "II+\0", "MM\0+"];

export const tif = {
  title: "TIFF",
  read: {
    extensions: ["tif", "tiff", "svs"],
    recognises: (head) =>
      marks.some((mark) => [...mark].every((letter, i) => head[i] === letter.charCodeAt(0))),
    end: "any",
    findCut: tiffCut,
    readFacts: tiffFacts,
    hasSheets: true,
    nsPerPixel: 12,
    decoder: tiffDecoder,
  },
  write: {
    mediaType: "image/tiff",
    extensions: ["tif", "tiff", "ptif", "ptiff"],
    advertised: true,
    optIn: false,
    forModels: false,
    nsPerPixel: 40,
    maxSide: 2 ** 31 - 1,
    depths: [8, 16],
    bilevel: false,
    alpha: true,
    rgbOnly: false,
    profiles: true,
    halvesChroma: false,
    quality: undefined,
    hidesLowBits: false,
    deflates: true,
    encoder: ({ host }) => ({
      encode: (pixels, options) => encodeTiff(pixels, options, host),
      embed: embedInTiff,
    }),
  },
} satisfies Format;
