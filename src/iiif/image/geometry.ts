// Region, size and scale of an image request in exact integers (Image API 3.0 sections 4.1, 4.2 and 5.4; 2.1 alike).

import { ServiceError } from "../../errors.ts";
import type { Decimal, ImageRequest, RegionRequest, SizeRequest } from "./request.ts";

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels of the upright, full-size image. */
export interface Region extends Size {
  readonly x: number;
  readonly y: number;
}

/** The largest answers in pixels; 0 is no limit. */
export interface Limits {
  readonly maxWidth: number;
  readonly maxHeight: number;
  readonly maxArea: number;
}

/** What to read and how large to make it, with the limits and tile side that it was resolved for. */
export interface Geometry {
  /** Cropped at the image's edges. */
  readonly region: Region;
  /** Before rotation. */
  readonly size: Size;
  /** A power of two where the scale is exactly that on both axes, on a grid from the image's origin. */
  readonly scaleFactor?: number;
  readonly limits: Limits;
  readonly tileSize: number;
  /** What the answer is made of where access limits the detail; then `scaleFactor` is absent. */
  readonly detail?: Detail;
}

/** The pixels of one rendering of the whole image that an answer is made of, and of nothing else. */
export interface Detail {
  /** Size of that rendering. */
  readonly grid: Size;
  /** The part of it that the answer shows: whole pixels, as many as the answer has or more. */
  readonly cells: Region;
}

/**
 * The geometry of a request on an upright image of at least 1 x 1 pixel. Throws ServiceError `bad-request` with
 * codes `region_outside_image`, `upscaling_needs_caret` and `version_2_does_not_upscale`, and `too-large` with
 * code `output_too_large`.
 */
export function resolve(request: ImageRequest, image: Size, given: Limits, tile: number): Geometry {
  const limits = effectiveLimits(given);
  const tileSize = tileWithin(tile, limits) ?? tile;
  const region = resolveRegion(request.region, image);
  const { size: wanted } = request;
  if (!wanted.upscale && wouldUpscale(wanted, region)) throw upscaling(request, region);
  const size = sizeOf(wanted, region, image, limits, tileSize);
  refuseOverLimits(size, limits);
  const scaleFactor = scaleFactorOf(region, size, image, tileSize);
  return { region, size, ...(scaleFactor === undefined ? {} : { scaleFactor }), limits, tileSize };
}

/**
 * A geometry that shows pixels of the whole image at the size `most`, its cells, and nothing else. The region grows to whole
 * cells, and the answer has at most as many pixels as it has cells. Every answer of one image counts on the same cells:
 * answers at places and sizes that differ by fractions of a cell would together show more detail than each of them.
 */
export function withDetailOf(asked: Geometry, most: SizeRequest, image: Size): Geometry {
  const { limits, tileSize } = asked;
  const whole = { x: 0, y: 0, ...image };
  const large = sizeOf({ ...most, upscale: true }, whole, image, noLimits, tileSize);
  const grid = most.upscale ? large : overlap(large, image);
  const across = wholeCells(asked.region.x, asked.region.width, image.width, grid.width);
  const down = wholeCells(asked.region.y, asked.region.height, image.height, grid.height);
  const region = { x: across.start, y: down.start, width: across.extent, height: down.extent };
  const cells = { x: across.first, y: down.first, width: across.count, height: down.count };
  return { region, size: overlap(asked.size, cells), limits, tileSize, detail: { grid, cells } };
}

const noLimits: Limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };

interface CellSpan {
  readonly first: number;
  readonly count: number;
  /** The whole pixels of the image that these cells lie on. */
  readonly start: number;
  readonly extent: number;
}

/** The cells that a span of the image touches, where `cells` of the same size lie on its whole side. */
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

/** The limits that hold: a width alone limits the height as well (Image API 3.0 section 5.2). */
export function effectiveLimits(limits: Limits): Limits {
  return limits.maxWidth > 0 && limits.maxHeight === 0 ? { ...limits, maxHeight: limits.maxWidth } : limits;
}

/** The side of the square tile that the limits allow: the wanted one, else the largest power of two that fits, at least 16. */
export function tileWithin(tileSize: number, given: Limits): number | undefined {
  const limits = effectiveLimits(given);
  const fits = (side: number) => withinLimits({ width: side, height: side }, limits);
  if (fits(tileSize)) return tileSize;
  let side = 2 ** Math.floor(Math.log2(tileSize));
  while (side >= 16 && !fits(side)) side /= 2;
  return side >= 16 ? side : undefined;
}

