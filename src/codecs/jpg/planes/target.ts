// Where the pixels of a JPEG derivative lie on the stored image, for plans that only scale, turn and leave out colour.

import { type Orientation, orientationOf, rightAngleOf } from "../../../pipeline/orientation.ts";
import type { ResampleAxis, Step } from "../../../pipeline/step.ts";
import type { Sharpening } from "../../../pipeline/steps/sharpen.ts";
import type { ReadRequest, RenderPlan, Transform } from "../../plan.ts";

/**
 * The derivative's axes on the stored image reduced by the plan's scale factor, counted from its corner. A negative scale
 * runs backwards: `origin` is where the first sample begins, whichever way it goes.
 */
export interface Target {
  /** From left to right of the derivative, and from its top to its bottom. */
  readonly across: ResampleAxis;
  readonly down: ResampleAxis;
  /** Whether `across` runs along the stored image's columns. */
  readonly swap: boolean;
  readonly gray: boolean;
  /** Luma is sharpened, and how much more of it that looks at. */
  readonly sharpen?: Sharpening & { readonly across: Margin; readonly down: Margin };
}

/** Samples of the derivative's size before its first and after its last. */
interface Margin {
  readonly before: number;
  readonly after: number;
}

/** Steps that planes need not be put together for. */
const onPlanes: ReadonlySet<Step["op"]> = new Set<Step["op"]>([
  "orient",
  "resize",
  "sharpen",
  "crop",
  "mirror",
  "rotate",
  "gray",
]);

/** What a plan asks of planes; undefined where a step needs whole pixels, or the derivative is no plain JPEG. */
export function targetOf(
  { read, transform, steps, write }: RenderPlan,
  components: number,
): Target | undefined {
  if (write.format !== "jpg" || write.progressive || write.encoder !== "fast") return undefined;
  const turn = rightAngleOf(transform.degrees);
  if (turn === undefined || !steps.every(({ op }) => onPlanes.has(op))) return undefined;
  const upright: Target = {
    ...sampledAxes(transform, read),
    swap: orientationOf(transform.orientation).swap,
    gray: components === 1 || steps.some(({ op }) => op === "gray"),
  };
  const sharpen = steps.find((step) => step.op === "sharpen");
  const own = withoutMargins(upright, transform.margins, sharpen);
  return turned(transform.mirror ? turned(own, 2) : own, turn);
}

/** The axes of a transform, margins included, on the stored image at the scale that is read. */
function sampledAxes({ orientation, x, y }: Transform, { header, scaleFactor }: ReadRequest) {
  const { swap, flipX, flipY } = orientationOf(orientation);
  const [width, height] = swap ? [header.height, header.width] : [header.width, header.height];
  const stored = ({ size, origin, scale }: ResampleAxis, length: number, flipped: boolean): ResampleAxis =>
    flipped
      ? { size, origin: Math.ceil(length / scaleFactor) - origin, scale: -scale }
      : { size, origin, scale };
  return { across: stored(x, width, flipX), down: stored(y, height, flipY) };
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

/** The samples of the answer alone. Sharpening looks at those of the margins beside them. */
function withoutMargins(
  target: Target,
  { left, right, top, bottom }: Transform["margins"],
  sharpen: Sharpening | undefined,
): Target {
  const inside = ({ size, origin, scale }: ResampleAxis, before: number, after: number): ResampleAxis => ({
    size: size - before - after,
    origin: origin + before * scale,
    scale,
  });
  return {
    ...target,
    across: inside(target.across, left, right),
    down: inside(target.down, top, bottom),
    ...(sharpen && {
      sharpen: { ...sharpen, across: { before: left, after: right }, down: { before: top, after: bottom } },
    }),
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
