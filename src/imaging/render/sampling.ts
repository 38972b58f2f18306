// Sampling of a master for a derivative: the reduction, the pixels to read, and the steps that move, resample
// and colour them.

import type { Size } from "../../base/index.ts";
import type { Reduction } from "../codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../codecs/image-header.ts";
import type { Transform } from "../codecs/plan.ts";
import { sourceWindow } from "../pipeline/kernel.ts";
import { orientationOf } from "../pipeline/orientation.ts";
import type { ResampleAxis, Step } from "../pipeline/step.ts";

/** Returns the size of a stored image as a viewer shows it, after orientation. */
export function uprightSize(stored: Size & { readonly orientation: number }): Size {
  return orientationOf(stored.orientation).swap
    ? { width: stored.height, height: stored.width }
    : { width: stored.width, height: stored.height };
}

/**
 * Minimum ratio of the decoded size to the derivative's size if the decoded pixels are not as good as a
 * resampling.
 */
const leastHeadroom = 2;
/** Minimum ratio for averages, if the whole image at that scale has at most {@link maxPixels}. */
const usualHeadroom = 4;
/** Pixels of a whole image up to which averages need {@link usualHeadroom}. */
const maxPixels = 64e6;
/** Minimum ratio for resampling in linear light, in which decoders do not reduce. */
const linearHeadroom = 4;

/**
 * Returns the largest reduction that is good enough for a derivative, at least 1. `wanted`: pixels of the
 * master per pixel of the derivative, along the axis that has fewer.
 */
export function chooseScale(
  reductions: readonly Reduction[],
  header: Size,
  wanted: number,
  linear: boolean,
): number {
  const largestWith = (ofAverages: number) => {
    const headroom = { level: 1, exact: leastHeadroom, frequencies: leastHeadroom, averages: ofAverages };
    return largestFactor(
      reductions,
      ({ factor, quality }) => factor * (linear ? linearHeadroom : headroom[quality]) <= wanted,
    );
  };
  // The choice never depends on the region: all tiles of a level are made from one scale.
  const usual = largestWith(usualHeadroom);
  return header.width * header.height <= maxPixels * usual ** 2 ? usual : largestWith(leastHeadroom);
}

/** Returns the largest factor of the reductions that fit, at least 1. */
export const largestFactor = (
  reductions: readonly Reduction[],
  fits: (reduction: Reduction) => boolean,
): number => Math.max(1, ...reductions.filter(fits).map(({ factor }) => factor));

/**
 * Returns one axis on the reduced, upright image: `size` samples from full-size pixel `start` on, `step`
 * pixels apart. A flipped axis begins at the end of the last pixel, which may be only partly filled.
 */
export function axisAt(
  { start, size }: { readonly start: number; readonly size: number },
  step: number,
  scaleFactor: number,
  full: number,
  flipped: boolean,
): ResampleAxis {
  const shift = flipped ? Math.ceil(full / scaleFactor) - full / scaleFactor : 0;
  return { size, origin: start / scaleFactor + shift, scale: step / scaleFactor };
}

/** True if the samples of an axis are unchanged pixels. */
export const isIdentity = ({ scale, origin }: ResampleAxis): boolean =>
  scale === 1 && Number.isInteger(origin);

/** Returns the pixels of an image that a resampling along two axes reads. */
export function windowOf(x: ResampleAxis, y: ResampleAxis, level: Size): Rectangle {
  const h = sourceWindow(x, level.width);
  const v = sourceWindow(y, level.height);
  return { x: h.start, y: v.start, width: h.end - h.start, height: v.end - v.start };
}

/** Converts a window of the reduced, upright image to full-size pixels of the stored one. */
export function storedRegion(
  window: Rectangle,
  reduced: Size,
  header: Pick<ImageHeader, "width" | "height" | "orientation">,
  scaleFactor: number,
): Rectangle {
  const { swap, flipX, flipY } = orientationOf(header.orientation);
  const left = flipX ? reduced.width - window.x - window.width : window.x;
  const top = flipY ? reduced.height - window.y - window.height : window.y;
  const at = swap
    ? { x: top, y: left, width: window.height, height: window.width }
    : { x: left, y: top, width: window.width, height: window.height };
  const x = at.x * scaleFactor;
  const y = at.y * scaleFactor;
  return {
    x,
    y,
    width: Math.min(at.width * scaleFactor, header.width - x),
    height: Math.min(at.height * scaleFactor, header.height - y),
  };
}

/** Returns the steps that turn stored pixels upright. */
export const uprightingSteps = ({ orientation }: Pick<Transform, "orientation">): Step[] =>
  orientation === 1 ? [] : [{ op: "orient", orientation }];

/** Returns the steps that resample the pixels of a window; none if they already are the samples. */
export function resamplingSteps({ x, y }: Pick<Transform, "x" | "y">, window: Rectangle): Step[] {
  if (isIdentity(x) && isIdentity(y)) return [];
  const shiftOrigin = (axis: ResampleAxis, start: number) => ({ ...axis, origin: axis.origin - start });
  return [{ op: "resize", x: shiftOrigin(x, window.x), y: shiftOrigin(y, window.y) }];
}

/**
 * Returns the steps that convert pixels to gray or RGB. With `converts`, they are converted to sRGB by the
 * profile of the master.
 */
export function colourSteps(
  { interpretation, colour }: Pick<ImageHeader, "interpretation" | "colour">,
  converts: boolean,
): Step[] {
  const usesProfile = colour !== undefined && !colour.srgb && colour.ignored === undefined;
  if (converts && usesProfile) return [{ op: "to-srgb", profile: true }];
  return interpretation === "gray" || interpretation === "rgb" ? [] : [{ op: "to-srgb", profile: false }];
}
