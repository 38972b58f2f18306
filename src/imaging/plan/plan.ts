// Plans a derivative from header facts and a resolved request: the region and scale to read, the steps, and
// the options of the encoder. Pure.

import { ImagingError, type Size } from "../../base/index.ts";
import type { Reduction } from "../codecs/codec.ts";
import type { ImageHeader } from "../codecs/image-header.ts";
import type { EncodeOptions, ReadRequest, RenderPlan, Transform } from "../codecs/plan.ts";
import { maxMetadataBytes } from "../metadata/metadata.ts";
import { orientationOf } from "../pipeline/orientation.ts";
import { workByRow } from "../pipeline/run-steps.ts";
import { type Shape, shapeAfter } from "../pipeline/shape.ts";
import { placeOverlay } from "../pipeline/steps/overlay-layout.ts";
import { blurReach } from "../pipeline/steps/sharpen.ts";
import { bilevelOf } from "../render/bilevel.ts";
import {
  axisAt,
  chooseScale,
  isIdentity,
  largestFactor,
  storedRegion,
  uprightSize,
  windowOf,
} from "../render/sampling.ts";
import type { PlanInput } from "./input.ts";
import { embeddingOf } from "./metadata-policy.ts";
import { asShown } from "./orientation.ts";
import { pitchOf, samplingOf, span } from "./samples.ts";
import { reductionSteps, stepsOf } from "./steps.ts";

/** Returns what a read says of a derivative that is exactly half as large. */
const halvingOf = (step: { readonly x: number; readonly y: number }, scaleFactor: number) =>
  step.x === 2 * scaleFactor && step.y === step.x ? ({ halvesSize: true } as const) : {};

/**
 * Plans one derivative. The request is in upright coordinates and the read in stored ones, so that only the
 * necessary part is decoded, in any orientation. Sampling positions are anchored at the origin of the image,
 * and the filter reads beyond the region if the image continues there, so that tiles of one level meet
 * without a seam. Throws ImagingError `too-large` if the format cannot hold the derivative.
 */
export function planRender(input: PlanInput): RenderPlan {
  const { page, request, geometry, policy, decoder, encoder } = input;
  const header = withWindow(asShown(input.header, policy), input);
  const upright = uprightSize(header);
  const orientation = orientationOf(header.orientation);
  const sampling = samplingOf(geometry, upright);
  const { start, size, step } = sampling;
  const { linear, sharpen } = reductionSteps(sampling, policy);
  // A blur reads beyond the derivative if the image continues there.
  const reach = sharpen ? blurReach(sharpen.radius) : 0;
  const across = span(start.x, size.width, step.x, upright.width, reach);
  const down = span(start.y, size.height, step.y, upright.height, reach);
  const axesAt = (factor: number) => ({
    x: axisAt(across, step.x, factor, upright.width, orientation.flipX),
    y: axisAt(down, step.y, factor, upright.height, orientation.flipY),
  });
  const isExact = ({ factor }: Pick<Reduction, "factor">) => Object.values(axesAt(factor)).every(isIdentity);
  // Cells have to be the same for every format.
  const halvesColour = !geometry.detail && encoder.halvesChroma && policy.chroma === "420";
  const reductions = decoder.scales?.of(header, halvesColour) ?? [];
  const usual =
    (linear ? undefined : reductions.filter(({ quality }) => quality === "exact").find(isExact)?.factor) ??
    chooseScale(reductions, header, Math.min(step.x, step.y), linear);
  const supersample = (isPowerOfTwo(step) && policy.supersample) || 1;
  const scaleFactor = largestFactor(reductions, ({ factor }) => factor * supersample <= usual);

  const level: Size = {
    width: Math.ceil(upright.width / scaleFactor),
    height: Math.ceil(upright.height / scaleFactor),
  };
  const { x, y } = axesAt(scaleFactor);
  const exact = isExact({ factor: scaleFactor });
  const window = exact ? { x: x.origin, y: y.origin, width: x.size, height: y.size } : windowOf(x, y, level);
  const readRegion = storedRegion(window, level, header, scaleFactor);

  const transform: Transform = {
    orientation: header.orientation,
    x,
    y,
    margins: {
      left: across.before,
      right: across.size - across.before - size.width,
      top: down.before,
      bottom: down.size - down.before - size.height,
    },
    mirror: request.rotation.mirror,
    degrees: request.rotation.degrees,
  };
  const embedding = embeddingOf(input);
  const steps = stepsOf({ input, header, transform, window, sampling, embedding });

  // Cells have to be the same for every format.
  const leavesOut = policy.jp2Effort && header.format === "jp2" && !geometry.detail && encoder.hidesLowBits;
  const read: ReadRequest = {
    header,
    page,
    region: readRegion,
    scaleFactor,
    ...(input.whole && ({ whole: true } as const)),
    ...(halvesColour && ({ halvesColour } as const)),
    ...halvingOf(step, scaleFactor),
    ...(header.windowed && { window: policy.window! }),
    ...(leavesOut && ({ effort: "visual" } as const)),
  };
  const decoded = {
    width: Math.ceil(readRegion.width / scaleFactor),
    height: Math.ceil(readRegion.height / scaleFactor),
    bands: header.bands,
    depth: header.depth,
    interpretation: header.interpretation,
  };
  const shapes = steps.map((_, i) => shapeAfter(decoded, steps.slice(0, i + 1)));
  const out = shapes.at(-1) ?? decoded;
  if (Math.max(out.width, out.height) > encoder.maxSide)
    throw new ImagingError(
      "too-large",
      `A ${request.format} image has at most ${encoder.maxSide} pixels a side, and this one would be ${out.width} by ${out.height}. Ask for a smaller size or another format.`,
      { code: "format_limit" },
    );
  const pitch = pitchOf(geometry);
  const write = {
    ...encodeOptions(input, header, pitch),
    ...bilevelOf(encoder, read, steps),
    ...(embedding && { embed: embedding }),
  };
  const bytes = [decoded, ...shapes].map((s) => s.width * s.height * s.bands * (s.depth / 8));
  const rows =
    encoder.byRows?.(write, out) && workByRow(steps)
      ? rowsAtOnce(decoder, read, Math.max(...bytes))
      : undefined;
  const embedded = embedding?.metadata ? 2 * Math.min(maxMetadataBytes, input.fileSize) : 0;
  const peakOfSteps = Math.max(0, ...bytes.slice(1).map((b, i) => b + (bytes[i] ?? 0)));
  const pixels = bytes.at(-1) ?? 0;
  const encoding = encodingMemory(encoder, out);
  /** Returns the peak bytes of the job, given those of reading. */
  const peakWith = (reading: number) =>
    Math.ceil(
      overlayMemory(input.overlay, out) +
        (rows === undefined
          ? Math.max(reading, peakOfSteps, 3 * pixels + encoding + embedded)
          : reading + peakOfSteps * (rows / readRegion.height) + encodedShare * pixels + embedded),
    );
  const reading = rows
    ? decoder.rows!.memory(read, rows, input.fileSize)
    : decoder.memory(read, input.fileSize);
  const stored = input.whole ? undefined : decoder.sidecar?.memoryWith?.(read, rows);
  return {
    read,
    transform,
    steps,
    write,
    ...(geometry.detail && ({ bySteps: true } as const)),
    ...(rows && { rows }),
    memory: peakWith(reading),
    ...(stored !== undefined && { withSidecar: { memory: peakWith(stored), reading: stored } }),
  };
}

