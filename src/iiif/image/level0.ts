// Static images of compliance level 0 (Image API 3.0, section 5.2 and 6; 2.1 alike): the files that a web
// server needs for the requests of viewers, and the image information that names them.

import type { Size } from "../../base/index.ts";
import { contextUri, protocolUri } from "./info.ts";
import type { ImageRequest } from "./request.ts";
import { largestSize } from "./resolve-size.ts";
import { effectiveLimits, type Limits, type SizeRules } from "./size.ts";
import { scaleFactors, tilesOfLevel, tileWithin } from "./tiles.ts";

/** One derivative of a static image, and its files. */
export interface StaticFile {
  readonly request: ImageRequest;
  /** Paths below the address of the image; all of them have the same contents. */
  readonly paths: readonly string[];
}

const usual = { rotation: { mirror: false, degrees: 0 }, quality: "default", format: "jpg" } as const;
const rest = "0/default.jpg";

/** Profiles of level 0, per version. */
export const level0Profile = { 2: "http://iiif.io/api/image/2/level0.json", 3: "level0" } as const;

/**
 * Returns the sizes of the whole image that are advertised, the smallest first: one for each scale factor.
 * Viewers take them for the exact sizes of the levels if there are as many, so no other size is among them.
 */
export function levelSizes(image: Size, rules: SizeRules): readonly Size[] {
  const side = tileWithin(rules) ?? rules.tileSize;
  const { width, height } = largestSize(image, effectiveLimits(rules.limits), false);
  return scaleFactors(image, side)
    .map((factor) => ({ width: Math.ceil(image.width / factor), height: Math.ceil(image.height / factor) }))
    .filter((size) => size.width <= width && size.height <= height)
    .reverse();
}

/**
 * Yields the derivatives of a static image: the largest, each size of {@link levelSizes}, each of `more`, and
 * the tiles of all scale factors. Files have the canonical names, which viewers request; for the whole image
 * also other usual spellings.
 */
export function* level0Files(
  version: 2 | 3,
  image: Size,
  rules: SizeRules,
  more: readonly Size[] = [],
): Generator<StaticFile> {
  const common = { ...usual, version };
  const full = { kind: "full" } as const;
  const largest = largestSize(image, effectiveLimits(rules.limits), false);
  const names = version === 2 ? ["full", "max"] : ["max"];
  yield {
    request: { ...common, region: full, size: { kind: "max", upscale: false } },
    paths: [...names, ...spellings(version, largest)].map((size) => `full/${size}/${rest}`),
  };
  const sizes = new Map([...levelSizes(image, rules), ...more].map((size) => [sizeName(size), size]));
  sizes.delete(sizeName(largest));
  for (const size of sizes.values())
    yield {
      request: { ...common, region: full, size: { kind: "exact", ...size, upscale: false } },
      paths: spellings(version, size).map((name) => `full/${name}/${rest}`),
    };
  const side = tileWithin(rules);
  if (side === undefined) return;
  for (const factor of scaleFactors(image, side))
    for (const { region, size } of tilesOfLevel(image, side, factor)) {
      // The whole image is one of the sizes.
      if (region.width === image.width && region.height === image.height) continue;
      const { x, y, width, height } = region;
      yield {
        request: {
          ...common,
          region: { kind: "pixels", ...region },
          size: { kind: "exact", ...size, upscale: false },
        },
        paths: [`${x},${y},${width},${height}/${spellings(version, size)[0]}/${rest}`],
      };
    }
}

const sizeName = ({ width, height }: Size) => `${width},${height}`;

/** Returns the usual spellings of a size, the canonical one first. */
const spellings = (version: 2 | 3, size: Size): readonly string[] =>
  version === 2 ? [`${size.width},`, sizeName(size)] : [sizeName(size)];

/**
 * Returns the image information of a static image. `id`: its absolute URI without a trailing /. `rules`: as
 * for {@link level0Files}.
 */
export function level0Information(
  version: 2 | 3,
  id: string,
  image: Size,
  rules: SizeRules,
): Record<string, unknown> {
  const limits = limitFields(rules.limits);
  const side = tileWithin(rules);
  const { width, height } = image;
  const described = {
    width,
    height,
    sizes: levelSizes(image, rules).map((size) => ({ width: size.width, height: size.height })),
    ...(side !== undefined && { tiles: [{ width: side, scaleFactors: scaleFactors(image, side) }] }),
  };
  const hasLimits = Object.keys(limits).length > 0;
  return version === 2
    ? {
        "@context": contextUri[2],
        "@id": id,
        "@type": "iiif:Image",
        protocol: protocolUri,
        profile: hasLimits ? [level0Profile[2], limits] : [level0Profile[2]],
        ...described,
      }
    : {
        "@context": contextUri[3],
        id,
        type: "ImageService3",
        protocol: protocolUri,
        profile: level0Profile[3],
        ...limits,
        ...described,
      };
}

const limitFields = (limits: Limits): Record<string, number> =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit > 0));
