// The shape of a request: what it asks for, no matter who sends it. Viewers ask for tiles, and never again
// for one that is refused.

import type { Size } from "../../base/index.ts";
import type { Geometry } from "../../iiif/index.ts";

/**
 * `document`: image information, a manifest, a search. `tile`: at most a megapixel of a grid or of the whole
 * image. `big`: any other image, or a whole download. `part`: a range of a download, of which viewers of PDF
 * files ask for many.
 */
export type Shape = "document" | "tile" | "big" | "part";

/** Pixels of a tile, at most: of 1,024 each way. */
const maxTileArea = 2 ** 20;

/** Returns the shape of a request for an image, of which `image` is the upright size. */
export function shapeOf({ region, size, scaleFactor }: Geometry, image: Size): "tile" | "big" {
  if (size.width * size.height > maxTileArea) return "big";
  const isWhole = region.width === image.width && region.height === image.height;
  return isWhole || scaleFactor !== undefined ? "tile" : "big";
}
