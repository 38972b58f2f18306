// JPEG derivatives of JPEG strips and tiles without RGB in between: by a lossless crop of the stored tiles,
// or from planes.

import type { ByteSource } from "../../../base/index.ts";
import type { EncodedPieces } from "../codec.ts";
import { type DerivableJpeg, isDerived } from "../jpg/derive.ts";
import { derivableTiles } from "../jpg/tiles/tiled-jpeg.ts";
import type { RenderPlan } from "../plan.ts";
import { JPEG } from "./compression/compression.ts";
import type { JpegTiles } from "./compression/jpeg-tiles.ts";
import { scaleRectangle } from "./decode.ts";
import { stageFor } from "./directory/stages.ts";
import type { OpenStage } from "./opening.ts";
import { tiledJpegOf } from "./tiled-jpeg.ts";

/**
 * Makes a derivative from the tiles of a stored level by `derive`, which gets the plan in pixels of the
 * level; undefined if the level or the plan do not allow it. Throws ImagingError `decode` if tiles are
 * damaged or differ too much.
 */
export async function deriveFromTiles(
  bytes: ByteSource,
  plan: RenderPlan,
  { tiles, open }: { readonly tiles: JpegTiles; readonly open: OpenStage },
  derive: (jpeg: DerivableJpeg, plan: RenderPlan) => Promise<readonly Uint8Array[] | undefined>,
): Promise<EncodedPieces | undefined> {
  const { read, write } = plan;
  const { header, region, scaleFactor } = read;
  if (!isDerived(write.format) || header.unsupported) return undefined;
  const { stage, factor } = stageFor(header, scaleFactor);
  const rows = plan.rows && wholeMcus(plan.rows / stage.scale);
  if (factor !== 1 || stage.compression !== JPEG || rows === 0) return undefined;
  const opened = await open(bytes, stage, read.version);
  const { width, height } = opened.picture;
  const ofStage = scaleRectangle(region, stage.scale);
  // The size of a level may be rounded down, and then it lacks a last column or row.
  const isInside = ofStage.x + ofStage.width <= width && ofStage.y + ofStage.height <= height;
  const jpeg = isInside ? await tiledJpegOf(bytes, opened, tiles) : undefined;
  if (!jpeg) return undefined;
  const ofLevel: RenderPlan = {
    ...plan,
    read: {
      ...read,
      header: { ...header, width, height },
      region: ofStage,
      scaleFactor: 1,
    },
    ...(rows && { rows }),
  };
  const pieces = await derive(derivableTiles(jpeg), ofLevel);
  return pieces && { pieces };
}

/** Returns the rows of whole MCUs, of any sampling that is written, among some rows. */
const wholeMcus = (rows: number) => 16 * Math.floor(rows / 16);
