// What viewers request first of an image: the thumbnail of its manifest, and tiles of its smallest levels.

import type { Size } from "../../../base/index.ts";
import {
  type ImageRequest,
  type SizeRequest,
  type SizeRules,
  scaleFactors,
  thumbnailBox,
  tilesOfLevel,
  tileWithin,
} from "../../../iiif/index.ts";

const usual = {
  version: 3,
  rotation: { mirror: false, degrees: 0 },
  quality: "default",
  format: "jpg",
} as const;

/**
 * Yields the requests for the thumbnail, and for the tiles of the `levels` smallest levels: the first of them
 * is the whole image in one tile. `image`: the upright size.
 */
export function* firstViews(image: Size, rules: SizeRules, levels: number): Generator<ImageRequest> {
  const isSmall = image.width <= thumbnailBox && image.height <= thumbnailBox;
  const size: SizeRequest = isSmall
    ? { kind: "max", upscale: false }
    : { kind: "confined", width: thumbnailBox, height: thumbnailBox, upscale: false };
  yield { ...usual, region: { kind: "full" }, size };
  const side = tileWithin(rules);
  if (side === undefined) return;
  const smallest = scaleFactors(image, side).slice().reverse().slice(0, levels);
  for (const scaleFactor of smallest)
    for (const { region, size } of tilesOfLevel(image, side, scaleFactor))
      yield {
        ...usual,
        region: { kind: "pixels", ...region },
        size: { kind: "exact", ...size, upscale: false },
      };
}
