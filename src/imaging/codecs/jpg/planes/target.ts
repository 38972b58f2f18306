// Positions of a JPEG derivative's pixels on the stored image, for plans that only scale, turn and remove
// colour.

import { type Orientation, orientationOf, orientationOfTurn } from "../../../pipeline/orientation.ts";
import type { ResampleAxis, Step } from "../../../pipeline/step.ts";
import type { Sharpening } from "../../../pipeline/steps/sharpen.ts";
import type { ReadRequest, RenderPlan, Transform } from "../../plan.ts";

/**
 * The derivative's axes on the stored image reduced by the plan's scale factor, counted from its corner. An
 * axis with a negative scale runs backwards; `origin` is the start of the first sample in either direction.
 */
export interface PlaneTarget {
  /** Axes from left to right of the derivative, and from its top to its bottom. */
  readonly across: ResampleAxis;
  readonly down: ResampleAxis;
  /** True if `across` runs along the stored image's columns. */
  readonly swap: boolean;
  readonly gray: boolean;
  /** Sharpening of luma, with the margins that it reads; undefined for none. */
  readonly sharpen: (Sharpening & { readonly across: Margin; readonly down: Margin }) | undefined;
}

/** Number of samples, at the derivative's resolution, before its first and after its last. */
interface Margin {
  readonly before: number;
  readonly after: number;
}

/** Steps that planes can take separately. */
const onPlanes: ReadonlySet<Step["op"]> = new Set<Step["op"]>([
  "orient",
  "resize",
  "sharpen",
  "crop",
  "mirror",
  "rotate",
  "gray",
]);

/**
 * Returns the target of a plan; undefined if a step needs whole pixels, or if the derivative is not a plain
 * JPEG.
 */
export function targetOf(
  { read, transform, steps, write }: RenderPlan,
  components: number,
): PlaneTarget | undefined {
  if (write.format !== "jpg" || write.progressive || write.encoder !== "fast") return undefined;
  const turn = orientationOfTurn(transform.degrees);
  if (turn === undefined || !steps.every(({ op }) => onPlanes.has(op))) return undefined;
  const upright = uprightTargetOf(
    transform,
    read,
    components === 1 || steps.some(({ op }) => op === "gray"),
    steps.find((step) => step.op === "sharpen"),
  );
  return turnTarget(transform.mirror ? turnTarget(upright, 2) : upright, turn);
}

/**
 * Returns the target before mirroring and rotation. Sharpening reads the samples of the margins around it.
 */
function uprightTargetOf(
  { orientation, x, y, margins }: Transform,
  { header, scaleFactor }: ReadRequest,
  gray: boolean,
  sharpening: Sharpening | undefined,
): PlaneTarget {
  const { swap, flipX, flipY } = orientationOf(orientation);
  const [width, height] = swap ? [header.height, header.width] : [header.width, header.height];
  const across = { before: margins.left, after: margins.right };
  const down = { before: margins.top, after: margins.bottom };
  const toStoredAxis = (
    { size, origin, scale }: ResampleAxis,
    length: number,
    flipped: boolean,
  ): ResampleAxis =>
    flipped
      ? { size, origin: Math.ceil(length / scaleFactor) - origin, scale: -scale }
      : { size, origin, scale };
  return {
    across: narrow(toStoredAxis(x, width, flipX), across),
    down: narrow(toStoredAxis(y, height, flipY), down),
    swap,
    gray,
    sharpen: sharpening && { ...sharpening, across, down },
  };
}

/** Returns the orientation that turns samples in stored order upright. */
export function turnOf({ across, down, swap }: PlaneTarget): Orientation {
  return { swap, flipX: across.scale < 0, flipY: down.scale < 0 };
}

/** True if the derivative consists of the pixels that are read, only moved. */
export function onlyMoves(
  { across, down, swap, gray, sharpen }: PlaneTarget,
  { region, scaleFactor }: RenderPlan["read"],
  components: number,
): boolean {
  const [x, y] = swap ? [down, across] : [across, down];
  return (
    !sharpen &&
    scaleFactor === 1 &&
    gray === (components === 1) &&
    isWhole(x, region.x, region.width) &&
    isWhole(y, region.y, region.height)
  );
}

/** True if an axis has all samples of a side, each once. */
function isWhole({ size, origin, scale }: ResampleAxis, start: number, length: number): boolean {
  return size === length && Math.abs(scale) === 1 && origin === (scale > 0 ? start : start + length);
}

/** Returns the axis with the samples of a margin added. */
export function widen({ size, origin, scale }: ResampleAxis, { before, after }: Margin): ResampleAxis {
  return { size: before + size + after, origin: origin - before * scale, scale };
}

/** Returns the axis without the samples of a margin. */
function narrow({ size, origin, scale }: ResampleAxis, { before, after }: Margin): ResampleAxis {
  return { size: size - before - after, origin: origin + before * scale, scale };
}

/** Returns the axis with the same samples from the other end. */
export function reverse({ size, origin, scale }: ResampleAxis): ResampleAxis {
  return { size, origin: origin + size * scale, scale: -scale };
}

const swapMargin = ({ before, after }: Margin): Margin => ({ before: after, after: before });

function turnTarget(target: PlaneTarget, orientation: number): PlaneTarget {
  const { swap, flipX, flipY } = orientationOf(orientation);
  const [across, down] = swap ? [target.down, target.across] : [target.across, target.down];
  const sharpen =
    target.sharpen && swap
      ? { ...target.sharpen, across: target.sharpen.down, down: target.sharpen.across }
      : target.sharpen;
  return {
    across: flipX ? reverse(across) : across,
    down: flipY ? reverse(down) : down,
    swap: swap !== target.swap,
    gray: target.gray,
    sharpen: sharpen && {
      ...sharpen,
      across: flipX ? swapMargin(sharpen.across) : sharpen.across,
      down: flipY ? swapMargin(sharpen.down) : sharpen.down,
    },
  };
}
