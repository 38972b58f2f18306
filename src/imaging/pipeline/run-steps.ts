// The runner of steps: one row for each.

import type { PixelBuffer } from "./pixels.ts";
import type { Kernels, Step } from "./step.ts";
import { bitonal } from "./steps/bitonal.ts";
import { crop } from "./steps/crop.ts";
import { depth } from "./steps/depth.ts";
import { flatten } from "./steps/flatten.ts";
import { gray } from "./steps/gray.ts";
import { fromLight, toLight } from "./steps/light.ts";
import { mirror } from "./steps/mirror.ts";
import { orient } from "./steps/orient.ts";
import { toSrgb } from "./steps/to-srgb.ts";

export type Run = (pixels: PixelBuffer) => PixelBuffer;

const runs = {
  orient: (step) => (pixels) => orient(pixels, step.orientation),
  crop: (step) => (pixels) => crop(pixels, step),
  resize: (step, kernels) => (pixels) => kernels.resize(pixels, step.x, step.y),
  "to-srgb": (_, kernels) => kernels.toSrgb ?? toSrgb,
  "to-light": (_, kernels) => (pixels) => toLight(pixels, kernels.lookups),
  "from-light": (step, kernels) => (pixels) => fromLight(pixels, step.bits, kernels.lookups),
  sharpen: (step, kernels) => (pixels) => kernels.sharpen(pixels, step),
  mirror: () => mirror,
  rotate: (step, kernels) => (pixels) => kernels.rotate(pixels, step.degrees),
  overlay: (step, kernels) => (pixels) => {
    if (!kernels.overlay) throw new Error("a plan has an overlay without pixels");
    return kernels.overlay(pixels, step);
  },
  gray: () => gray,
  bitonal: () => bitonal,
  flatten: (step) => (pixels) => flatten(pixels, step.background),
  depth: (step) => (pixels) => depth(pixels, step.bits),
} as const satisfies {
  readonly [Op in Step["op"]]: (step: Extract<Step, { op: Op }>, kernels: Kernels) => Run;
};

/** True if a step makes each row of its result from the same row of its input only. */
const worksByRow: { readonly [Op in Step["op"]]: boolean } = {
  orient: false,
  crop: false,
  resize: false,
  "to-srgb": true,
  "to-light": true,
  "from-light": true,
  sharpen: false,
  mirror: true,
  rotate: false,
  overlay: false,
  gray: true,
  bitonal: true,
  flatten: true,
  depth: true,
};

/**
 * True if steps can run on some rows of an image without the others. Such steps keep its width and height.
 */
export const workByRow = (steps: readonly Step[]): boolean => steps.every(({ op }) => worksByRow[op]);

/**
 * Returns the pixels after all steps, in order. The input buffer is not modified; it is returned if no step
 * does anything.
 */
export function runSteps(pixels: PixelBuffer, steps: readonly Step[], kernels: Kernels): PixelBuffer {
  return steps.reduce(
    (seen, step) => (runs[step.op] as (step: Step, kernels: Kernels) => Run)(step, kernels)(seen),
    pixels,
  );
}
