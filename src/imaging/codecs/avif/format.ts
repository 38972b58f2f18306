// AVIF as a row of the table of formats.

import type { Format } from "../format.ts";
import { isAvif } from "./boxes.ts";
import { avifDecoder } from "./decoder.ts";
import { embedInAvif } from "./describe.ts";
import { avifEncoder, avifMemory, avifNsPerPixel, maxSide } from "./encode.ts";
import { avifCut, avifFacts } from "./facts.ts";

export const avif = {
  title: "AVIF",
  read: {
    extensions: ["avif", "avifs"],
    recognises: isAvif,
    end: "any",
    findCut: avifCut,
    readFacts: avifFacts,
    hasSheets: false,
    nsPerPixel: 170,
    decoder: ({ host, pyramids }) => avifDecoder(host, pyramids),
  },
  write: {
    mediaType: "image/avif",
    extensions: ["avif"],
    advertised: true,
    optIn: true,
    forModels: false,
    nsPerPixel: avifNsPerPixel,
    memory: avifMemory,
    maxSide,
    depths: [8, 16],
    bilevel: false,
    alpha: true,
    rgbOnly: true,
    profiles: true,
    halvesChroma: true,
    quality: "avifQuality",
    hidesLowBits: true,
    deflates: false,
    encoder: ({ host }) => ({ encode: avifEncoder(host), embed: embedInAvif }),
  },
} satisfies Format;
