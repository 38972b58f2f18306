// GIF as a row of the table of formats: it is only read.

import type { ByteSource } from "../../../base/index.ts";
import type { Cut, SizedSource } from "../cut.ts";
import type { FileFacts } from "../file-facts.ts";
import type { Format } from "../format.ts";
import type { ImageHeader } from "../image-header.ts";
import { gifDecoder } from "./decoder.ts";
import { readGifHeader, recognisesGif } from "./header.ts";

export const gif = {
  title: "GIF",
  read: {
    extensions: ["gif"],
    recognises: recognisesGif,
    end: [0x3b],
    findCut: gifCut,
    readFacts: gifFacts,
    hasSheets: false,
    nsPerPixel: 40,
    decoder: ({ pyramids }) => gifDecoder(pyramids),
  },
} satisfies Format;

/**
 * Bytes of a file whose blocks are passed to find its trailer (GIF89a, section 27), which some writers leave
 * out: of longer ones, only the last byte counts.
 */
const maxRead = 32 * 2 ** 20;
const [trailer, extension, image] = [0x3b, 0x21, 0x2c];

async function gifCut({ size, read }: SizedSource): Promise<Cut | undefined> {
  const [last] = await read(size - 1, 1);
  if (last === trailer || size > maxRead) return undefined;
  const data = await read(0, size);
  const tableBytes = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(data[10]);
  const passSubBlocks = () => {
    for (let length = data[at]; length; length = data[at]) at += 1 + length;
    at++;
  };
  while (at < size) {
    const kind = data[at];
    if (kind === extension) at += 2;
    else if (kind === image) at += 11 + tableBytes(data[at + 9]);
    else return undefined;
    passSubBlocks();
  }
  return at > size ? "picture" : undefined;
}

/**
 * Returns the facts of the frame that is page `page` (GIF89a, sections 17 to 20). Throws ImagingError
 * `decode`.
 */
async function gifFacts(bytes: ByteSource, _header: ImageHeader, page: number): Promise<FileFacts> {
  const [head, { frames }] = [await bytes.read(0, 6), await readGifHeader(bytes)];
  const frame = frames[page - 1];
  return {
    container: String.fromCharCode(...head),
    colours: "palette",
    ...(frame && {
      paletteEntries: frame.tableEntries,
      ...(frame.transparentIndex >= 0 && { transparency: "one colour of the palette" }),
      interlaced: frame.interlaced,
    }),
    compression: "LZW",
    lossless: true,
    layout: "whole",
  };
}
