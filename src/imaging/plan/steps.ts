// The steps of a plan. Orientation, resampling and cropping derive from its transform, all others from
// policy, request and formats.

import type { ImageHeader, Rectangle } from "../codecs/image-header.ts";
import type { Embedding, Transform } from "../codecs/plan.ts";
import { invertOrientation } from "../pipeline/orientation.ts";
import { hasAlpha } from "../pipeline/pixels.ts";
import type { Step } from "../pipeline/step.ts";
import { colourSteps, isIdentity, resamplingSteps, uprightingSteps } from "../render/sampling.ts";
import type { PlanInput } from "./input.ts";
import { convertsColours } from "./metadata-policy.ts";
import type { OutputPolicy } from "./policy.ts";
import type { Sampling } from "./samples.ts";

/** Input of the steps of a plan. */
interface Stepping {
  readonly input: PlanInput;
  /** Header with the orientation that pixels are turned by. */
  readonly header: ImageHeader;
  readonly transform: Transform;
  /** Part of the upright image that is read, at the scale of the plan. */
  readonly window: Rectangle;
  readonly sampling: Sampling;
  readonly embedding: Embedding | undefined;
}

/** Returns all steps in order, from stored pixels to the pixels to encode. */
export function stepsOf({ input, header, transform, window, sampling, embedding }: Stepping): Step[] {
  const { linear, sharpen } = reductionSteps(sampling, input.policy);
  const converts = input.geometry.detail ? convertsColoursOfCells(input) : convertsColours(input);
  const colours = colourSteps(header, converts);
  const resampled = resamplingSteps(transform, window);
  return [
    ...uprightingSteps(transform),
    ...(linear
      ? [
          ...colours,
          { op: "to-light" } as const,
          ...resampled,
          { op: "from-light", bits: header.depth } as const,
        ]
      : [...resampled, ...colours]),
    ...(sharpen ? [{ op: "sharpen", ...sharpen } as const] : []),
    ...cropping(transform),
    ...(sampling.cells ? stepsFromCells(input, header, sampling.cells) : []),
    ...outputSteps(input, header, transform, embedding),
  ];
}

/** Returns the parts of the policy that apply to reduced derivatives; off for all others. */
export function reductionSteps(
  { reduced }: Pick<Sampling, "reduced">,
  { linear, sharpen }: Pick<OutputPolicy, "linear" | "sharpen">,
) {
  return { linear: reduced && linear, sharpen: reduced ? sharpen : undefined };
}

function cropping({ x, y, margins }: Transform): Step[] {
  const { left, right, top, bottom } = margins;
  if (left + right + top + bottom === 0) return [];
  return [{ op: "crop", left, top, width: x.size - left - right, height: y.size - top - bottom }];
}

/**
 * True if cells are converted to sRGB: decided as for a derivative of default quality in an unrestricted
 * format.
 */
const convertsColoursOfCells = (input: PlanInput) =>
  convertsColours({ ...input, request: { quality: "default" }, encoder: { rgbOnly: false, profiles: true } });

/**
 * Returns the steps from cells to the size of the derivative. Cells are rounded as in a derivative that shows
 * them directly, then reduced.
 */
function stepsFromCells(
  input: PlanInput,
  header: ImageHeader,
  { x, y }: NonNullable<Sampling["cells"]>,
): Step[] {
  const { linear, depth } = input.policy;
  const bits = depth === "source" ? header.depth : 8;
  const rounded: Step[] = header.depth === bits ? [] : [{ op: "depth", bits }];
  const colours = convertsColours(input) && !convertsColoursOfCells(input) ? colourSteps(header, true) : [];
  const resize: Step = { op: "resize", x, y };
  if (isIdentity(x) && isIdentity(y)) return [...rounded, ...colours];
  if (!linear) return [...rounded, resize, ...colours];
  return [...rounded, ...colours, { op: "to-light" }, resize, { op: "from-light", bits }];
}

/**
 * Returns the steps on pixels of the derivative's size: mirror, rotation, overlay, quality, then the removal
 * of what the format cannot hold.
 */
function outputSteps(
  { request, policy, encoder, overlay }: PlanInput,
  header: ImageHeader,
  { mirror, degrees }: Transform,
  embedding: Embedding | undefined,
): Step[] {
  const steps: Step[] = [];
  const gray = header.interpretation === "gray";
  if (mirror) steps.push({ op: "mirror" });
  if (degrees !== 0) steps.push({ op: "rotate", degrees });
  if (overlay) steps.push(...overlaySteps(overlay, embedding));
  const alpha = hasAlpha(header) || degrees % 90 !== 0;
  const bitonal = request.quality === "bitonal";
  if (alpha && (!encoder.alpha || bitonal)) steps.push({ op: "flatten", background: policy.background });
  if (bitonal) steps.push({ op: "bitonal" });
  else if (request.quality === "gray" && !gray) steps.push({ op: "gray" });
  const deep = policy.depth === "source" && encoder.depths.includes(16);
  if (header.depth === 16 && !deep) steps.push({ op: "depth", bits: 8 });
  return steps;
}

/**
 * Returns the steps that apply the overlay. It has to be upright in viewers, which turn the pixels if EXIF
 * still states an orientation.
 */
function overlaySteps(
  { image, settings }: NonNullable<PlanInput["overlay"]>,
  embedding: Embedding | undefined,
): Step[] {
  const { anchor, offset, fit, opacity } = settings;
  const { digest, width, height } = image;
  const profile = embedding?.profile === "source";
  const step: Step = { op: "overlay", digest, width, height, profile, anchor, offset, fit, opacity };
  const orientation = embedding?.orientation ?? 1;
  if (orientation === 1) return [step];
  return [{ op: "orient", orientation }, step, { op: "orient", orientation: invertOrientation(orientation) }];
}
