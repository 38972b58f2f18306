// The list of steps that turn decoded pixels into what is encoded, and its runner.

import { bitonal } from "./bitonal.ts";
import { crop } from "./crop.ts";
import { depth } from "./depth.ts";
import { flatten } from "./flatten.ts";
import { gray } from "./gray.ts";
import { fromLight, type Lookups, toLight } from "./light.ts";
import { mirror } from "./mirror.ts";
import { orient } from "./orient.ts";
import type { OverlayLayout } from "./overlay.ts";
import type { PixelBuffer, Plane } from "./pixels.ts";
import { resize } from "./resize.ts";
import { rotate } from "./rotate.ts";
import { type Sharpening, sharpen } from "./sharpen.ts";
import { toSrgb } from "./to-srgb.ts";

export { type Shape, shapeAfter, shapeOf } from "./shape.ts";

/** One axis of a resampling: output sample `i` is centred on source coordinate `origin + (i + 0.5) * scale`
 * (in source pixels, pixel `j` covering `j` to `j + 1`), and there are `size` of them. */
export interface ResampleAxis {
  readonly size: number;
  readonly origin: number;
  readonly scale: number;
}

/** A step is plain data: it crosses the thread boundary with the plan. */
export type Step =
  | { readonly op: "orient"; readonly orientation: number } // EXIF 1 to 8: pixels as stored to upright
  | {
      readonly op: "crop";
      readonly left: number;
      readonly top: number;
      readonly width: number;
      readonly height: number;
    }
  | { readonly op: "resize"; readonly x: ResampleAxis; readonly y: ResampleAxis } // reads beyond the output's window where pixels go on
  | { readonly op: "to-light" } // gray or rgb of the sRGB curve to 16-bit linear light
  | { readonly op: "from-light"; readonly bits: 8 | 16 } // and back
  | { readonly op: "to-srgb"; readonly profile: boolean } // to rgb, gray stays gray; profile: by the master's own profile
  | ({ readonly op: "sharpen" } & Sharpening)
  | { readonly op: "mirror" } // left and right change sides
  | { readonly op: "rotate"; readonly degrees: number } // clockwise, 0 to 360, any; uncovered corners transparent (alpha is added)
  | OverlayStep // gray or rgb, alpha stays; the overlay's pixels come with the kernels
  | { readonly op: "gray" }
  | { readonly op: "bitonal" } // one band, 0 or full scale
  | { readonly op: "flatten"; readonly background: readonly [number, number, number] } // 0 to 255 each; alpha goes
  | { readonly op: "depth"; readonly bits: 8 | 16 };

/** Names an overlay's picture by a digest of its file, and says its size. */
export interface OverlayStep extends OverlayLayout {
  readonly op: "overlay";
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  /** The answer keeps the colours of its master: the overlay is converted to the master's profile. */
  readonly profile: boolean;
}

export type Run = (pixels: PixelBuffer) => PixelBuffer;

/** Quicker ways to do a step, with the same result up to rounding. What is not there is done in TypeScript. */
export interface Kernels {
  /** As the plan's to-srgb step says, by the profile of the master at hand or none, made ready before the steps run. */
  toSrgb?(pixels: PixelBuffer): PixelBuffer;
  resize?(pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis): PixelBuffer;
  /** For linear light. */
  readonly lookups?: Lookups;
  sharpen?(pixels: PixelBuffer, how: Sharpening): PixelBuffer;
  rotate?(pixels: PixelBuffer, degrees: number): PixelBuffer;
  /** The overlay that the plan's step names, made ready before the steps run. Without it the step throws: no answer goes out unmarked. */
  overlay?(pixels: PixelBuffer, step: OverlayStep): PixelBuffer;
  /** One band with rows of its own stride; the answer's rows have no padding. */
  resamplePlane?(plane: Plane, x: ResampleAxis, y: ResampleAxis): Plane;
}

const runs = {
  orient: (step) => (pixels) => orient(pixels, step.orientation),
  crop: (step) => (pixels) => crop(pixels, step),
  resize: (step, kernels) => (pixels) => (kernels.resize ?? resize)(pixels, step.x, step.y),
  "to-srgb": (_, kernels) => kernels.toSrgb ?? toSrgb,
  "to-light": (_, kernels) => (pixels) => toLight(pixels, kernels.lookups),
  "from-light": (step, kernels) => (pixels) => fromLight(pixels, step.bits, kernels.lookups),
  sharpen: (step, kernels) => (pixels) => (kernels.sharpen ?? sharpen)(pixels, step),
  mirror: () => mirror,
  rotate: (step, kernels) => (pixels) => (kernels.rotate ?? rotate)(pixels, step.degrees),
  overlay: (step, kernels) => (pixels) => {
    if (!kernels.overlay) throw new Error("a plan has an overlay whose pixels are not there");
    return kernels.overlay(pixels, step);
  },
  gray: () => gray,
  bitonal: () => bitonal,
  flatten: (step) => (pixels) => flatten(pixels, step.background),
  depth: (step) => (pixels) => depth(pixels, step.bits),
} as const satisfies {
  readonly [Op in Step["op"]]: (step: Extract<Step, { op: Op }>, kernels: Kernels) => Run;
};

/**
 * The pixels after all steps, one after the other, with the kernels that there are. The buffer given is not changed; it
 * is returned when no step does anything.
 */
export function runSteps(pixels: PixelBuffer, steps: readonly Step[], kernels: Kernels = {}): PixelBuffer {
  return steps.reduce(
    (seen, step) => (runs[step.op] as (step: Step, kernels: Kernels) => Run)(step, kernels)(seen),
    pixels,
  );
}
