// Size of a derivative before rotation (Image API 3.0 section 4.2; 2.1 alike).

import type { Size } from "../../base/index.ts";
import type { SizeRequest } from "./request.ts";
import { bounds, type Limits, overlap, type Region, roundedRatio, type SizeRules } from "./size.ts";
import { scaleFactors, tileScale } from "./tiles.ts";

/**
 * Returns the size of a request for a region of the image, at least 1 x 1. `max` and `confined` stay within
 * the limits; the caller checks the others.
 */
export function sizeOf(
  size: SizeRequest,
  region: Region,
  image: Size,
  { limits, tileSize }: SizeRules,
): Size {
  switch (size.kind) {
    case "max":
      return largestSize(region, limits, size.upscale);
    case "width":
    case "height":
      return sizeFromOneSide(size, region, image, tileSize);
    case "percent": {
      const scaleLength = (length: number) =>
        Math.max(1, roundedRatio(BigInt(length) * size.percent.digits, 100n * size.percent.scale));
      return { width: scaleLength(region.width), height: scaleLength(region.height) };
    }
    case "exact":
      return { width: size.width, height: size.height };
    case "confined": {
      const box = size.upscale ? size : overlap(size, region);
      return fitWithin(region, { ...overlap(box, bounds(limits)), area: limits.maxArea });
    }
  }
}

/**
 * Returns the size of `max` (never above the region) or, with `upscale`, of `^max`: as large as the limits
 * allow.
 */
export function largestSize(region: Size, limits: Limits, upscale: boolean): Size {
  const unlimited = limits.maxWidth === 0 && limits.maxHeight === 0 && limits.maxArea === 0;
  const box = upscale && !unlimited ? bounds(limits) : overlap(region, bounds(limits));
  return fitWithin(region, { ...box, area: limits.maxArea });
}

/**
 * Returns the size for a width or height alone. The other side keeps the aspect ratio, rounded half up,
 * except for tile requests, for which it is the region's share of the level, rounded up as for every tile.
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
    // No client requests tiles of coarser levels, and on a narrow region rounding up would distort the aspect
    // ratio.
    const bend = BigInt(Math.ceil(other / s)) * BigInt(side) - BigInt(given) * BigInt(other);
    return bend < BigInt(side) && bend > -BigInt(side);
  });
}

/**
 * `!w,h` counts as upscaling only if its box is larger than the region both ways; other sizes, if either side
 * is larger.
 */
export function wouldUpscale(size: SizeRequest, region: Size): boolean {
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

/**
 * Returns the largest size of the region's aspect ratio within the bounds: it touches one of them, and is at
 * least 1 x 1.
 */
function fitWithin(region: Size, { width: boxWidth, height: boxHeight, area }: Bounds): Size {
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

function clamp(n: number, least: number, max: number): number {
  return Math.max(least, Math.min(n, max));
}

/** Returns the largest integer whose square is at most n. */
function floorRoot(n: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(n))));
  while (root * root > n) root--;
  while ((root + 1n) * (root + 1n) <= n) root++;
  return root;
}
