// Levels of a pyramid: the image, and each half of it down to one tile.

import type { Size } from "../../../base/index.ts";
import { halving, sourceWindow } from "../../pipeline/kernel.ts";
import { tileSide } from "../../sidecar/tiles/tile-index.ts";
import type { Rectangle } from "../image-header.ts";

/**
 * Returns the sizes of all levels, the image first, each half of the one before, rounded up; the last fits
 * into a tile.
 */
export function levelSizes({ width, height }: Size, side: number = tileSide): readonly Size[] {
  const sizes: Size[] = [{ width, height }];
  for (let factor = 2; Math.max(sizes.at(-1)!.width, sizes.at(-1)!.height) > side; factor *= 2)
    sizes.push({ width: Math.ceil(width / factor), height: Math.ceil(height / factor) });
  return sizes;
}

/** Maximum pixels of the largest level of an overview. */
const maxOfOverview = 1 << 21;

/** Returns the number of the largest level of an overview: the first small one of those after the image. */
export function overviewLevel(size: Size): number {
  const sizes = levelSizes(size);
  const found = sizes.findIndex(({ width, height }, n) => n > 0 && width * height <= maxOfOverview);
  return found > 0 ? found : sizes.length - 1;
}

/** Returns the part of a level that a region of the image, in full-size pixels, covers at 1/2^level. */
export function partOf(region: Rectangle, level: number): Rectangle {
  const factor = 2 ** level;
  return {
    x: Math.floor(region.x / factor),
    y: Math.floor(region.y / factor),
    width: Math.ceil(region.width / factor),
    height: Math.ceil(region.height / factor),
  };
}

/** Returns the part of the level above, of size `above`, that a part of a level is made from. */
export function partAbove({ x, y, width, height }: Rectangle, above: Size): Rectangle {
  const across = sourceWindow(halving(x, x + width), above.width);
  const down = sourceWindow(halving(y, y + height), above.height);
  return {
    x: across.start,
    y: down.start,
    width: across.end - across.start,
    height: down.end - down.start,
  };
}
