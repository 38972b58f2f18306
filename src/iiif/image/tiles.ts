// Tiles and scale factors (Image API 3.0 section 5.4).

import type { Size } from "../../base/index.ts";
import { effectiveLimits, type Region, type SizeRules, withinLimits } from "./size.ts";

/**
 * Returns the side of the square tile that the limits allow: the preferred one, else the largest power of two
 * that fits, at least 16.
 */
export function tileWithin({ tileSize, limits: given }: SizeRules): number | undefined {
  const limits = effectiveLimits(given);
  const fits = (side: number) => withinLimits({ width: side, height: side }, limits);
  if (fits(tileSize)) return tileSize;
  let side = 2 ** Math.floor(Math.log2(tileSize));
  while (side >= 16 && !fits(side)) side /= 2;
  return side >= 16 ? side : undefined;
}

/**
 * Returns the advertised scale factors: powers of two from 1 up to the first level that is not larger than
 * one tile.
 */
export function scaleFactors(image: Size, tileSize: number): readonly number[] {
  const factors = [1];
  for (let s = 1; image.width > tileSize * s || image.height > tileSize * s; s *= 2) factors.push(s * 2);
  return factors;
}

/**
 * Returns the scale factor at which a region, read on its grid, has this size; undefined if no power of two
 * does.
 */
export function scaleFactorOf(region: Region, size: Size, image: Size, tileSize: number): number | undefined {
  return tileScale(
    region,
    image,
    tileSize,
    (s) => Math.ceil(region.width / s) === size.width && Math.ceil(region.height / s) === size.height,
  );
}

/**
 * Returns the smallest power of two that `matches` and whose grid the region is on: first as a tile of the
 * advertised side, then as a tile of any side.
 */
export function tileScale(
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

/** A tile of a level: the region that it shows and its size. */
export interface Tile {
  readonly region: Region;
  readonly size: Size;
}

/**
 * Yields the tiles of a level, row by row. Those at the right and bottom edges are smaller (Image API 3.0,
 * implementation notes, section "Image tiles").
 */
export function* tilesOfLevel(image: Size, tileSize: number, scaleFactor: number): Generator<Tile> {
  const step = tileSize * scaleFactor;
  for (let y = 0; y < image.height; y += step)
    for (let x = 0; x < image.width; x += step) {
      const width = Math.min(step, image.width - x);
      const height = Math.min(step, image.height - y);
      const size = { width: Math.ceil(width / scaleFactor), height: Math.ceil(height / scaleFactor) };
      yield { region: { x, y, width, height }, size };
    }
}
