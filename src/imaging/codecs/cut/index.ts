// Finds files that end early, from a few bytes of each: nothing is decoded. A sound file with more after its
// picture, such as another picture, is not one of them.

import type { ByteSource } from "../../../base/index.ts";
import type { ImageHeader, SourceFormat } from "../image-header.ts";
import type { Cut, FindCut } from "./cut.ts";
import { gifCut } from "./gif.ts";
import { jp2Cut } from "./jp2.ts";
import { jpegCut } from "./jpg.ts";
import { pngCut } from "./png.ts";
import { tiffCut } from "./tif.ts";
import { webpCut } from "./webp.ts";

const finders = {
  jpg: jpegCut,
  png: pngCut,
  gif: gifCut,
  tif: tiffCut,
  webp: webpCut,
  jp2: jp2Cut,
} as const satisfies Record<SourceFormat, FindCut>;

/** The same for a file of any format; undefined if its length is unknown. */
export async function findCut(bytes: ByteSource, header: ImageHeader): Promise<Cut | undefined> {
  const { size } = bytes;
  if (size === undefined) return undefined;
  const read: ByteSource["read"] = (offset, length, signal) => bytes.read(offset, length, signal);
  return finders[header.format]({ size, read }, header);
}
