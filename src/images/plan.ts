// From header facts and a resolved request to what to read at which scale, which steps, what to write. Pure.

import type { EncodeOptions, ImageHeader, Rectangle } from "../codecs/codec.ts";
import type { RenderPlan } from "../codecs/job.ts";
import { ServiceError } from "../errors.ts";
import type { Geometry } from "../iiif/image/geometry.ts";
import type { ImageRequest } from "../iiif/image/request.ts";
import { orientationOf } from "../pipeline/orientation.ts";
import { sourceWindow } from "../pipeline/resize.ts";
import { type ResampleAxis, type Step, shapeAfter } from "../pipeline/steps.ts";
import { type Size, uprightSize } from "./orientation.ts";
import type { CodecFacts, OutputPolicy } from "./policy.ts";

/** How much larger than the answer a decoder has to deliver where its scales are not its own (see `ownScales`). */
const headroom = 2;

export interface PlanInput {
  readonly header: ImageHeader;
  /** 1-based. */
  readonly page: number;
  /** Length of the master in bytes. */
  readonly fileSize: number;
  readonly request: ImageRequest;
  readonly geometry: Geometry;
  readonly policy: OutputPolicy;
  /** The codecs of the master and of the answer. */
  readonly decoder: CodecFacts["decoder"];
  readonly encoder: CodecFacts["encoder"];
}

/**
 * Plans one derivative. Coordinates of the request are upright ones; what is read is stored ones, so only the part
 * that the answer needs is decoded, whatever the orientation. Sampling positions are anchored at the image's origin
 * and the filter reads beyond the region where the image goes on, so tiles of one level meet without a seam (D-23).
 * Throws ServiceError `too-large` when the format cannot hold the answer.
 */
export function planRender(input: PlanInput): RenderPlan {
  const { header, page, request, geometry, policy, decoder, encoder } = input;
  const { region, size } = geometry;
  const upright = uprightSize(header);
  const orientation = orientationOf(header.orientation);
  const step = {
    x: geometry.scaleFactor ?? region.width / size.width,
    y: geometry.scaleFactor ?? region.height / size.height,
  };
  const scaleFactor = chooseScale(decoder, header, Math.min(step.x, step.y));

  const reduced: Size = {
    width: Math.ceil(upright.width / scaleFactor),
    height: Math.ceil(upright.height / scaleFactor),
  };
  const x = axis(region.x, size.width, step.x, scaleFactor, upright.width, orientation.flipX);
  const y = axis(region.y, size.height, step.y, scaleFactor, upright.height, orientation.flipY);
  const exact = isIdentity(x) && isIdentity(y);
  const window = exact ? { x: x.origin, y: y.origin, ...size } : windowOf(x, y, reduced);
  const readRegion = storedRegion(window, reduced, header, scaleFactor);

  const steps: Step[] = [];
  if (header.orientation !== 1) steps.push({ op: "orient", orientation: header.orientation });
  if (!exact)
    steps.push({
      op: "resize",
      x: { ...x, origin: x.origin - window.x },
      y: { ...y, origin: y.origin - window.y },
    });
  steps.push(...outputSteps(input, header));

  const read = { header, page, region: readRegion, scaleFactor };
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
    throw new ServiceError(
      "too-large",
      `A ${request.format} image has at most ${encoder.maxSide} pixels a side, and this one would be ${out.width} by ${out.height}. Ask for a smaller size or another format.`,
      { code: "format_limit" },
    );
  const bytes = [decoded, ...shapes].map((s) => s.width * s.height * s.bands * (s.depth / 8));
  const peakOfSteps = Math.max(0, ...bytes.slice(1).map((b, i) => b + (bytes[i] ?? 0)));
  const encoding = (bytes.at(-1) ?? 0) * 3;
  const memory = Math.max(decoder.memory(read, input.fileSize), peakOfSteps, encoding);
  return { read, steps, write: encodeOptions(request, policy, header, step), memory: Math.ceil(memory) };
}

/** The largest factor that a decoder offers and that is as good as what is wanted; 1 at least. */
function chooseScale(decoder: PlanInput["decoder"], header: ImageHeader, wanted: number): number {
  const own = decoder.ownScales?.(header).filter((factor) => factor <= wanted) ?? [];
  const others = decoder.scaleFactors(header).filter((factor) => factor * headroom <= wanted);
  return Math.max(1, ...own, ...others);
}

/** One axis on the reduced, upright picture. A turned axis begins where the last, partly filled sample ends. */
function axis(
  start: number,
  size: number,
  step: number,
  scaleFactor: number,
  full: number,
  flipped: boolean,
): ResampleAxis {
  const shift = flipped ? Math.ceil(full / scaleFactor) - full / scaleFactor : 0;
  return { size, origin: start / scaleFactor + shift, scale: step / scaleFactor };
}

const isIdentity = (a: ResampleAxis) => a.scale === 1 && Number.isInteger(a.origin);

function windowOf(x: ResampleAxis, y: ResampleAxis, reduced: Size): Rectangle {
  const h = sourceWindow(x, reduced.width);
  const v = sourceWindow(y, reduced.height);
  return { x: h.start, y: v.start, width: h.end - h.start, height: v.end - v.start };
}

/** A window of the reduced upright picture as full-size pixels of the stored one. */
function storedRegion(window: Rectangle, reduced: Size, header: ImageHeader, scaleFactor: number): Rectangle {
  const { swap, flipX, flipY } = orientationOf(header.orientation);
  const left = flipX ? reduced.width - window.x - window.width : window.x;
  const top = flipY ? reduced.height - window.y - window.height : window.y;
  const at = swap
    ? { x: top, y: left, width: window.height, height: window.width }
    : { x: left, y: top, width: window.width, height: window.height };
  const x = at.x * scaleFactor;
  const y = at.y * scaleFactor;
  return {
    x,
    y,
    width: Math.min(at.width * scaleFactor, header.width - x),
    height: Math.min(at.height * scaleFactor, header.height - y),
  };
}

/** What happens to the pixels of the answer's size: colour, mirror, rotation, quality, then what the format cannot hold. */
function outputSteps({ request, policy, encoder }: PlanInput, header: ImageHeader): Step[] {
  const steps: Step[] = [];
  const { mirror, degrees } = request.rotation;
  const gray = header.interpretation === "gray";
  if (header.interpretation === "cmyk" || header.interpretation === "ycc") steps.push({ op: "to-srgb", profile: false });
  if (mirror) steps.push({ op: "mirror" });
  if (degrees !== 0) steps.push({ op: "rotate", degrees });
  const alpha = (header.interpretation !== "cmyk" && header.bands % 2 === 0) || degrees % 90 !== 0;
  const bitonal = request.quality === "bitonal";
  if (alpha && (!encoder.alpha || bitonal)) steps.push({ op: "flatten", background: policy.background });
  if (bitonal) steps.push({ op: "bitonal" });
  else if (request.quality === "gray" && !gray) steps.push({ op: "gray" });
  const deep = policy.depth === "source" && encoder.depths.includes(16);
  if (header.depth === 16 && !deep) steps.push({ op: "depth", bits: 8 });
  return steps;
}

function encodeOptions(
  request: ImageRequest,
  policy: OutputPolicy,
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
    quality: request.format === "webp" ? policy.webpQuality : policy.jpegQuality,
    progressive: policy.progressive,
    chroma: policy.chroma,
    encoder: policy.encoder,
    passthrough: policy.passthrough,
    ...(resolution && request.rotation.degrees % 90 === 0 ? { resolution } : {}),
  };
}
