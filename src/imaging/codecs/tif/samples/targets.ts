// Destinations of decompressed rows: the result itself, or averages.

import type { Rectangle } from "../../image-header.ts";
import { boxReducer, type Reduction } from "../../reduce.ts";
import { isPacked, type Picture, rowBytes, storedBands } from "../directory/picture.ts";
import type { Part } from "../parts.ts";
import { bitReducer } from "./bilevel.ts";
import { asSamples, copyBits, copySamples, finisher, type Range } from "./samples.ts";

type TiffSamples = Uint8Array | Uint16Array;

/** Collects the parts of a region, left to right and top to bottom by block. */
export interface BlockTarget {
  add(part: Part): void;
  /** Reports that all rows above row `y` of the picture have arrived; parts wait for its promise. */
  complete?(y: number): void | Promise<void>;
  finish(): TiffSamples;
}

/** Options of a target. */
export interface TargetOptions {
  readonly picture: Picture;
  /** Region of the image, in its pixels. */
  readonly region: Rectangle;
  /** Pixels per side that become one. */
  readonly factor: number;
  /** Maximum number of incomplete rows of the picture. */
  readonly rows: number;
  readonly palette?: readonly number[] | undefined;
  readonly range?: Range | undefined;
}

/** Creates the target for a factor and a kind of picture. */
export function targetFor(options: TargetOptions): BlockTarget {
  if (options.factor === 1) return wholeTarget(options);
  return isPacked(options.picture) && options.picture.bits === 1 ? bitTarget(options) : boxTarget(options);
}

/** Returns how many rows of boxes are incomplete if that many rows of the image are. */
export const heldBoxes = (rows: number, factor: number) => Math.ceil(rows / factor) + 1;

/**
 * Returns the part of a region that a part covers: in pixels of the image, and its start in the part's own.
 */
function overlap(part: Part, region: Rectangle) {
  const left = Math.max(part.x, region.x);
  const top = Math.max(part.y, region.y);
  return {
    left,
    top,
    width: Math.min(part.x + part.columns, region.x + region.width) - left,
    rows: part.y + part.rows - top,
    fromColumn: (left - part.x) / part.side,
    fromRow: (top - part.y) / part.side,
  };
}

/** Allocates samples before palette lookup, possibly indexes of 16 bits. */
const allocateStored = ({ bits }: Picture, length: number): TiffSamples =>
  bits > 8 ? new Uint16Array(length) : new Uint8Array(length);

/** Allocates output samples. */
const samplesOf = ({ depth }: Picture, length: number): TiffSamples =>
  depth === 16 ? new Uint16Array(length) : new Uint8Array(length);

/** Returns the input of `copySamples` or `copyBits`: samples, or packed bits. */
const sourcesOf = ({ picture, range }: TargetOptions, { planes, stride }: Part): readonly TiffSamples[] =>
  isPacked(picture)
    ? planes
    : planes.map((data, plane) =>
        asSamples(picture, data, stride * (picture.planar ? 1 : picture.samples), plane, range),
      );

/** True if other samples are between the colours and alpha. */
const isApart = (picture: Picture) =>
  picture.alpha !== "none" && picture.alphaAt !== storedBands(picture) - 1;

function copy(picture: Picture, sources: readonly TiffSamples[], at: PlacedPart, out: TiffSamples): void {
  const bands = storedBands(picture);
  const fromPixel = picture.planar ? 1 : picture.samples;
  const apart = !picture.planar && isApart(picture);
  for (const [plane, source] of sources.entries()) {
    const placement = {
      from: (at.fromRow * at.stride + at.fromColumn) * fromPixel,
      fromRow: at.stride * fromPixel,
      fromPixel,
      to: at.to + plane,
      toRow: at.toRow,
      toPixel: bands,
      width: at.columns,
      rows: at.rows,
      bands: picture.planar ? 1 : bands,
    };
    if (isPacked(picture)) copyBits(picture.bits, source as Uint8Array, out, placement);
    else if (apart) {
      copySamples(source, out, { ...placement, bands: bands - 1 });
      const { from, to } = placement;
      copySamples(source, out, { ...placement, bands: 1, from: from + picture.alphaAt, to: to + bands - 1 });
    } else copySamples(source, out, placement);
  }
}

