// Where the samples of an answer lie on the upright image: its own pixels, or the cells that it is made of.

import type { Detail, Geometry } from "../../iiif/image/geometry.ts";
import type { ResampleAxis } from "../../imaging/pipeline/step.ts";
import { type Size, windowOf } from "../../imaging/render/sampling.ts";

/** What is sampled of the upright image, in its pixels. */
export interface Sampling {
  /** Where the first sample begins. */
  readonly start: { readonly x: number; readonly y: number };
  /** Samples along each axis. */
  readonly size: Size;
  /** From one sample to the next. */
  readonly step: { readonly x: number; readonly y: number };
  /** Whether the image is reduced by it. */
  readonly reduced: boolean;
  /** The axes of the answer on the samples where these are cells. */
  readonly cells?: { readonly x: ResampleAxis; readonly y: ResampleAxis };
}

/** The samples that an answer on an upright image is made of. */
export function samplingOf(geometry: Geometry, upright: Size): Sampling {
  const { region, size, detail } = geometry;
  if (detail) return samplingOfCells(size, detail, upright);
  return { start: region, size, step: pitchOf(geometry), reduced: isReduced(geometry) };
}

/** Pixels of the image from one pixel of the answer to the next. */
export const pitchOf = ({ scaleFactor, region, size }: Geometry) => ({
  x: scaleFactor ?? region.width / size.width,
  y: scaleFactor ?? region.height / size.height,
});

/**
 * The samples are cells, and the answer is made of them. Nothing but where the window begins and ends depends on the
 * answer, so a cell has one value for all answers.
 */
function samplingOfCells(answer: Size, { grid, cells }: Detail, upright: Size): Sampling {
  const x = { size: answer.width, origin: cells.x, scale: cells.width / answer.width };
  const y = { size: answer.height, origin: cells.y, scale: cells.height / answer.height };
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

/** Whether an answer has fewer pixels than its region, or is a tile of a level that has fewer than the image. */
function isReduced({
  scaleFactor,
  region,
  size,
}: Pick<Geometry, "scaleFactor" | "region" | "size">): boolean {
  if (scaleFactor !== undefined) return scaleFactor > 1;
  const { width, height } = size;
  return width <= region.width && height <= region.height && width * height < region.width * region.height;
}

/** The answer's pixels along an axis, in pixels of the upright image, and how many of them come before its own. */
export interface Span {
  readonly start: number;
  readonly size: number;
  readonly before: number;
}

/** The answer and up to `reach` more of its pixels at both ends, as far as the image goes. */
export function span(start: number, size: number, step: number, full: number, reach: number): Span {
  const noise = 1e-6; // of divisions: pixels that only they bring in or leave out
  const before = Math.min(reach, Math.floor(start / step + noise));
  const after = Math.min(reach, Math.max(0, Math.ceil((full - start) / step - noise) - size));
  return { start: start - before * step, size: before + size + after, before };
}
