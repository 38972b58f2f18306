// JPEG as a row of the table of formats.

import type { Format } from "../format.ts";
import { jpegCut } from "./cut.ts";
import { jpegEncoder, optimisePays } from "./encode/encode.ts";
import { readJpegFacts } from "./facts.ts";
import { maxSide } from "./markers/header.ts";
import { embedInJpeg } from "./markers/metadata.ts";

export const jpg = {
  title: "JPEG",
  read: {
    extensions: ["jpg", "jpeg", "jpe", "jfif"],
    recognises: (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff,
    end: [0xff, 0xd9],
    findCut: jpegCut,
    readFacts: readJpegFacts,
    hasSheets: false,
    nsPerPixel: 3,
    decoder: ({ jpeg }) => jpeg,
  },
  write: {
    mediaType: "image/jpeg",
    extensions: ["jpg", "jpeg", "jpe", "jfif"],
    advertised: true,
    optIn: false,
    forModels: true,
    nsPerPixel: 4,
    maxSide,
    depths: [8],
    bilevel: false,
    alpha: false,
    rgbOnly: false,
    profiles: true,
    halvesChroma: true,
    quality: "jpegQuality",
    hidesLowBits: true,
    deflates: false,
    byRows: ({ encoder, progressive }, size) => encoder === "fast" && !progressive && !optimisePays(size),
    encoder: ({ host, deriver }) => ({
      encode: jpegEncoder(host, deriver.baseline),
      encodeRows: ({ width, height, bands }, { quality, chroma, resolution }) =>
        deriver.baseline().stream({ width, height, bands: bands === 1 ? 1 : 3, quality, chroma, resolution }),
      embed: embedInJpeg,
    }),
  },
} satisfies Format;
