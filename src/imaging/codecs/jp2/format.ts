// JPEG 2000 as a row of the table of formats.

import type { Format } from "../format.ts";
import { jp2Cut } from "./cut.ts";
import { jp2Decoder } from "./decoder.ts";
import { jp2Encoder, maxSide } from "./encode.ts";
import { jp2Facts } from "./facts.ts";
import { isJpeg2000 } from "./header.ts";
import { embedInJp2 } from "./metadata.ts";

export const jp2 = {
  title: "JPEG 2000",
  read: {
    extensions: ["jp2", "j2k", "j2c", "jpc", "jpf", "jpx", "jph", "jhc"],
    recognises: isJpeg2000,
    end: [0xff, 0xd9],
    findCut: jp2Cut,
    readFacts: jp2Facts,
    hasSheets: false,
    nsPerPixel: 250,
    decoder: ({ bench }) => jp2Decoder(bench),
  },
  write: {
    mediaType: "image/jp2",
    extensions: ["jp2"],
    advertised: false,
    optIn: false,
    forModels: false,
    nsPerPixel: 260,
    maxSide,
    depths: [8],
    bilevel: false,
    alpha: false,
    rgbOnly: false,
    profiles: true,
    halvesChroma: false,
    quality: undefined,
    hidesLowBits: false,
    deflates: false,
    encoder: ({ host }) => ({ encode: jp2Encoder(host), embed: embedInJp2 }),
  },
} satisfies Format;
