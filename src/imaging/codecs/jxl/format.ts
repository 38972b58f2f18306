// JPEG XL as a row of the table of formats.

import type { Format } from "../format.ts";
import { maxSide } from "../jpg/markers/header.ts";
import { embedInJxl } from "./container.ts";
import { jxlEncoder } from "./encode.ts";

export const jxl = {
  title: "JPEG XL",
  write: {
    mediaType: "image/jxl",
    extensions: ["jxl"],
    advertised: true,
    optIn: true,
    forModels: false,
    nsPerPixel: 20,
    maxSide,
    depths: [8],
    bilevel: false,
    alpha: false,
    rgbOnly: false,
    profiles: false,
    halvesChroma: true,
    quality: "jpegQuality",
    hidesLowBits: true,
    deflates: false,
    encoder: ({ deriver }) => ({
      encode: jxlEncoder(deriver.recode, deriver.baseline),
      embed: embedInJxl,
    }),
  },
} satisfies Format;
