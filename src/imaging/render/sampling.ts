// What a derivative samples of its master: at which reduction, which pixels, and the steps that move, resample and colour them.

import type { Reduction } from "../codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../codecs/image-header.ts";
import type { Transform } from "../codecs/plan.ts";
import { sourceWindow } from "../pipeline/kernel.ts";
import { orientationOf } from "../pipeline/orientation.ts";
import type { ResampleAxis, Step } from "../pipeline/step.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size that a viewer sees of a stored picture with an orientation. */
export function uprightSize(stored: Size & { readonly orientation: number }): Size {
  return orientationOf(stored.orientation).swap
    ? { width: stored.height, height: stored.width }
    : { width: stored.width, height: stored.height };
}

/** A decoder delivers at least this many times the size of a derivative if its pixels are not as good as a resampling. */
const leastHeadroom = 2;
/** The same for averages, if the whole picture at that scale has at most `mostPixels`. */
const usualHeadroom = 4;
const mostPixels = 64e6;
/** The same for reductions in linear light, which those of decoders are not. */
const linearHeadroom = 4;

/**
 * The largest reduction that is good enough for a derivative, at least 1. `wanted`: pixels of the master for one of
 * the derivative, along the axis that has fewer.
 */
export function chooseScale(
  reductions: readonly Reduction[],
  header: Size,
  wanted: number,
  linear: boolean,
): number {
  const largest = (ofAverages: number) => {
    const headroom = { level: 1, exact: leastHeadroom, frequencies: leastHeadroom, averages: ofAverages };
    return largestFactor(
      reductions,
      ({ factor, quality }) => factor * (linear ? linearHeadroom : headroom[quality]) <= wanted,
    );
  };
  // It never depends on the region: all tiles of a level are made from one scale.
  const usual = largest(usualHeadroom);
  return header.width * header.height <= mostPixels * usual ** 2 ? usual : largest(leastHeadroom);
}

/** The largest factor of the reductions that fit, at least 1. */
export const largestFactor = (
  reductions: readonly Reduction[],
  fits: (reduction: Reduction) => boolean,
): number => Math.max(1, ...reductions.filter(fits).map(({ factor }) => factor));

/**
 * One axis on the reduced, upright picture: `size` samples from full-size pixel `start` on, `step` pixels apart. A
 * flipped axis begins where the last, partly filled pixel ends.
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

/** True if the samples of an axis are pixels as they are. */
export const isIdentity = ({ scale, origin }: ResampleAxis): boolean =>
  scale === 1 && Number.isInteger(origin);

/** The pixels of a picture that a resampling along two axes reads. */
export function windowOf(x: ResampleAxis, y: ResampleAxis, level: Size): Rectangle {
  const h = sourceWindow(x, level.width);
  const v = sourceWindow(y, level.height);
  return { x: h.start, y: v.start, width: h.end - h.start, height: v.end - v.start };
}

/** A window of the reduced, upright picture as full-size pixels of the stored one. */
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

/** Turns stored pixels upright. */
export const uprightingSteps = ({ orientation }: Pick<Transform, "orientation">): Step[] =>
  orientation === 1 ? [] : [{ op: "orient", orientation }];

/** Resamples the pixels of a window; no step if these are the samples. */
export function resamplingSteps({ x, y }: Pick<Transform, "x" | "y">, window: Rectangle): Step[] {
  if (isIdentity(x) && isIdentity(y)) return [];
  const within = (axis: ResampleAxis, start: number) => ({ ...axis, origin: axis.origin - start });
  return [{ op: "resize", x: within(x, window.x), y: within(y, window.y) }];
}

/** Brings pixels to gray or RGB; `converts`: to sRGB, by the profile of the master. */
export function colourSteps(
  { interpretation, colour }: Pick<ImageHeader, "interpretation" | "colour">,
  converts: boolean,
): Step[] {
  const usesProfile = colour !== undefined && !colour.srgb && colour.ignored === undefined;
  if (converts && usesProfile) return [{ op: "to-srgb", profile: true }];
  return interpretation === "gray" || interpretation === "rgb" ? [] : [{ op: "to-srgb", profile: false }];
}
