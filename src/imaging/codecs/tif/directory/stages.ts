// The stored pictures of a page, full size and levels, and the scales they can be decoded at.

import type { Reduction } from "../../codec.ts";
import { damagedTif } from "../../damaged.ts";
import type { ImageHeader, Rectangle } from "../../image-header.ts";
import type { ReadRequest } from "../../plan.ts";
import { compressions, PLAIN } from "../compression/compression.ts";
import { numberBytes, type Picture, rowBytes, storedBands } from "./picture.ts";

/** The parts of a page's stored picture that planning needs. */
export interface Stage {
  readonly scale: number;
  /** Offset of its directory. */
  readonly offset: number;
  readonly compression: number;
  /** Size of a strip or tile in pixels, bytes of one of its rows, and the number of planes. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly rowBytes: number;
  readonly planes: number;
  /**
   * Bytes that a row takes in addition to its stored form and its result while its samples become numbers.
   */
  readonly numberBytes: number;
}

const LARGEST_FACTOR = 256;

/** Returns the stage of a directory. */
export function stageOf(scale: number, offset: number, picture: Picture): Stage {
  const { compression, blockWidth, blockHeight } = picture;
  const planes = picture.planar ? storedBands(picture) : 1;
  return {
    scale,
    offset,
    compression,
    blockWidth,
    blockHeight,
    rowBytes: rowBytes(picture),
    planes,
    numberBytes: numberBytes(picture),
  };
}

const fields = [
  "scale",
  "offset",
  "compression",
  "blockWidth",
  "blockHeight",
  "rowBytes",
  "planes",
  "numberBytes",
] as const satisfies readonly (keyof Stage)[];

/** Returns stages as facts of a header: by field, one number for each stage. */
export function stageFacts(stages: readonly Stage[]): Record<string, number[]> {
  return Object.fromEntries(fields.map((field) => [field, stages.map((stage) => stage[field])]));
}

/** Stages by header: a plan asks for those of one header many times. */
const known = new WeakMap<ImageHeader, readonly Stage[]>();

/** Returns the stages listed in a header, full size first. */
export function stagesOf(header: ImageHeader): readonly Stage[] {
  let stages = known.get(header);
  if (!stages) {
    const list = (field: keyof Stage) => (header.details?.[field] ?? []) as readonly number[];
    const lists = fields.map((field) => [field, list(field)] as const);
    stages = list("scale").map((_, i) => {
      const stage: Partial<Record<keyof Stage, number>> = {};
      for (const [field, values] of lists) stage[field] = values[i]!;
      return stage as Stage;
    });
    known.set(header, stages);
  }
  return stages;
}

/** Returns the stored scales, which need no averaging. */
export const storedScales = (header: ImageHeader) => stagesOf(header).map(({ scale }) => scale);

/** Returns the stored scales, and powers of two derived from them by averaging. */
export function reductions(header: ImageHeader): readonly Reduction[] {
  const stored = new Set(storedScales(header));
  const factors = new Set(stored);
  const side = Math.min(header.width, header.height);
  for (let factor = 2; factor <= LARGEST_FACTOR && factor <= side; factor *= 2) factors.add(factor);
  factors.delete(1);
  return [...factors]
    .sort((a, b) => a - b)
    .map((factor) => ({ factor, quality: stored.has(factor) ? "level" : "averages" }));
}

/**
 * Returns the smallest stored picture for a scale, and how many of its pixels per side are averaged. Throws
 * ImagingError `decode` for a header of another codec.
 */
export function stageFor(header: ImageHeader, scaleFactor: number): { stage: Stage; factor: number } {
  const stage = stagesOf(header).findLast(({ scale }) => scaleFactor % scale === 0);
  if (!stage) throw damagedTif("facts of a stored picture", "none");
  return { stage, factor: scaleFactor / stage.scale };
}

/** Returns the full-size rows in a row of strips or tiles. */
export const rowsApart = ({ header, scaleFactor }: Pick<ReadRequest, "header" | "scaleFactor">): number =>
  stageFor(header, scaleFactor).stage.blockHeight * scaleFactor;

/** Pixels of a plain strip up to which reading one for a part of it costs little. */
const maxOfStrip = 2 ** 21;
/** Pixels of a tile up to which decoding it for a part of it costs little. */
const maxOfTile = 2 ** 20;

/** True if the full-size picture is stored in tiles, each of few pixels. */
export function hasTiles(header: ImageHeader): boolean {
  const { blockWidth, blockHeight } = stageFor(header, 1).stage;
  return blockWidth < header.width && blockWidth * blockHeight <= maxOfTile;
}

/** True if any part of the full-size picture is read quickly: from small tiles, or plain short strips. */
export function readsAnywhere(header: ImageHeader): boolean {
  const { blockWidth, blockHeight, compression } = stageFor(header, 1).stage;
  return hasTiles(header) || (compression === PLAIN && blockWidth * blockHeight <= maxOfStrip);
}

/** Largest ratio of a stored scale to the one before. */
const maxApart = 4;
/** Maximum number of pixels of the smallest level. */
const maxLeft = 2 ** 24;

/**
 * True if a page has what any scale can be made of quickly: stored levels down to a small one, none far from
 * the one before.
 */
export function storesLevels(header: ImageHeader): boolean {
  const scales = storedScales(header);
  const last = scales.at(-1) ?? 1;
  return (
    scales.length > 1 &&
    scales.every((scale, i) => i === 0 || scale <= maxApart * scales[i - 1]!) &&
    header.width * header.height <= maxLeft * last ** 2
  );
}

/** Returns the nanoseconds of decoding per pixel, as measured with photographs on a server's processor. */
export const decodingNs = (header: ImageHeader): number =>
  compressions[stageFor(header, 1).stage.compression]?.ns ?? usualNs;

const usualNs = 12;

/** True if a pixel is stored in one bit. */
export function isBilevel(header: ImageHeader): boolean {
  const { blockWidth, rowBytes } = stageFor(header, 1).stage;
  return rowBytes === Math.ceil(blockWidth / 8);
}

/** Returns the pixels at full size that are decoded for a region: from the top of its strips or tiles on. */
export function pixelsAbove(header: ImageHeader, region: Rectangle): number {
  const { blockHeight } = stageFor(header, 1).stage;
  const rows = region.height + (region.y % blockHeight);
  return Math.min(decodedPixels({ header, region, scaleFactor: 1 }), header.width * rows);
}

/** Returns the pixels of the strips or tiles that a region touches in its stored picture. */
export function decodedPixels({
  header,
  region,
  scaleFactor,
}: Pick<ReadRequest, "header" | "region" | "scaleFactor">): number {
  const { stage } = stageFor(header, scaleFactor);
  const countTouched = (start: number, length: number, side: number) =>
    (Math.ceil((start + length) / stage.scale / side) - Math.floor(start / stage.scale / side)) * side;
  const height = Math.min(stage.blockHeight, Math.ceil(header.height / stage.scale));
  return (
    countTouched(region.x, region.width, stage.blockWidth) * countTouched(region.y, region.height, height)
  );
}
