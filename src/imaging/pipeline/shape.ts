// Size, bands and depth of an image after a list of steps, computed without pixels: for memory estimates and
// limits.

import { orientationOf } from "./orientation.ts";
import { hasAlpha, type Interpretation } from "./pixels.ts";
import type { Step } from "./step.ts";
import { isRightAngle, rotatedSize } from "./steps/rotate.ts";

export interface Shape {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly interpretation: Interpretation;
  readonly depth: 8 | 16;
}

type Reshape<Op extends Step["op"]> = (shape: Shape, step: Extract<Step, { op: Op }>) => Shape;

const reshapes = {
  orient: (shape, { orientation }) =>
    orientationOf(orientation).swap ? { ...shape, width: shape.height, height: shape.width } : shape,
  crop: (shape, { width, height }) => ({ ...shape, width, height }),
  resize: (shape, { x, y }) => ({ ...shape, width: x.size, height: y.size }),
  "to-srgb": shapeInSrgb,
  "to-light": (shape) => ({ ...shape, depth: 16 }),
  "from-light": (shape, { bits }) => ({ ...shape, depth: bits }),
  sharpen: (shape) => shape,
  mirror: (shape) => shape,
  rotate: (shape, { degrees }) => {
    const turned = { ...shape, ...rotatedSize(shape.width, shape.height, degrees) };
    if (isRightAngle(degrees)) return turned;
    // ink has no alpha: it is turned as rgb
    const seen = shapeInSrgb(turned);
    return hasAlpha(seen) ? seen : { ...seen, bands: seen.bands + 1 };
  },
  overlay: (shape) => shape,
  gray: (shape) => ({ ...shape, bands: hasAlpha(shape) ? 2 : 1, interpretation: "gray" }),
  bitonal: (shape) => ({ ...shape, bands: 1, interpretation: "gray" }),
  flatten: (shape) => {
    const seen = hasAlpha(shape) ? shapeInSrgb(shape) : shape;
    return hasAlpha(seen) ? { ...seen, bands: seen.bands - 1 } : seen;
  },
  depth: (shape, { bits }) => ({ ...shape, depth: bits }),
} as const satisfies { readonly [Op in Step["op"]]: Reshape<Op> };

/** The shape of the pixels that `runSteps` returns for pixels of `shape`. */
export function shapeAfter(shape: Shape, steps: readonly Step[]): Shape {
  return steps.reduce((seen, step) => (reshapes[step.op] as Reshape<Step["op"]>)(seen, step), shape);
}

function shapeInSrgb(shape: Shape): Shape {
  if (shape.interpretation === "cmyk") return { ...shape, bands: shape.bands - 1, interpretation: "rgb" };
  return shape.interpretation === "gray" ? shape : { ...shape, interpretation: "rgb" };
}
