// The plan of a derivative requested by region and size, without the grammar and the policies of a server.

import { ImagingError, type Size } from "../../base/index.ts";
import type { Rectangle } from "../codecs/image-header.ts";
import type { RenderPlan } from "../codecs/plan.ts";
import { uprightSize } from "../render/sampling.ts";
import type { PlanInput } from "./input.ts";
import { planRender } from "./plan.ts";

/** Request for a derivative of a master. Coordinates are those of the upright image. */
export interface DerivativeRequest {
  /** Name in the table of formats. */
  readonly format: string;
  /** Region in full-size pixels; the whole image by default. */
  readonly region?: Rectangle;
  /**
   * Size in pixels. If only one of the two is set, the other keeps the aspect ratio; without both, the region
   * keeps its size.
   */
  readonly width?: number;
  readonly height?: number;
  /** Quality from 1 to 100 for JPEG, WebP, AVIF and JPEG XL; 85 by default. */
  readonly quality?: number;
  /**
   * Colour that replaces transparency in a format without it: red, green, blue, 0 to 255. White by default.
   */
  readonly background?: readonly [number, number, number];
}

/**
 * Plans a derivative: 8 bits per sample, sRGB or gray, upright, resampled with Lanczos-3. Throws ImagingError
 * `bad-request` for a region outside of the image and for sizes and qualities out of range, `too-large` for a
 * size that the format cannot hold.
 */
export function planDerivative(
  master: Pick<PlanInput, "header" | "page" | "fileSize" | "decoder" | "encoder">,
  { format, quality = 85, background = [255, 255, 255], ...asked }: DerivativeRequest,
): RenderPlan {
  const upright = uprightSize(master.header);
  const region = checkedRegion(asked.region, upright);
  checkQuality(quality);
  return planRender({
    ...master,
    // Derivatives of the library state no resolution.
    header: { ...master.header, resolution: undefined },
    request: { format, quality: "default", rotation: { mirror: false, degrees: 0 } },
    geometry: { region, size: checkedSize(asked, region, master.encoder.maxSide) },
    policy: {
      jpegQuality: quality,
      webpQuality: quality,
      avifQuality: quality,
      progressive: false,
      chroma: "420",
      encoder: "fast",
      passthrough: "auto",
      depth: "8",
      background,
      linear: false,
      metadata: "strip",
      color: "srgb",
    },
  });
}

function checkedRegion(region: Rectangle | undefined, { width, height }: Size): Rectangle {
  if (!region) return { x: 0, y: 0, width, height };
  const values = [region.x, region.y, region.width, region.height];
  const isInside =
    values.every(Number.isInteger) &&
    Math.min(region.x, region.y) >= 0 &&
    Math.min(region.width, region.height) >= 1 &&
    region.x + region.width <= width &&
    region.y + region.height <= height;
  if (isInside) return region;
  throw new ImagingError(
    "bad-request",
    `Expected a region of whole pixels inside of ${width} by ${height}; received x, y, width, height ${values.join(", ")}.`,
  );
}

function checkedSize(
  { width, height }: Pick<DerivativeRequest, "width" | "height">,
  region: Size,
  maxSide: number,
): Size {
  const size = {
    width: width ?? (height === undefined ? region.width : scaleLength(region.width, height / region.height)),
    height:
      height ?? (width === undefined ? region.height : scaleLength(region.height, width / region.width)),
  };
  const sides = [size.width, size.height];
  if (!sides.every((side) => Number.isInteger(side) && side >= 1))
    throw new ImagingError("bad-request", `Expected a size in whole pixels; received ${sides.join(" by ")}.`);
  if (Math.max(...sides) > maxSide)
    throw new ImagingError(
      "too-large",
      `Expected at most ${maxSide} pixels a side, which is what the format can hold; received ${sides.join(" by ")}.`,
    );
  return size;
}

const scaleLength = (length: number, by: number) => Math.max(1, Math.round(length * by));

function checkQuality(quality: number): void {
  if (!Number.isInteger(quality) || quality < 1 || quality > 100)
    throw new ImagingError("bad-request", `Expected a quality from 1 to 100; received ${quality}.`);
}
