// Estimated duration of a plan: derived from the pixels that it decodes, changes and encodes.

import type { Size } from "../../base/index.ts";
import type { Decoder } from "../codecs/codec.ts";
import { readingOf, writingOf } from "../codecs/formats.ts";
import type { ReadRequest, RenderPlan } from "../codecs/plan.ts";
import { type Shape, shapeAfter } from "../pipeline/shape.ts";
import { placeOverlay } from "../pipeline/steps/overlay-layout.ts";

/** Nanoseconds per input and output pixel of each step. */
const stepNs = 5;

const area = ({ width, height }: Size) => width * height;

/**
 * Returns the estimated nanoseconds of a plan. `builds`: true if the job makes the parts of a sidecar that it
 * needs.
 */
export function planNs(
  { read, steps, write }: Pick<RenderPlan, "read" | "steps" | "write">,
  decoder: Pick<Decoder, "decodedPixels" | "sidecar">,
  builds: boolean,
): number {
  const { header, region, scaleFactor } = read;
  const decoded = {
    width: Math.ceil(region.width / scaleFactor),
    height: Math.ceil(region.height / scaleFactor),
    bands: header.bands,
    depth: header.depth,
    interpretation: header.interpretation,
  };
  const shapes = [decoded, ...steps.map((_, i) => shapeAfter(decoded, steps.slice(0, i + 1)))];
  const out = shapes.at(-1) ?? decoded;
  const stepPixels = shapes
    .slice(1)
    .reduce((sum, shape, i) => sum + area(shape) + area(shapes[i] ?? shape), 0);
  return (
    decoder.decodedPixels(read) * readingOf(header.format).nsPerPixel +
    (builds ? buildNsOf(decoder, read) : 0) +
    (stepPixels + countOverlayPixels(steps, shapes)) * stepNs +
    encodingNs(write.format, out)
  );
}

function encodingNs(format: string, derivative: Shape): number {
  const { nsPerPixel } = writingOf(format);
  return area(derivative) * (typeof nsPerPixel === "number" ? nsPerPixel : nsPerPixel(derivative));
}

/** Returns the nanoseconds that a read takes in addition if it has to make the parts of the sidecar. */
const buildNsOf = ({ sidecar }: Pick<Decoder, "sidecar">, read: ReadRequest) =>
  sidecar?.nsWithout?.(read) ?? area(read.header) * (sidecar?.nsPerPixel(read.header, "ground") ?? 0);

/** Returns the number of source and target pixels of an overlay that has to be resampled; 0 for any other. */
function countOverlayPixels(steps: RenderPlan["steps"], shapes: readonly Shape[]): number {
  const at = steps.findIndex(({ op }) => op === "overlay");
  const step = steps[at];
  const derivative = shapes[at + 1];
  if (step?.op !== "overlay" || !derivative) return 0;
  const placement = placeOverlay(derivative, step, step);
  return placement.width === step.width && placement.height === step.height
    ? 0
    : area(step) + area(placement);
}