/** The scale factors to advertise: powers of two from 1 on, while the level before is larger than one tile. */
export function scaleFactors(image: Size, tileSize: number): readonly number[] {
  const factors = [1];
  for (let s = 1; image.width > tileSize * s || image.height > tileSize * s; s *= 2) factors.push(s * 2);
  return factors;
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

/** Both ends are rounded, so that spans that meet in percent meet in pixels; at least one pixel. */
function percentSpan(start: Decimal, extent: Decimal, whole: number, image: Size): readonly [number, number] {
  const scale = start.scale * extent.scale;
  const from = start.digits * extent.scale;
  if (from >= 100n * scale) throw outside(image);
  const to = from + extent.digits * start.scale;
  const at = (n: bigint, most: number) => Math.min(roundedRatio(n * BigInt(whole), 100n * scale), most);
  const first = at(from, whole - 1);
  return [first, Math.max(at(to, whole) - first, 1)];
}

function sizeOf(size: SizeRequest, region: Region, image: Size, limits: Limits, tileSize: number): Size {
  switch (size.kind) {
    case "max":
      return largestSize(region, limits, size.upscale);
    case "width":
    case "height":
      return sizeFromOneSide(size, region, image, tileSize);
    case "percent": {
      const of = (length: number) =>
        Math.max(1, roundedRatio(BigInt(length) * size.percent.digits, 100n * size.percent.scale));
      return { width: of(region.width), height: of(region.height) };
    }
    case "exact":
      return { width: size.width, height: size.height };
    case "confined": {
      const box = size.upscale ? size : overlap(size, region);
      return fitted(region, { ...overlap(box, bounds(limits)), area: limits.maxArea });
    }
  }
}

/** The size of `max` (never above the region) or, with `upscale`, of `^max`: as large as the limits allow. */
export function largestSize(region: Size, limits: Limits, upscale: boolean): Size {
  const unlimited = limits.maxWidth === 0 && limits.maxHeight === 0 && limits.maxArea === 0;
  const box = upscale && !unlimited ? bounds(limits) : overlap(region, bounds(limits));
  return fitted(region, { ...box, area: limits.maxArea });
}

/**
 * The size that a width or height alone gives. The other side keeps the aspect ratio, rounded half up, except for
 * tile requests, where it is the region's share of the level, rounded up as for every tile.
 */
export function sizeFromOneSide(
  size:
    | { readonly kind: "width"; readonly width: number }
    | { readonly kind: "height"; readonly height: number },
  region: Region,
  image: Size,
  tileSize: number,
): Size {
  const wide = size.kind === "width";
  const given = wide ? size.width : size.height;
  const side = wide ? region.width : region.height;
  const other = wide ? region.height : region.width;
  const scale = oneSideScale(size, region, image, tileSize);
  const free =
    scale === undefined
      ? Math.max(1, roundedRatio(BigInt(given) * BigInt(other), BigInt(side)))
      : Math.ceil(other / scale);
  return wide ? { width: given, height: free } : { width: free, height: given };
}

function oneSideScale(
  size: { readonly width: number } | { readonly height: number },
  region: Region,
  image: Size,
  tileSize: number,
): number | undefined {
  const [given, side, other] =
    "width" in size ? [size.width, region.width, region.height] : [size.height, region.height, region.width];
  const whole = region.width === image.width && region.height === image.height;
  if (whole && given === side) return 1;
  const coarsest = scaleFactors(image, tileSize).at(-1) ?? 1;
  return tileScale(region, image, tileSize, (s) => {
    if (Math.ceil(side / s) !== given) return false;
    if (s <= coarsest) return true;
    // No client asks for tiles of coarser levels, and on a narrow region rounding up would bend the aspect ratio.
    const bend = BigInt(Math.ceil(other / s)) * BigInt(side) - BigInt(given) * BigInt(other);
    return bend < BigInt(side) && bend > -BigInt(side);
  });
}

function scaleFactorOf(region: Region, size: Size, image: Size, tileSize: number): number | undefined {
  return tileScale(
    region,
    image,
    tileSize,
    (s) => Math.ceil(region.width / s) === size.width && Math.ceil(region.height / s) === size.height,
  );
}

/**
 * The smallest power of two that `matches` and on whose grid the region lies: first as a tile of the advertised
 * side, then as a tile of any side.
 */
function tileScale(
  region: Region,
  image: Size,
  tileSize: number,
  matches: (s: number) => boolean,
): number | undefined {
  const grids = [
    (s: number) => isTile(region.x, region.width, image.width, tileSize * s),
    (s: number) => isTile(region.y, region.height, image.height, tileSize * s),
    (s: number) => isOnGrid(region.x, region.width, image.width, s),
    (s: number) => isOnGrid(region.y, region.height, image.height, s),
  ] as const;
  const end = 2 * Math.max(region.width, region.height);
  for (let s = 1; s < end; s *= 2) if (matches(s) && grids[0](s) && grids[1](s)) return s;
  for (let s = 1; s < end; s *= 2) if (matches(s) && grids[2](s) && grids[3](s)) return s;
  return undefined;
}

function isTile(start: number, extent: number, whole: number, tile: number): boolean {
  return start % tile === 0 && extent === Math.min(tile, whole - start);
}

function isOnGrid(start: number, extent: number, whole: number, s: number): boolean {
  return start % s === 0 && (extent % s === 0 || start + extent === whole);
}

/** `!w,h` counts as upscaling only where its box is larger than the region both ways; given sizes, where either is. */
function wouldUpscale(size: SizeRequest, region: Size): boolean {
  switch (size.kind) {
    case "max":
      return false;
    case "width":
      return size.width > region.width;
    case "height":
      return size.height > region.height;
    case "percent":
      return size.percent.digits > 100n * size.percent.scale;
    case "exact":
      return size.width > region.width || size.height > region.height;
    case "confined":
      return size.width > region.width && size.height > region.height;
  }
}

interface Bounds extends Size {
  /** 0: no limit. */
  readonly area: number;
}

/** The largest size of the region's aspect ratio within the bounds: it touches one of them, and is at least 1 x 1. */
function fitted(region: Size, { width: boxWidth, height: boxHeight, area }: Bounds): Size {
  const [rw, rh] = [BigInt(region.width), BigInt(region.height)];
  const byWidth = BigInt(boxWidth) * rh <= BigInt(boxHeight) * rw;
  const width = byWidth ? boxWidth : Math.max(1, roundedRatio(BigInt(boxHeight) * rw, rh));
  const height = byWidth ? Math.max(1, roundedRatio(BigInt(boxWidth) * rh, rw)) : boxHeight;
  if (area === 0 || BigInt(width) * BigInt(height) <= BigInt(area)) return { width, height };
  const wide = rw >= rh;
  const [long, short] = wide ? [rw, rh] : [rh, rw];
  const longSide = clamp(Number(floorRoot((BigInt(area) * long) / short)), 1, area);
  const shortSide = clamp(roundedRatio(BigInt(longSide) * short, long), 1, Math.floor(area / longSide));
  return overlap(
    { width, height },
    wide ? { width: longSide, height: shortSide } : { width: shortSide, height: longSide },
  );
}

function bounds(limits: Limits): Size {
  return {
    width: limits.maxWidth || Number.MAX_SAFE_INTEGER,
    height: limits.maxHeight || Number.MAX_SAFE_INTEGER,
  };
}

function overlap(a: Size, b: Size): Size {
  return { width: Math.min(a.width, b.width), height: Math.min(a.height, b.height) };
}

function withinLimits(size: Size, { maxWidth, maxHeight, maxArea }: Limits): boolean {
  return (
    (maxWidth === 0 || size.width <= maxWidth) &&
    (maxHeight === 0 || size.height <= maxHeight) &&
    (maxArea === 0 || BigInt(size.width) * BigInt(size.height) <= BigInt(maxArea))
  );
}

function clamp(n: number, least: number, most: number): number {
  return Math.max(least, Math.min(n, most));
}

/** n / d rounded half up, at most the largest safe integer. */
function roundedRatio(n: bigint, d: bigint): number {
  return Math.min(Number((2n * n + d) / (2n * d)), Number.MAX_SAFE_INTEGER);
}

/** The largest integer whose square is at most n. */
function floorRoot(n: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(n))));
  while (root * root > n) root--;
  while ((root + 1n) * (root + 1n) <= n) root++;
  return root;
}

function refuseOverLimits(size: Size, limits: Limits): void {
  if (withinLimits(size, limits)) return;
  const parts = [
    limits.maxWidth > 0 ? `${limits.maxWidth} pixels wide` : "",
    limits.maxHeight > 0 ? `${limits.maxHeight} pixels high` : "",
    limits.maxArea > 0 ? `${limits.maxArea} pixels in area` : "",
  ].filter((part) => part !== "");
  throw new ServiceError(
    "too-large",
    `Expected an answer of at most ${parts.join(", ")}; received a request for ${text(size)}. Ask for a smaller size, or for max.`,
    { code: "output_too_large" },
  );
}

function outside(image: Size): ServiceError {
  return new ServiceError(
    "bad-request",
    `Expected a region that begins inside the image of ${text(image)}; received one outside it. Ask for a smaller x or y.`,
    { code: "region_outside_image" },
  );
}

function upscaling({ version }: ImageRequest, region: Size): ServiceError {
  const found = `Expected a size of at most the region's ${text(region)}; received a larger one.`;
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

function text(size: Size): string {
  return `${size.width} x ${size.height} pixels`;
}
