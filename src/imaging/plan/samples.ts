// Positions of a derivative's samples on the upright image. Samples are the pixels of the derivative, or the
// cells that it is made of.

import type { Size } from "../../base/index.ts";
import type { ResampleAxis } from "../pipeline/step.ts";
import { windowOf } from "../render/sampling.ts";
import type { Detail, Extent } from "./input.ts";

/** Samples of the upright image; positions are in pixels of that image. */
export interface Sampling {
  /** Position of the first sample. */
  readonly start: { readonly x: number; readonly y: number };
  /** Number of samples along each axis. */
  readonly size: Size;
  /** Distance between samples along each axis. */
  readonly step: { readonly x: number; readonly y: number };
  /** True if the image is reduced. */
  readonly reduced: boolean;
  /** Axes of the derivative over the cells, if samples are cells. */
  readonly cells?: { readonly x: ResampleAxis; readonly y: ResampleAxis };
}

/** Returns the samples from which a derivative of an upright image is made. */
export function samplingOf(geometry: Extent, upright: Size): Sampling {
  const { region, size, detail } = geometry;
  if (detail) return samplingOfCells(size, detail, upright);
  return { start: region, size, step: pitchOf(geometry), reduced: isReduced(geometry) };
}

/** Returns the pixels of the image per pixel of the derivative, along each axis. */
export const pitchOf = ({ scaleFactor, region, size }: Extent) => ({
  x: scaleFactor ?? region.width / size.width,
  y: scaleFactor ?? region.height / size.height,
});

/**
 * Returns cells as the samples of a derivative. Only the limits of the window depend on the derivative, so a
 * cell has the same value in all derivatives.
 */
function samplingOfCells(derivative: Size, { grid, cells }: Detail, upright: Size): Sampling {
  const x = { size: derivative.width, origin: cells.x, scale: cells.width / derivative.width };
  const y = { size: derivative.height, origin: cells.y, scale: cells.height / derivative.height };
  const window = windowOf(x, y, grid);
  const step = { x: upright.width / grid.width, y: upright.height / grid.height };
  return {
    start: { x: window.x * step.x, y: window.y * step.y },
    size: { width: window.width, height: window.height },
    step,
    reduced: isReduced({ region: { x: 0, y: 0, ...upright }, size: grid }),
    cells: {
      x: { ...x, origin: x.origin - window.x },
      y: { ...y, origin: y.origin - window.y },
    },
  };
}

/** True if a derivative has fewer pixels than its region, or is a tile of a reduced level. */
function isReduced({ scaleFactor, region, size }: Pick<Extent, "scaleFactor" | "region" | "size">): boolean {
  if (scaleFactor !== undefined) return scaleFactor > 1;
  const { width, height } = size;
  return width <= region.width && height <= region.height && width * height < region.width * region.height;
}

/**
 * Extent of a derivative's samples along one axis: start in pixels of the upright image, number of samples,
 * and how many of them precede the derivative's own.
 */
export interface Span {
  readonly start: number;
  readonly size: number;
  readonly before: number;
}

/**
 * Returns the span of a derivative, extended by up to `reach` samples at both ends, as far as the image
 * continues.
 */
export function span(start: number, size: number, step: number, full: number, reach: number): Span {
  const noise = 1e-6; // tolerance for divisions, below which a difference adds or removes no pixel
  const before = Math.min(reach, Math.floor(start / step + noise));
  const after = Math.min(reach, Math.max(0, Math.ceil((full - start) / step - noise) - size));
  return { start: start - before * step, size: before + size + after, before };
}
