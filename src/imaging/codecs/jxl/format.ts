// JPEG XL as a row of the table of formats.

import type { Format } from "../format.ts";
import { maxSide } from "../jpg/markers/header.ts";
import { embedInJxl } from "./container.ts";
import { jxlDecoder } from "./decoder.ts";
import { jxlEncoder } from "./encode.ts";
import { jxlCut, jxlFacts } from "./facts.ts";
import { isJxl } from "./file.ts";
import { libjxlEncoder } from "./libjxl.ts";
import { jxlMemory, jxlNsPerPixel } from "./ways.ts";

export const jxl = {
  title: "JPEG XL",
  read: {
    extensions: ["jxl"],
    recognises: isJxl,
    end: "any",
    findCut: jxlCut,
    readFacts: jxlFacts,
    hasSheets: false,
    nsPerPixel: 350,
    decoder: jxlDecoder,
  },
  write: {
    mediaType: "image/jxl",
    extensions: ["jxl"],
    advertised: true,
    optIn: true,
    forModels: false,
    nsPerPixel: jxlNsPerPixel,
    memory: jxlMemory,
    maxSide,
    depths: [8],
    bilevel: false,
    alpha: true,
    rgbOnly: false,
    profiles: false,
    halvesChroma: true,
    quality: "jpegQuality",
    hidesLowBits: true,
    deflates: false,
    encoder: ({ deriver, host }) => ({
      encode: jxlEncoder(deriver.recode, deriver.baseline, libjxlEncoder(host)),
      embed: embedInJxl,
    }),
  },
} satisfies Format;
