// An image at 1/16 and each half of that, down to one tile: the samples of derivatives of exactly these
// sizes, each level resampled from the one at 1/8. Without them, a small-scale tile of a large image is
// resampled from millions of samples.

import type { Size } from "../../../../base/index.ts";
import type { ResampleAxis } from "../../../pipeline/step.ts";
import type { Plane } from "../encode/input.ts";
import { type Frame, level8Size, type ResamplePlane } from "../region/index.ts";

/**
 * Largest number of samples at 1/8 of an image without smaller levels: its small-scale tiles are resampled
 * from at most twice as many samples as other tiles.
 */
const fewSamples = 2 ** 21;
/**
 * Largest number of bytes at 1/8 of all components: a larger level would not stay in memory together with its
 * smaller levels.
 */
const maxBytes = 36 * 2 ** 20;
/** Maximum side of the last level, in samples. */
const tileSide = 512;

/** Samples of a component at 1/8, `width` by `height`. */
export interface Level8Plane extends Size {
  readonly data: Uint8Array;
}

/** Returns the size of a component `level` halvings below 1/8. */
const sizeAt = ({ width, height }: Size, level: number): Size => ({
  width: Math.ceil(width / 2 ** level),
  height: Math.ceil(height / 2 ** level),
});

/** Returns the number of smaller levels of an image whose components have these sizes at 1/8. */
function levelCount(components: readonly Size[]): number {
  const [largest] = components;
  const bytes = components.reduce((sum, { width, height }) => sum + width * height, 0);
  if (!largest || largest.width * largest.height <= fewSamples || bytes > maxBytes) return 0;
  return Math.max(0, Math.ceil(Math.log2(Math.max(largest.width, largest.height) / tileSide)));
}

const sizesOf = (frame: Frame): readonly Size[] => frame.components.map((_, i) => level8Size(frame, i));

/** True if reads of an image with this frame use smaller levels: its derivatives are made from planes. */
const hasSmallerLevels = (frame: Frame) =>
  (frame.colour === "ycc" || frame.colour === "gray") && levelCount(sizesOf(frame)) > 0;

/** Start of a component's plane among the smaller levels, and its size. */
interface LevelPlane extends Size {
  readonly at: number;
}

/** Returns the places of all components, level by level, and the bytes of all levels. */
function layoutOf(components: readonly Size[]): {
  readonly levels: readonly LevelPlane[][];
  readonly bytes: number;
} {
  let bytes = 0;
  const levels = Array.from({ length: levelCount(components) }, (_, i) =>
    components.map((component) => {
      const plane = { ...sizeAt(component, i + 1), at: bytes };
      bytes += plane.width * plane.height;
      return plane;
    }),
  );
  return { levels, bytes };
}

/** Makes the smaller levels of an image; empty if it has none. */
export function makeSmallerLevels(planes: readonly Level8Plane[], resample: ResamplePlane): Uint8Array {
  const { levels, bytes } = layoutOf(planes);
  const made = new Uint8Array(bytes);
  for (const [i, sizes] of levels.entries()) {
    const axis = (size: number): ResampleAxis => ({ size, origin: 0, scale: 2 ** (i + 1) });
    for (const [component, plane] of planes.entries()) {
      const { width, height, at } = sizes[component]!;
      made.set(resample({ ...plane, stride: plane.width }, axis(width), axis(height)).data, at);
    }
  }
  return made;
}

/** Smaller levels of an image, ready to read. */
export interface SmallerLevels {
  readonly bytes: number;
  /**
   * Returns a component's samples along two axes on its plane at 1/8, not copied; undefined if they are not
   * samples of a smaller level, or are outside of it.
   */
  samples(component: number, x: ResampleAxis, y: ResampleAxis): Plane | undefined;
}

/**
 * Reads the output of {@link makeSmallerLevels}. Returns undefined if the image has no smaller levels, or if
 * the length does not fit its frame.
 */
export function readSmallerLevels(frame: Frame, stored: Uint8Array): SmallerLevels | undefined {
  if (!hasSmallerLevels(frame)) return undefined;
  const { levels, bytes } = layoutOf(sizesOf(frame));
  if (bytes !== stored.length) return undefined;
  return {
    bytes,
    samples(component, x, y) {
      const plane = x.scale === y.scale ? levels[Math.log2(x.scale) - 1]?.[component] : undefined;
      if (!plane) return undefined;
      const [left, top] = [x.origin / x.scale, y.origin / y.scale];
      if (!isInside(left, x.size, plane.width) || !isInside(top, y.size, plane.height)) return undefined;
      const start = plane.at + top * plane.width + left;
      return { data: stored.subarray(start), width: x.size, height: y.size, stride: plane.width };
    },
  };
}

/** True if `size` samples from `start` on are within `length`. */
const isInside = (start: number, size: number, length: number) =>
  Number.isInteger(start) && start >= 0 && start + size <= length;
