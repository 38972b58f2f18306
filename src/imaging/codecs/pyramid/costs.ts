// What reads of a format without access to regions need, with its sidecar and without, and what a build does:
// pixels, memory and time.

import type { Size } from "../../../base/index.ts";
import { tileSide } from "../../sidecar/tiles/tile-index.ts";
import type { SidecarLayer, SidecarUse } from "../codec.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { changedAreaOf, commonPart, drawnArea, drawnPartOf } from "./drawn.ts";
import { levelSizes, overviewLevel, partOf } from "./levels.ts";
import type { DecodeRows } from "./rows.ts";
import type { WholeFormat } from "./whole.ts";

/**
 * What is estimated of a format without access to regions. Regions are those of the drawn area (`drawn.ts`),
 * if the file draws on a part of the image alone.
 */
interface FormatEstimates {
  /** Returns the estimated peak bytes of `decodeRows`, without the rows themselves. */
  memory(header: ImageHeader, region: Rectangle, fileSize: number): number;
  /** Returns the nanoseconds of decoding per pixel, as measured with photographs on a server's processor. */
  nsPerPixel(header: ImageHeader): number;
}

interface DecodedByRows {
  readonly decodeRows: DecodeRows;
  /** Returns the full-size pixels that have to be decoded for a region. */
  pixelsFor(read: Pick<ReadRequest, "header" | "region" | "page">): number;
  /**
   * Returns 1 for images whose file is as good as a pyramid at full size, so that their sidecar begins with
   * the first half; 0, the default, for all others.
   */
  lowestLevel?(header: ImageHeader): 0 | 1;
}

/** A format whose pixels arrive in rows, or all together. */
export type RowFormat = FormatEstimates & (DecodedByRows | WholeFormat);

/** Minimum number of pixels of an image with a sidecar: smaller ones are decoded quickly. */
const leastPixels = 1 << 20;
/** Usual ratio of the bytes of all levels to those of the image's samples. */
const usualRatio = 0.7;
/** Full-size rows that take as much memory as those that halving holds of all levels. */
const heldRows = 320;
/** Full-size rows that take as much memory as a build, which also holds a row of tiles of each level. */
const heldByBuild = 1024;
/** Nanoseconds per pixel of making and coding all levels, and of making an overview. */
const buildNs = { pyramid: 6, overview: 3 } as const;
/** Copies of the largest level of an overview that a read holds while it makes it. */
const heldOfOverview = 2;

/** Returns the bytes that a job holds of an overview that it makes. */
const overviewBytes = (header: ImageHeader) =>
  heldOfOverview * pixelsOf(levelSizes(header)[overviewLevel(header)]!) * sampleBytes(header);
/** Returns all of an image as a region. */
export const wholeRegionOf = ({ width, height }: Size): Rectangle => ({ x: 0, y: 0, width, height });
const sampleBytes = ({ bands, depth }: ImageHeader) => bands * (depth / 8);
const pixelsOf = ({ width, height }: Size) => width * height;

/** Maximum width of an image with a sidecar: rows of a build are resampled as a whole. */
const maxWidth = 2 ** 18;

/** Minimum number of pixels of the drawn area for a sidecar, if the file draws on part of the image only. */
const leastDrawn = 1 << 25;

/** True if images with this header have a sidecar. */
export const hasPyramid = (header: ImageHeader) =>
  !header.unsupported &&
  header.bands <= 4 &&
  header.width <= maxWidth &&
  pixelsOf(drawnArea(header)) >= (drawnPartOf(header) ? leastDrawn : leastPixels);

/** The costs of one format. */
export class RowCosts {
  readonly #format: RowFormat;

  constructor(format: RowFormat) {
    this.#format = format;
  }

