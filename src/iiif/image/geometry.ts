// Region, size and scale of an image request in exact integers (Image API 3.0 sections 4.1, 4.2 and 5.4; 2.1
// alike).

import { ServiceError, type Size } from "../../base/index.ts";
import type { Decimal, ImageRequest, RegionRequest, SizeRequest } from "./request.ts";
import { sizeOf, wouldUpscale } from "./resolve-size.ts";
import {
  effectiveLimits,
  noLimits,
  overlap,
  type Region,
  refuseOverLimits,
  roundedRatio,
  type SizeRules,
  sizeText,
} from "./size.ts";
import { scaleFactorOf, tileWithin } from "./tiles.ts";

/** Region to read and size of the derivative, with the rules that they were resolved with. */
export interface Geometry extends SizeRules {
  /** Cropped at the image's edges. */
  readonly region: Region;
  /** Before rotation. */
  readonly size: Size;
  /** A power of two if the scale is exactly that on both axes, on a grid from the image's origin. */
  readonly scaleFactor?: number;
  /** What the derivative is made of if access limits the detail; then `scaleFactor` is absent. */
  readonly detail?: Detail;
}

/** The pixels of one rendering of the whole image, from which alone a derivative is made. */
export interface Detail {
  /** Size of the whole image at that scale. */
  readonly grid: Size;
  /** The part of it that the derivative shows: whole pixels, at least as many as the derivative has. */
  readonly cells: Region;
}

/**
 * Returns the geometry of a request on an upright image of at least 1 x 1 pixel. Throws ServiceError
 * `bad-request` with codes `region_outside_image`, `upscaling_needs_caret` and `version_2_does_not_upscale`,
 * and `too-large` with code `output_too_large`.
 */
export function resolve(request: ImageRequest, image: Size, given: SizeRules): Geometry {
  const limits = effectiveLimits(given.limits);
  const rules = { limits, tileSize: tileWithin(given) ?? given.tileSize };
  const region = resolveRegion(request.region, image);
  const { size: wanted } = request;
  if (!wanted.upscale && wouldUpscale(wanted, region)) throw upscaling(request, region);
  const size = sizeOf(wanted, region, image, rules);
  refuseOverLimits(size, limits);
  const scaleFactor = scaleFactorOf(region, size, image, rules.tileSize);
  return { region, size, ...(scaleFactor === undefined ? {} : { scaleFactor }), ...rules };
}

/**
 * Returns a geometry that shows only pixels of the whole image at the size `max`, its cells. The region
 * grows to whole cells, and the derivative has at most as many pixels as it has cells. All derivatives of one
 * image use the same cells: derivatives at positions and sizes that differ by fractions of a cell would
 * together show more detail than each of them.
 */
export function withDetailOf(asked: Geometry, max: SizeRequest, image: Size): Geometry {
  const { limits, tileSize } = asked;
  const whole = { x: 0, y: 0, ...image };
  const large = sizeOf({ ...max, upscale: true }, whole, image, { limits: noLimits, tileSize });
  const grid = max.upscale ? large : overlap(large, image);
  const across = wholeCells(asked.region.x, asked.region.width, image.width, grid.width);
  const down = wholeCells(asked.region.y, asked.region.height, image.height, grid.height);
  const region = { x: across.start, y: down.start, width: across.extent, height: down.extent };
  const cells = { x: across.first, y: down.first, width: across.count, height: down.count };
  return { region, size: overlap(asked.size, cells), limits, tileSize, detail: { grid, cells } };
}

interface CellSpan {
  readonly first: number;
  readonly count: number;
  /** First of the image's whole pixels under these cells. */
  readonly start: number;
  readonly extent: number;
}

/** Returns the cells that a span of the image touches, if `cells` equal cells divide its whole side. */
function wholeCells(start: number, extent: number, side: number, cells: number): CellSpan {
  const [length, count] = [BigInt(side), BigInt(cells)];
  const first = (BigInt(start) * count) / length;
  const end = (BigInt(start + extent) * count + length - 1n) / length;
  const from = (first * length) / count;
  const to = (end * length + count - 1n) / count;
  return {
    first: Number(first),
    count: Number(end - first),
    start: Number(from),
    extent: Number(to - from),
  };
}

function resolveRegion(request: RegionRequest, image: Size): Region {
  switch (request.kind) {
    case "full":
      return { x: 0, y: 0, width: image.width, height: image.height };
    case "square": {
      const side = Math.min(image.width, image.height);
      const x = Math.floor((image.width - side) / 2);
      return { x, y: Math.floor((image.height - side) / 2), width: side, height: side };
    }
    case "pixels": {
      const { x, y } = request;
      if (x >= image.width || y >= image.height) throw outside(image);
      const width = Math.min(request.width, image.width - x);
      return { x, y, width, height: Math.min(request.height, image.height - y) };
    }
    case "percent": {
      const [x, width] = percentSpan(request.x, request.width, image.width, image);
      const [y, height] = percentSpan(request.y, request.height, image.height, image);
      return { x, y, width, height };
    }
  }
}

/** Both ends are rounded, so that adjoining percentages meet in pixels; at least one pixel. */
function percentSpan(start: Decimal, extent: Decimal, whole: number, image: Size): readonly [number, number] {
  const scale = start.scale * extent.scale;
  const from = start.digits * extent.scale;
  if (from >= 100n * scale) throw outside(image);
  const to = from + extent.digits * start.scale;
  const offsetAt = (n: bigint, max: number) => Math.min(roundedRatio(n * BigInt(whole), 100n * scale), max);
  const first = offsetAt(from, whole - 1);
  return [first, Math.max(offsetAt(to, whole) - first, 1)];
}

function outside(image: Size): ServiceError {
  return new ServiceError(
    "bad-request",
    `Expected a region that begins inside the image of ${sizeText(image)}; received one outside it. Ask for a smaller x or y.`,
    { code: "region_outside_image" },
  );
}

function upscaling({ version }: ImageRequest, region: Size): ServiceError {
  const found = `Expected a size of at most the region's ${sizeText(region)}; received a larger one.`;
  return version === 2
    ? new ServiceError(
        "bad-request",
        `${found} Version 2 of this service does not upscale: ask for a smaller size, or under version 3 with ^.`,
        { code: "version_2_does_not_upscale" },
      )
    : new ServiceError(
        "bad-request",
        `${found} Ask for a smaller size, or put ^ before the size to upscale.`,
        {
          code: "upscaling_needs_caret",
        },
      );
}
