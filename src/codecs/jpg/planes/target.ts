// Where the pixels of a JPEG answer lie on the stored picture, for plans that only scale, turn and leave out colour.

import { type Orientation, orientationOf, rightAngleOf } from "../../../pipeline/orientation.ts";
import type { ResampleAxis, Step } from "../../../pipeline/step.ts";
import type { Sharpening } from "../../../pipeline/steps/sharpen.ts";
import type { RenderPlan } from "../../plan.ts";

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
  /** Luma is sharpened, and how much more of it that looks at. */
  readonly sharpen?: Sharpening & { readonly across: Margin; readonly down: Margin };
}

/** Samples of the answer's size before its first and after its last. */
interface Margin {
  readonly before: number;
  readonly after: number;
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
  { across, down, swap, gray, sharpen }: Target,
  { region, scaleFactor }: RenderPlan["read"],
  components: number,
): boolean {
  const [x, y] = swap ? [down, across] : [across, down];
  const whole = (axis: ResampleAxis, start: number, length: number) =>
    axis.size === length &&
    axis.scale === Math.sign(axis.scale) &&
    axis.origin === (axis.scale > 0 ? start : start + length);
  return (
    !sharpen &&
    scaleFactor === 1 &&
    gray === (components === 1) &&
    whole(x, region.x, region.width) &&
    whole(y, region.y, region.height)
  );
}

/** An axis with the samples of a margin. */
export function widened({ size, origin, scale }: ResampleAxis, { before, after }: Margin): ResampleAxis {
  return { size: before + size + after, origin: origin - before * scale, scale };
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
    case "sharpen":
      return { ...target, sharpen: { ...step, across: none, down: none } };
    case "crop":
      return target.sharpen && cropped(target, step, target.sharpen);
    case "gray":
      return { ...target, gray: true };
    default:
      return undefined;
  }
}

const none: Margin = { before: 0, after: 0 };

/** What is cut off after sharpening is what it looked at. */
function cropped(
  target: Target,
  { left, top, width, height }: Extract<Step, { op: "crop" }>,
  sharpen: NonNullable<Target["sharpen"]>,
): Target {
  const { across, down } = target;
  return {
    ...target,
    across: { ...across, size: width, origin: across.origin + left * across.scale },
    down: { ...down, size: height, origin: down.origin + top * down.scale },
    sharpen: {
      ...sharpen,
      across: { before: left, after: across.size - left - width },
      down: { before: top, after: down.size - top - height },
    },
  };
}

const swapped = ({ before, after }: Margin): Margin => ({ before: after, after: before });

function turned(target: Target, orientation: number): Target {
  const { swap, flipX, flipY } = orientationOf(orientation);
  const [across, down] = swap ? [target.down, target.across] : [target.across, target.down];
  const { sharpen } = target;
  const [wide, high] = swap ? [sharpen?.down, sharpen?.across] : [sharpen?.across, sharpen?.down];
  return {
    ...(sharpen &&
      wide &&
      high && {
        sharpen: { ...sharpen, across: flipX ? swapped(wide) : wide, down: flipY ? swapped(high) : high },
      }),
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