  /** Returns the number of the first level that the sidecar has. */
  lowestLevelOf(header: ImageHeader): 0 | 1 {
    return ("decodeRows" in this.#format && this.#format.lowestLevel?.(header)) || 0;
  }

  /** True if the sidecar has the pixels of a read. */
  isStored({ header, scaleFactor }: ReadRequest): boolean {
    return hasPyramid(header) && scaleFactor >= 2 ** this.lowestLevelOf(header);
  }

  /** True if the overview alone has the pixels of a read. */
  isOverview(read: ReadRequest): boolean {
    return this.isStored(read) && Math.log2(read.scaleFactor) >= overviewLevel(read.header);
  }

  decodedPixels(read: ReadRequest): number {
    const { region, scaleFactor } = read;
    return this.isStored(read) ? (region.width * region.height) / scaleFactor ** 2 : this.#pixelsAlone(read);
  }

  /** Returns the layers that there is room for, the smaller one first. */
  layersWithin(header: ImageHeader, room: number): readonly SidecarLayer[] {
    const fits = (pixels: number) => pixels * sampleBytes(header) * usualRatio <= room;
    const layers: SidecarLayer[] = [];
    if (fits(pixelsOf(levelSizes(header)[overviewLevel(header)]!))) layers.push("overview");
    // The pixels of the image at full size that the levels cost as much as.
    if (fits(pixelsOf(header) / (this.lowestLevelOf(header) === 0 ? 1 : 4))) layers.push("pyramid");
    return layers;
  }

  useOf(read: ReadRequest, room: number): SidecarUse | undefined {
    if (!this.isStored(read)) return undefined;
    const [first, ...others] = this.layersWithin(read.header, room);
    if (!first) return undefined;
    if (this.isOverview(read)) return { layers: [first, ...others], way: "begin" };
    return others.includes("pyramid") ? { layers: ["pyramid"], way: "zoom" } : undefined;
  }

  /** Returns the peak bytes of a read from the file that passes on `rows` full-size rows at a time. */
  memoryAlone(read: ReadRequest, rows: number, fileSize: number): number {
    if (!this.isOverview(read)) return this.#memoryOfRegion(read, rows, fileSize);
    const { header } = read;
    const whole = { ...read, region: wholeRegionOf(header), scaleFactor: 2 ** overviewLevel(header) };
    return this.#memoryOfRegion(whole, header.height, fileSize) + overviewBytes(header);
  }

  /** Returns the peak bytes of a read from the sidecar; undefined if that does not have its pixels. */
  memoryWith(read: ReadRequest, rows = read.region.height): number | undefined {
    if (!this.isStored(read)) return undefined;
    const { header, region, scaleFactor } = read;
    const part = partOf({ ...region, height: rows }, Math.log2(scaleFactor));
    const codedRow = (part.width + 2 * tileSide) * tileSide;
    return (pixelsOf(part) + codedRow) * sampleBytes(header) + 4 * 2 ** 20;
  }

  /** Returns the peak bytes of a build. */
  memoryOfBuild(header: ImageHeader, fileSize: number, layer?: SidecarLayer): number {
    const rows = heldByBuild * header.width * sampleBytes(header);
    const held = layer === "overview" ? overviewBytes(header) : 0;
    return rows + held + this.#format.memory(header, drawnArea(header), fileSize) + 8 * 2 ** 20;
  }

  nsPerPixel(header: ImageHeader, layer?: SidecarLayer): number {
    return this.#format.nsPerPixel(header) + buildNs[layer === "overview" ? layer : "pyramid"];
  }

  nsWithout(read: ReadRequest): number {
    const decoded = this.isOverview(read) ? { ...read, region: wholeRegionOf(read.header) } : read;
    return this.#pixelsAlone(decoded) * this.#format.nsPerPixel(read.header);
  }

  /** Returns the pixels that a read without a sidecar decodes. */
  #pixelsAlone(read: Pick<ReadRequest, "header" | "region" | "page">): number {
    const area = drawnArea(read.header);
    // A frame is drawn over those before it.
    return "decodeRows" in this.#format
      ? this.#format.pixelsFor({ ...read, region: commonPart(area, read.region) })
      : pixelsOf(area) * read.page;
  }

  #memoryOfRegion({ header, region, scaleFactor }: ReadRequest, rows: number, fileSize: number): number {
    const level = Math.log2(scaleFactor);
    const drawn = drawnPartOf(header);
    const changed = drawn ? changedAreaOf(drawn.area, region, level) : region;
    const held = scaleFactor === 1 ? 0 : heldRows * (changed.width + 64);
    return (
      (pixelsOf(partOf({ ...region, height: rows }, level)) + held) * sampleBytes(header) +
      Math.max(
        this.#format.memory(header, commonPart(drawnArea(header), region), fileSize),
        drawn ? this.#memoryOfBlank(header, partOf(region, level), fileSize) : 0,
      ) +
      4 * 2 ** 20
    );
  }

  /**
   * Returns the bytes that a result counts as if all of the image were drawn on: a blank canvas is cheap to
   * read and not to encode, so that no more of it is allowed than of a full one.
   */
  #memoryOfBlank(header: ImageHeader, result: Size, fileSize: number): number {
    const { details, ...full } = header;
    return (pixelsOf(result) / pixelsOf(header)) * this.#format.memory(full, wholeRegionOf(header), fileSize);
  }
}
