// A region of a TIFF page at full size, in rows from the top down: a row of strips or tiles at a time, or
// fewer.

import type { ByteSource } from "../../../base/index.ts";
import { allocateOrThrow } from "../allocate.ts";
import type { TakeRows } from "../codec.ts";
import { damagedTif } from "../damaged.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { rowsOf } from "../pyramid/rows.ts";
import { fillFrom, type TiffReaders } from "./decode.ts";
import { stageFor } from "./directory/stages.ts";
import type { Part } from "./parts.ts";
import { type BlockTarget, targetFor } from "./samples/targets.ts";

/** Rows of a region that are being collected. */
interface Band {
  readonly area: Rectangle;
  readonly target: BlockTarget;
}

/**
 * Decodes a region of the full-size picture of a page and passes on its rows. Resolves to true if the file
 * ends early and the rest is shown as a plain colour. Throws like `decodeTiff`.
 */
export async function decodeTiffRows(
  bytes: ByteSource,
  header: ImageHeader,
  region: Rectangle,
  readers: TiffReaders,
  take: TakeRows,
): Promise<boolean> {
  const opened = await readers.open(bytes, stageFor(header, 1).stage, undefined);
  const { picture, palette } = opened;
  if (picture.width !== header.width || picture.height !== header.height)
    throw damagedTif("the size that its header gave", "another");
  const { blockWidth, blockHeight, bands, interpretation } = picture;
  const bottom = region.y + region.height;
  const isSingle =
    Math.floor(region.x / blockWidth) === Math.floor((region.x + region.width - 1) / blockWidth);
  /** Returns the rows that are complete together: of a part, or of all blocks in a row. */
  const areaOf = (part: Part): Rectangle => {
    const blockEnd = (Math.floor(part.y / blockHeight) + 1) * blockHeight;
    const top = Math.max(region.y, isSingle ? part.y : blockEnd - blockHeight);
    const end = Math.min(bottom, isSingle ? part.y + part.rows : blockEnd);
    return { ...region, y: top, height: end - top };
  };
  let band: Band | undefined;
  const begin = (area: Rectangle): Band => {
    const options = { picture, region: area, factor: 1, rows: area.height, palette };
    return { area, target: allocateOrThrow(() => targetFor(options)) };
  };
  const isWhole = await fillFrom({ bytes, opened, readers }, region, 1, {
    add(part) {
      band ??= begin(areaOf(part));
      band.target.add(part);
    },
    async complete(y) {
      if (!band || y < band.area.y + band.area.height) return;
      const { area, target } = band;
      band = undefined;
      const { width, height } = area;
      for (const rows of rowsOf({ width, height, bands, interpretation, data: target.finish() }))
        await take(rows);
    },
  });
  return !isWhole;
}