interface PlacedPart {
  readonly fromRow: number;
  readonly fromColumn: number;
  readonly stride: number;
  readonly columns: number;
  readonly rows: number;
  readonly to: number;
  readonly toRow: number;
}

function wholeTarget(options: TargetOptions): BlockTarget {
  const { picture, region, palette } = options;
  const bands = storedBands(picture);
  const out = allocateStored(picture, region.width * region.height * bands);
  const finish = finisher(picture, palette);
  const toRow = region.width * bands;
  return {
    add(part) {
      const { left, top, width, rows, fromRow, fromColumn } = overlap(part, region);
      const to = (top - region.y) * toRow + (left - region.x) * bands;
      const at = { fromRow, fromColumn, stride: part.stride, columns: width, rows, to, toRow };
      copy(picture, sourcesOf(options, part), at, out);
    },
    finish: () => finish?.(out) ?? out,
  };
}

function reductionOf({ picture, region, factor }: TargetOptions): Reduction {
  const { bands } = picture;
  return {
    width: region.width,
    height: region.height,
    bands,
    alpha: picture.alpha !== "none",
    factor,
  };
}

const resultOf = (picture: Picture, { width, height, factor }: Reduction) =>
  samplesOf(picture, Math.ceil(width / factor) * Math.ceil(height / factor) * picture.bands);

function boxTarget(options: TargetOptions): BlockTarget {
  const { picture, region, palette } = options;
  const reduction = reductionOf(options);
  const out = resultOf(picture, reduction);
  const boxes = boxReducer(reduction, heldBoxes(options.rows, options.factor), out);
  const finish = finisher(picture, palette);
  const direct = !finish && !picture.planar && picture.samples === picture.bands;
  const bands = storedBands(picture);
  const line = allocateStored(picture, direct ? 0 : region.width * bands);
  return {
    add(part) {
      const { left, top, width, rows, fromRow, fromColumn } = overlap(part, region);
      const { side, stride } = part;
      const columns = width / side;
      const x = left - region.x;
      const sources = sourcesOf(options, part);
      for (let row = 0; row < rows / side; row++) {
        const y = top - region.y + row * side;
        const at = { fromRow: fromRow + row, fromColumn, stride, columns, rows: 1, to: 0, toRow: 0 };
        if (direct) {
          const from = (at.fromRow * stride + fromColumn) * bands;
          boxes.add({ pixels: sources[0] as TiffSamples, from, count: columns, x, y, side });
          continue;
        }
        copy(picture, sources, at, line);
        const stored = line.subarray(0, columns * bands);
        boxes.add({ pixels: finish?.(stored) ?? stored, from: 0, count: columns, x, y, side });
      }
    },
    complete: (y) => boxes.complete(y - region.y),
    finish: () => out,
  };
}

function bitTarget(options: TargetOptions): BlockTarget {
  const { picture, region, palette } = options;
  const reduction = reductionOf(options);
  const out = resultOf(picture, reduction) as Uint8Array;
  const values = finisher(picture, palette)?.(Uint8Array.of(0, 1)) as Uint8Array;
  const boxes = bitReducer(
    { ...reduction, left: region.x, values },
    heldBoxes(options.rows, options.factor),
    out,
  );
  const perRow = rowBytes(picture);
  return {
    add(part) {
      const { left, top, width, rows, fromRow, fromColumn } = overlap(part, region);
      const [data = new Uint8Array()] = part.planes;
      for (let row = 0; row < rows; row++)
        boxes.add(
          data.subarray((fromRow + row) * perRow),
          fromColumn,
          width,
          left - region.x,
          top - region.y + row,
        );
    },
    complete: (y) => boxes.complete(y - region.y),
    finish: () => out,
  };
}
