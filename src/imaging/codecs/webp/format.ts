// WebP as a row of the table of formats.

import type { Format } from "../format.ts";
import { statedLength, webpCut } from "./cut.ts";
import { webpDecoder } from "./decoder.ts";
import { maxSide, webpEncoder } from "./encode.ts";
import { webpFacts } from "./facts.ts";
import { isWebp } from "./header.ts";
import { embedInWebp } from "./metadata.ts";

export const webp = {
  title: "WebP",
  read: {
    extensions: ["webp"],
    recognises: isWebp,
    end: statedLength,
    findCut: webpCut,
    readFacts: webpFacts,
    hasSheets: false,
    nsPerPixel: 25,
    decoder: ({ host, pyramids }) => webpDecoder(host, pyramids),
  },
  write: {
    mediaType: "image/webp",
    extensions: ["webp"],
    advertised: true,
    forModels: true,
    nsPerPixel: 120,
    maxSide,
    depths: [8],
    bilevel: false,
    alpha: true,
    rgbOnly: true,
    halvesChroma: false,
    quality: "webpQuality",
    hidesLowBits: true,
    deflates: false,
    encoder: ({ host }) => ({ encode: webpEncoder(host), embed: embedInWebp }),
  },
} satisfies Format;
