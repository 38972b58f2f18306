// The picture at 1/16 and each half of that, down to one tile: the samples that derivatives of just these sizes have, each level resampled
// from the one at 1/8. Without them a far-out tile of a large picture is resampled from millions of samples.

import { concatenated } from "../../../lib/bytes/concatenated.ts";
import type { ResampleAxis } from "../../../pipeline/step.ts";
import type { Plane } from "../encode/input.ts";
import { type Frame, level8Size, type ResamplePlane } from "../region/index.ts";

/** A picture of at most this many samples at 1/8 has none: its tiles are resampled from at most twice as many as those at other scales. */
const fewSamples = 2 ** 21;
/** Bytes at 1/8 of all components, at most: with its smaller levels a larger one would not stay in memory. */
const mostBytes = 36 * 2 ** 20;
/** The last level has at most this many samples a side. */
const tileSide = 512;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Samples of a component at 1/8, `width` by `height`. */
export interface Level8Plane extends Size {
  readonly data: Uint8Array;
}

/** The size of a component `level` halvings below 1/8. */
const sizeAt = ({ width, height }: Size, level: number): Size => ({
  width: Math.ceil(width / 2 ** level),
  height: Math.ceil(height / 2 ** level),
});

/** How many smaller levels a picture has whose components have these sizes at 1/8. */
function levelCount(components: readonly Size[]): number {
  const [largest] = components;
  const bytes = components.reduce((sum, { width, height }) => sum + width * height, 0);
  if (!largest || largest.width * largest.height <= fewSamples || bytes > mostBytes) return 0;
  return Math.max(0, Math.ceil(Math.log2(Math.max(largest.width, largest.height) / tileSide)));
}

const sizesOf = (frame: Frame): readonly Size[] => frame.components.map((_, i) => level8Size(frame, i));

/** Whether a picture with this frame has smaller levels in its sidecar. */
export const hasSmallerLevels = (frame: Frame) => levelCount(sizesOf(frame)) > 0;

/** Makes the smaller levels of a picture: level after level, in each all components. None where a picture needs none. */
export function makeSmallerLevels(
  planes: readonly Level8Plane[],
  resample: ResamplePlane,
): readonly Uint8Array[] {
  const levels = Array.from({ length: levelCount(planes) }, (_, i) => i + 1);
  return levels.flatMap((level) =>
    planes.map(({ data, width, height }) => {
      const size = sizeAt({ width, height }, level);
      const axis = (length: number): ResampleAxis => ({ size: length, origin: 0, scale: 2 ** level });
      const plane = { data, width, height, stride: width };
      return resample(plane, axis(size.width), axis(size.height)).data as Uint8Array;
    }),
  );
}

/** The smaller levels of a picture, to read from. */
export interface SmallerLevels {
  readonly bytes: number;
  /**
   * The samples that a component has along two axes on its plane at 1/8, not copied; undefined where they are not those of a smaller
   * level, or lie beyond it.
   */
  samples(component: number, x: ResampleAxis, y: ResampleAxis): Plane | undefined;
}

/** Reads what {@link makeSmallerLevels} made, in any pieces; undefined where there is none of it, or it is not of a picture with this frame. */
export function readSmallerLevels(frame: Frame, pieces: readonly Uint8Array[]): SmallerLevels | undefined {
  const [first] = pieces;
  if (!first) return undefined;
  const stored = pieces.length === 1 ? first : concatenated(pieces);
  const components = sizesOf(frame);
  const count = levelCount(components);
  /** By level and component. */
  const planes: (Size & { readonly at: number })[][] = [[]];
  let end = 0;
  for (let level = 1; level <= count; level++)
    planes.push(
      components.map((component) => {
        const size = sizeAt(component, level);
        const at = end;
        end += size.width * size.height;
        return { ...size, at };
      }),
    );
  if (count === 0 || end !== stored.length) return undefined;
  return {
    bytes: stored.length,
    samples(component, x, y) {
      const plane = x.scale === y.scale ? planes[Math.log2(x.scale)]?.[component] : undefined;
      if (!plane) return undefined;
      const [left, top] = [x.origin / x.scale, y.origin / y.scale];
      if (!isPlace(left, x.size, plane.width) || !isPlace(top, y.size, plane.height)) return undefined;
      const start = plane.at + top * plane.width + left;
      return { data: stored.subarray(start), width: x.size, height: y.size, stride: plane.width };
    },
  };
}

/** Whether `size` samples from `start` on are some of `length`. */
const isPlace = (start: number, size: number, length: number) =>
  Number.isInteger(start) && start >= 0 && start + size <= length;
