// The plan of a derivative requested by region and size, without the grammar and the policies of a server.

import { ImagingError } from "../../base/index.ts";
import type { Decoder } from "../codecs/codec.ts";
import type { Writing } from "../codecs/format.ts";
import type { ImageHeader, Rectangle } from "../codecs/image-header.ts";
import type { ReadRequest, RenderPlan } from "../codecs/plan.ts";
import { orientationOf } from "../pipeline/orientation.ts";
import { hasAlpha } from "../pipeline/pixels.ts";
import { shapeAfter } from "../pipeline/shape.ts";
import type { Step } from "../pipeline/step.ts";
import { bilevelOf } from "./bilevel.ts";
import {
  axisAt,
  chooseScale,
  colourSteps,
  isIdentity,
  resamplingSteps,
  type Size,
  storedRegion,
  uprightingSteps,
  uprightSize,
  windowOf,
} from "./sampling.ts";

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
  /** Quality from 1 to 100 for JPEG and WebP; 85 by default. */
  readonly quality?: number;
  /**
   * Colour that replaces transparency in a format without it: red, green, blue, 0 to 255. White by default.
   */
  readonly background?: readonly [number, number, number];
}

/** The master for which a plan is made. */
export interface PlannedMaster {
  readonly header: ImageHeader;
  /** Page number, from 1. */
  readonly page: number;
  /** Length in bytes. */
  readonly fileSize: number;
  readonly decoder: Pick<Decoder, "scales" | "memory">;
}

/**
 * Plans a derivative: 8 bits per sample, sRGB or gray, upright, resampled with Lanczos-3. Throws ImagingError
 * `bad-request` for a region outside of the image and for sizes and qualities out of range, `too-large` for a
 * size that the format cannot hold.
 */
export function planDerivative(
  { header, page, fileSize, decoder }: PlannedMaster,
  request: DerivativeRequest,
  writing: Writing,
): RenderPlan {
  const upright = uprightSize(header);
  const region = checkedRegion(request.region, upright);
  const size = checkedSize(request, region, writing.maxSide);
  const step = { x: region.width / size.width, y: region.height / size.height };
  const halvesColour = writing.halvesChroma;
  const reductions = decoder.scales?.of(header, halvesColour) ?? [];
  const { flipX, flipY } = orientationOf(header.orientation);
  const axesAt = (factor: number) => ({
    x: axisAt({ start: region.x, size: size.width }, step.x, factor, upright.width, flipX),
    y: axisAt({ start: region.y, size: size.height }, step.y, factor, upright.height, flipY),
  });
  const isExact = (factor: number) => Object.values(axesAt(factor)).every(isIdentity);
  const scaleFactor =
    reductions.find(({ factor, quality }) => quality === "exact" && isExact(factor))?.factor ??
    chooseScale(reductions, header, Math.min(step.x, step.y), false);
  const level: Size = {
    width: Math.ceil(upright.width / scaleFactor),
    height: Math.ceil(upright.height / scaleFactor),
  };
  const { x, y } = axesAt(scaleFactor);
  const window = isExact(scaleFactor)
    ? { x: x.origin, y: y.origin, width: x.size, height: y.size }
    : windowOf(x, y, level);
  const transform = {
    orientation: header.orientation,
    x,
    y,
    margins: { left: 0, right: 0, top: 0, bottom: 0 },
    mirror: false,
    degrees: 0,
  };
  const steps: Step[] = [
    ...uprightingSteps(transform),
    ...resamplingSteps(transform, window),
    ...colourSteps(header, true),
    ...(hasAlpha(header) && !writing.alpha
      ? [{ op: "flatten", background: request.background ?? white } as const]
      : []),
    ...(header.depth === 16 ? [{ op: "depth", bits: 8 } as const] : []),
  ];
  const read: ReadRequest = {
    header,
    page,
    region: storedRegion(window, level, header, scaleFactor),
    scaleFactor,
    ...(halvesColour && ({ halvesColour } as const)),
  };
  const isGray = header.interpretation === "gray";
  return {
    read,
    transform,
    steps,
    write: {
      format: request.format,
      quality: checkedQuality(request.quality ?? usualQuality),
      progressive: false,
      chroma: "420",
      encoder: "fast",
      passthrough: "auto",
      ...bilevelOf(writing, read, steps),
      ...(!isGray && { embed: { profile: "srgb", metadata: false } as const }),
    },
    memory: memoryOf(read, steps, decoder.memory(read, fileSize)),
  };
}

const white = [255, 255, 255] as const;
const usualQuality = 85;

/**
 * Returns the peak bytes of the decoder, of a step with its input and output, or of the encoder, whichever is
 * the largest.
 */
function memoryOf({ header, region, scaleFactor }: ReadRequest, steps: readonly Step[], decoding: number) {
  const decoded = {
    width: Math.ceil(region.width / scaleFactor),
    height: Math.ceil(region.height / scaleFactor),
    bands: header.bands,
    depth: header.depth,
    interpretation: header.interpretation,
  };
  const shapes = [decoded, ...steps.map((_, i) => shapeAfter(decoded, steps.slice(0, i + 1)))];
  const bytes = shapes.map(({ width, height, bands, depth }) => width * height * bands * (depth / 8));
  const ofSteps = bytes.slice(1).map((after, i) => after + (bytes[i] ?? 0));
  return Math.ceil(Math.max(decoding, ...ofSteps, 3 * (bytes.at(-1) ?? 0)));
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

function checkedSize({ width, height }: DerivativeRequest, region: Size, maxSide: number): Size {
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

function checkedQuality(quality: number): number {
  if (Number.isInteger(quality) && quality >= 1 && quality <= 100) return quality;
  throw new ImagingError("bad-request", `Expected a quality from 1 to 100; received ${quality}.`);
}
