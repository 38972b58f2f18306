// Where the pixels of a JPEG answer lie on the stored picture, for plans that only scale, turn and leave out colour.

import { type Orientation, orientationOf, rightAngleOf } from "../../pipeline/orientation.ts";
import type { ResampleAxis, Step } from "../../pipeline/steps.ts";
import type { RenderPlan } from "../job.ts";

/**
 * The answer's axes on the stored picture reduced by the plan's scale factor, counted from its corner. A negative scale
 * runs backwards: `origin` is where the first sample begins, whichever way it goes.
 */
export interface Target {
  /** From left to right of the answer, and from its top to its bottom. */
  readonly across: ResampleAxis;
  readonly down: ResampleAxis;
  /** Whether `across` runs along the stored picture's columns. */
  readonly swap: boolean;
  readonly gray: boolean;
}

/** What a plan asks of planes; undefined where a step needs whole pixels, or the answer is no plain JPEG. */
export function targetOf({ read, steps, write }: RenderPlan, components: number): Target | undefined {
  if (write.format !== "jpg" || write.progressive || write.encoder !== "fast") return undefined;
  const { region, scaleFactor } = read;
  const unscaled = (start: number, length: number): ResampleAxis => ({
    size: Math.ceil(length / scaleFactor),
    origin: start / scaleFactor,
    scale: 1,
  });
  let target: Target | undefined = {
    across: unscaled(region.x, region.width),
    down: unscaled(region.y, region.height),
    swap: false,
    gray: components === 1,
  };
  for (const step of steps) target = target && after(target, step);
  return target;
}

/** What has to be done to samples in stored order to bring them upright. */
export function turnOf({ across, down, swap }: Target): Orientation {
  return { swap, flipX: across.scale < 0, flipY: down.scale < 0 };
}

/** Whether all that happens to the pixels that are read is that they are moved. */
export function onlyMoves(
  { across, down, swap, gray }: Target,
  { region, scaleFactor }: RenderPlan["read"],
  components: number,
): boolean {
  const [x, y] = swap ? [down, across] : [across, down];
  const whole = (axis: ResampleAxis, start: number, length: number) =>
    axis.size === length &&
    axis.scale === Math.sign(axis.scale) &&
    axis.origin === (axis.scale > 0 ? start : start + length);
  return (
    scaleFactor === 1 &&
    gray === (components === 1) &&
    whole(x, region.x, region.width) &&
    whole(y, region.y, region.height)
  );
}

/** The same samples from the other end. */
export function reversed({ size, origin, scale }: ResampleAxis): ResampleAxis {
  return { size, origin: origin + size * scale, scale: -scale };
}

function after(target: Target, step: Step): Target | undefined {
  switch (step.op) {
    case "orient":
      return turned(target, step.orientation);
    case "mirror":
      return turned(target, 2);
    case "rotate": {
      const orientation = rightAngleOf(step.degrees);
      return orientation === undefined ? undefined : turned(target, orientation);
    }
    case "resize":
      return resized(target, step.x, step.y);
    case "gray":
      return { ...target, gray: true };
    default:
      return undefined;
  }
}

function turned(target: Target, orientation: number): Target {
  const { swap, flipX, flipY } = orientationOf(orientation);
  const [across, down] = swap ? [target.down, target.across] : [target.across, target.down];
  return {
    across: flipX ? reversed(across) : across,
    down: flipY ? reversed(down) : down,
    swap: swap !== target.swap,
    gray: target.gray,
  };
}

/** One resampling at most: two in a row are not one of their product. */
function resized(target: Target, x: ResampleAxis, y: ResampleAxis): Target | undefined {
  if (Math.abs(target.across.scale) !== 1 || Math.abs(target.down.scale) !== 1) return undefined;
  return { ...target, across: within(target.across, x), down: within(target.down, y) };
}

/** `inner` counts on the samples of `outer`. */
function within(outer: ResampleAxis, inner: ResampleAxis): ResampleAxis {
  return {
    size: inner.size,
    origin: outer.origin + inner.origin * outer.scale,
    scale: outer.scale * inner.scale,
  };
}
