// Peak memory of decoding a region, estimated before it is read.

import type { ImageHeader, Rectangle } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { MAX_RUN, storedLimit } from "./blocks.ts";
import { compressions, JPEG } from "./compression/compression.ts";
import { type Stage, stageFor } from "./directory/stages.ts";
import { chunkRows } from "./parts.ts";
import { heldBoxes } from "./samples/targets.ts";
import { maxBytes } from "./tiled-jpeg.ts";

/** Bytes of module instances, the platform's inflater, and block tables of up to {@link USUAL_TABLES}. */
const FIXED = 8 << 20;
/** Bytes of block tables of the usual size. */
const USUAL_TABLES = 2 << 20;
/** JPEG tiles of a region are read together, and those of two reads before are still garbage. */
const heldTiles = 3;
/** Bytes per strip or tile in the file's tables: position and length, as read and as numbers. */
const BYTES_PER_BLOCK = 40;

/**
 * Rows of a stored image that are incomplete at a time: those decompressed together, of a whole row of blocks
 * if there are several.
 */
export function heldRows(stage: Stage, region: Rectangle): number {
  const single = columnsOf(stage, region) === 1 && compressions[stage.compression]?.whole === undefined;
  const rows = single ? chunkRows(stage.rowBytes, stage.blockHeight) : stage.blockHeight;
  return Math.min(rows, region.height);
}

const columnsOf = ({ blockWidth }: Stage, { x, width }: Rectangle) =>
  Math.ceil((x + width) / blockWidth) - Math.floor(x / blockWidth);

/** Estimates the bytes of `decodeTiffRows`: those of the rows that it passes on together. */
export function estimateRowsMemory(header: ImageHeader, region: Rectangle, fileSize: number): number {
  const { stage } = stageFor(header, 1);
  const band = { ...region, height: heldRows(stage, region) };
  return estimateMemory({ header, page: 1, region: band, scaleFactor: 1 }, fileSize);
}

/**
 * Estimates bytes: the result, rows as decompressed and as samples, stored bytes of two reads or of all JPEG
 * tiles of a region, sums of boxes, tables.
 */
export function estimateMemory({ header, region, scaleFactor }: ReadRequest, fileSize: number): number {
  const { stage, factor } = stageFor(header, scaleFactor);
  const { scale, rowBytes, blockHeight, planes, compression, numberBytes } = stage;
  const [x, y] = [region.x / scale, region.y / scale].map(Math.floor) as [number, number];
  const [width, height] = [region.width / scale, region.height / scale].map(Math.ceil) as [number, number];
  const part = { x, y, width, height };
  const across = Math.ceil(width / factor);
  const pixels = across * Math.ceil(height / factor);
  const bytesPerPixel = header.bands * (header.depth / 8);
  // Palettes: the indices of a whole image are held until all have arrived.
  const indices =
    factor === 1 && header.details?.photometric === "palette"
      ? pixels * (rowBytes > stage.blockWidth ? 2 : 1)
      : 0;

  const block = rowBytes * blockHeight;
  const { whole, heldBytes: held, moduleBytes = 0 } = compressions[compression] ?? {};
  const rows =
    (whole ? whole * block : (2 * rowBytes + numberBytes) * chunkRows(rowBytes, blockHeight)) +
    (held?.(block) ?? 0) +
    moduleBytes;
  const stored = compression === 1 ? Math.max(MAX_RUN, rowBytes) : Math.max(MAX_RUN, storedLimit(block));
  const share = (part.width * part.height) / (header.width * header.height);
  const together = compression === JPEG ? heldTiles * Math.min(share * fileSize, maxBytes) : 0;
  const boxes = factor === 1 ? 0 : 8 * across * header.bands * heldBoxes(heldRows(stage, part), factor);
  const line = factor === 1 ? 0 : 2 * width * bytesPerPixel;
  const blocks = Math.ceil(header.width / scale / stage.blockWidth) * Math.ceil(height / blockHeight + 1);
  return (
    pixels * bytesPerPixel +
    indices +
    planes * (rows + 2 * Math.min(fileSize, stored)) +
    Math.max(0, planes * blocks * BYTES_PER_BLOCK - USUAL_TABLES) +
    together +
    boxes +
    line +
    FIXED
  );
}
