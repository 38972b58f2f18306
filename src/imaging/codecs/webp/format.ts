// WebP as a row of the table of formats.

import type { ByteSource } from "../../../base/index.ts";
import type { Cut, SizedSource } from "../cut.ts";
import type { FileFacts } from "../file-facts.ts";
import type { Format } from "../format.ts";
import type { ImageHeader } from "../image-header.ts";
import { webpDecoder } from "./decoder.ts";
import { maxSide, webpEncoder } from "./encode.ts";
import { isWebp, readContainer } from "./header.ts";
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
    optIn: false,
    forModels: true,
    nsPerPixel: 120,
    maxSide,
    depths: [8],
    bilevel: false,
    alpha: true,
    rgbOnly: true,
    profiles: true,
    halvesChroma: false,
    quality: "webpQuality",
    hidesLowBits: true,
    deflates: false,
    encoder: ({ host }) => ({ encode: webpEncoder(host), embed: embedInWebp }),
  },
} satisfies Format;

/** Returns the length of a file as its RIFF header states it (WebP Container Specification). */
async function statedLength(read: SizedSource["read"]): Promise<number> {
  const head = await read(0, 8);
  return 8 + new DataView(head.buffer, head.byteOffset, head.length).getUint32(4, true);
}

async function webpCut({ size, read }: SizedSource): Promise<Cut | undefined> {
  // Some writers leave out the byte that pads the last chunk.
  return (await statedLength(read)) > size + 1 ? "picture" : undefined;
}

/** Returns facts of its chunks. Throws ImagingError `decode`. */
async function webpFacts(bytes: ByteSource, header: ImageHeader): Promise<FileFacts> {
  const { alpha, variant } = await readContainer(bytes);
  const kind = {
    lossy: { compression: "VP8", lossless: false, colours: "YCbCr", subsampling: "4:2:0" },
    lossless: { compression: "VP8L", lossless: true, colours: "RGB" },
    animated: {}, // each frame has its own
  }[variant];
  return {
    container: header.pages > 1 ? "animated WebP" : "WebP",
    bits: Array.from({ length: header.bands }, () => 8),
    ...kind,
    ...(alpha && { transparency: "alpha for each pixel" }),
    layout: "whole",
  };
}
