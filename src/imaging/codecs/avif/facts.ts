// How an AVIF file stores its image, and whether its end is missing.

import type { ByteSource } from "../../../base/index.ts";
import { boxBytes, boxWalk } from "../boxes.ts";
import type { Cut, SizedSource } from "../cut.ts";
import { damagedAvif } from "../damaged.ts";
import type { FileFacts } from "../file-facts.ts";
import { fourCC } from "../header-bytes.ts";
import { readAvifHeader } from "./header.ts";

/** Returns facts of the primary image. Throws ImagingError `decode`. */
export async function avifFacts(bytes: ByteSource): Promise<FileFacts> {
  const { file, bits, isGray, hasAlpha, subsampling, cells } = await readAvifHeader(bytes);
  const bands = (isGray ? 1 : 3) + (hasAlpha ? 1 : 0);
  return {
    container: file.brands[0] === fourCC("avis") ? "AVIF sequence" : "AVIF",
    bits: Array.from({ length: bands }, () => bits),
    colours: isGray ? "gray" : "YCbCr",
    ...(hasAlpha && { transparency: "alpha for each pixel" }),
    compression: "AV1",
    layout: cells.length > 1 ? "tiles" : "whole",
    ...(cells.length > 1 && { blocks: cells.length }),
    ...(!isGray && { subsampling }),
  };
}

const walk = boxWalk(damagedAvif);

/** Returns what is missing if the last box ends behind the file. */
export async function avifCut(source: SizedSource): Promise<Cut | undefined> {
  let end = 0;
  for await (const { body, length } of walk(boxBytes(source), 0, source.size)) end = body + (length ?? 0);
  return end > source.size ? "picture" : undefined;
}