/** Maximum bytes of decoded pixels at a time if a derivative is made by rows. */
const bytesAtOnce = 8 * 1024 * 1024;
/** Bytes of an encoded derivative, held in pieces and as a whole, per byte of pixels. */
const encodedShare = 1 / 2;

/**
 * Returns the number of full-size rows to decode at a time, given the `bytes` of all pixels; undefined for
 * all rows together.
 */
function rowsAtOnce(decoder: PlanInput["decoder"], read: ReadRequest, bytes: number): number | undefined {
  const { height } = read.region;
  const step = decoder.rows?.apart(read);
  if (step === undefined) return undefined;
  const rows = step * Math.max(1, Math.floor((bytesAtOnce / bytes) * (height / step)));
  return rows < height ? rows : undefined;
}

const isPowerOfTwo = ({ x, y }: { readonly x: number; readonly y: number }) =>
  x === y && x >= 1 && Number.isInteger(Math.log2(x));

/**
 * Returns the header of a master, marked if derivatives show a range of its values: those of its kind need
 * not use the whole range of their type.
 */
const withWindow = (header: ImageHeader, { policy, decoder }: PlanInput): ImageHeader =>
  policy.window && decoder.hasWindow?.(header) ? { ...header, windowed: true } : header;

const encodingMemory = ({ memory }: PlanInput["encoder"], derivative: Shape) => memory?.(derivative) ?? 0;

/**
 * Returns the bytes of an overlay's pixels: in its own size, in its size on the derivative, and once more in
 * the colours of the derivative.
 */
function overlayMemory(overlay: PlanInput["overlay"], derivative: Size): number {
  if (!overlay) return 0;
  const { image, settings } = overlay;
  const placement = placeOverlay(derivative, image, settings);
  return 4 * (image.width * image.height + 2 * placement.width * placement.height);
}

function encodeOptions(
  { request, policy, encoder }: PlanInput,
  header: ImageHeader,
  step: { x: number; y: number },
): EncodeOptions {
  const { swap } = orientationOf(header.orientation);
  const turned = request.rotation.degrees === 90 || request.rotation.degrees === 270;
  const stored = header.resolution;
  const upright = stored && (swap ? { x: stored.y, y: stored.x } : stored);
  const scaled = upright && { x: upright.x / step.x, y: upright.y / step.y };
  const resolution = scaled && turned ? { x: scaled.y, y: scaled.x } : scaled;
  return {
    format: request.format,
    quality: encoder.quality ? policy[encoder.quality] : 100,
    progressive: policy.progressive,
    chroma: policy.chroma,
    encoder: policy.encoder,
    passthrough: policy.supersample && isPowerOfTwo(step) ? "off" : policy.passthrough,
    ...(resolution && request.rotation.degrees % 90 === 0 ? { resolution } : {}),
  };
}
