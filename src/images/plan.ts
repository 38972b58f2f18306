// From header facts and a resolved request to what to read at which scale, which steps, what to write. Pure.

import { mostBlockBytes } from "../codecs/blocks.ts";
import type { Reduction } from "../codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../codecs/image-header.ts";
import type { Carry, EncodeOptions, ReadRequest, RenderPlan } from "../codecs/plan.ts";
import { ServiceError } from "../errors.ts";
import type { Geometry } from "../iiif/image/geometry.ts";
import type { ImageRequest } from "../iiif/image/request.ts";
import { backOrientation, orientationOf } from "../pipeline/orientation.ts";
import { hasAlpha } from "../pipeline/pixels.ts";
import { shapeAfter } from "../pipeline/shape.ts";
import type { ResampleAxis, Step } from "../pipeline/step.ts";
import { placeOverlay } from "../pipeline/steps/overlay-layout.ts";
import { blurReach } from "../pipeline/steps/sharpen.ts";
import { carryOf, convertsColours } from "./carry.ts";
import { asShown, type Size, uprightSize } from "./orientation.ts";
import type { Overlay } from "./overlays.ts";
import type { CodecFacts, OutputPolicy } from "./policy.ts";
import { pitchOf, type Sampling, type Span, samplingOf, span, windowOf } from "./sampling.ts";

/** How many times the answer's size a decoder has to deliver, at least, where its pixels are not as good as a resampling. */
const leastHeadroom = 2;
/** The same of averages, where the whole picture at that scale has at most this many pixels. */
const usualHeadroom = 4;
const mostPixels = 64e6;
/** The same for reductions in linear light: a decoder's own are not. */
const linearHeadroom = 4;

export interface PlanInput {
  readonly header: ImageHeader;
  /** 1-based. */
  readonly page: number;
  /** Length of the master in bytes. */
  readonly fileSize: number;
  /** As {@link ReadRequest.whole}. */
  readonly whole?: boolean;
  readonly request: ImageRequest;
  readonly geometry: Geometry;
  readonly policy: OutputPolicy;
  /** What is laid on the answer; absent: nothing. */
  readonly overlay?: Pick<Overlay, "image" | "settings"> | undefined;
  /** As in `carryOf`. */
  readonly confined?: boolean;
  /** The codecs of the master and of the answer. */
  readonly decoder: CodecFacts["decoder"];
  readonly encoder: CodecFacts["encoder"];
}

/**
 * Plans one derivative. Coordinates of the request are upright ones; what is read is stored ones, so only the part
 * that the answer needs is decoded, whatever the orientation. Sampling positions are anchored at the image's origin
 * and the filter reads beyond the region where the image goes on, so tiles of one level meet without a seam.
 * Throws ServiceError `too-large` when the format cannot hold the answer.
 */
export function planRender(input: PlanInput): RenderPlan {
  const { page, request, geometry, policy, decoder, encoder } = input;
  const header = asShown(input.header, policy);
  const upright = uprightSize(header);
  const orientation = orientationOf(header.orientation);
  const sampling = samplingOf(geometry, upright);
  const { start, size, step, reduced } = sampling;
  const linear = reduced && policy.linear;
  const sharpen = reduced ? policy.sharpen : undefined;
  // A blur looks beyond the answer where the picture goes on.
  const reach = sharpen ? blurReach(sharpen.radius) : 0;
  const across = span(start.x, size.width, step.x, upright.width, reach);
  const down = span(start.y, size.height, step.y, upright.height, reach);
  const axesAt = (factor: number) => ({
    x: axis(across, step.x, factor, upright.width, orientation.flipX),
    y: axis(down, step.y, factor, upright.height, orientation.flipY),
  });
  const isExact = ({ factor }: Pick<Reduction, "factor">) => Object.values(axesAt(factor)).every(isIdentity);
  // Cells are the same for every format.
  const halvesColour = !geometry.detail && request.format === "jpg" && policy.chroma === "420";
  const times = timesDecoded(policy, step, linear);
  const reductions = decoder.scales?.of(header, halvesColour) ?? [];
  const scaleFactor =
    (times ? undefined : reductions.filter(({ quality }) => quality === "exact").find(isExact)?.factor) ??
    chooseScale(reductions, header, Math.min(step.x, step.y), times);

  const level: Size = {
    width: Math.ceil(upright.width / scaleFactor),
    height: Math.ceil(upright.height / scaleFactor),
  };
  const { x, y } = axesAt(scaleFactor);
  const exact = isExact({ factor: scaleFactor });
  const window = exact ? { x: x.origin, y: y.origin, width: x.size, height: y.size } : windowOf(x, y, level);
  const readRegion = storedRegion(window, level, header, scaleFactor);

  const steps: Step[] = [];
  const converts = geometry.detail ? convertsColoursOfCells(input) : convertsColours(input);
  if (header.orientation !== 1) steps.push({ op: "orient", orientation: header.orientation });
  if (linear) steps.push(...colourSteps(header, converts), { op: "to-light" });
  if (!exact)
    steps.push({
      op: "resize",
      x: { ...x, origin: x.origin - window.x },
      y: { ...y, origin: y.origin - window.y },
    });
  if (linear) steps.push({ op: "from-light", bits: header.depth });
  else steps.push(...colourSteps(header, converts));
  if (sharpen) steps.push({ op: "sharpen", ...sharpen });
  if (across.size > size.width || down.size > size.height)
    steps.push({ op: "crop", left: across.before, top: down.before, ...size });
  if (sampling.cells) steps.push(...stepsFromCells(input, header, sampling.cells));
  const carry = carryOf(input);
  steps.push(...outputSteps(input, header, carry));

  const percentiles = windowFor(header, policy);
  const read: ReadRequest = {
    header,
    page,
    region: readRegion,
    scaleFactor,
    ...(input.whole && ({ whole: true } as const)),
    ...(halvesColour && ({ halvesColour } as const)),
    ...(percentiles && { window: percentiles }),
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
    throw new ServiceError(
      "too-large",
      `A ${request.format} image has at most ${encoder.maxSide} pixels a side, and this one would be ${out.width} by ${out.height}. Ask for a smaller size or another format.`,
      { code: "format_limit" },
    );
  const bytes = [decoded, ...shapes].map((s) => s.width * s.height * s.bands * (s.depth / 8));
  const peakOfSteps = Math.max(0, ...bytes.slice(1).map((b, i) => b + (bytes[i] ?? 0)));
  const encoding = (bytes.at(-1) ?? 0) * 3;
  const carried = carry?.metadata ? 2 * Math.min(mostBlockBytes, input.fileSize) : 0;
  const memory =
    Math.max(decoder.memory(read, input.fileSize), peakOfSteps, encoding + carried) +
    overlayMemory(input.overlay, out);
  const pitch = pitchOf(geometry);
  const write = { ...encodeOptions(request, policy, header, pitch), ...(carry && { carry }) };
  const bySteps = geometry.detail && ({ bySteps: true } as const);
  return { read, steps, write, ...bySteps, memory: Math.ceil(memory) };
}

/** Whether cells have the colours of sRGB: as in the answer that takes the fewest steps from the master. */
const convertsColoursOfCells = (input: PlanInput) =>
  convertsColours({ ...input, request: { quality: "default" }, encoder: {} });

/** From cells to the answer's size: cells are rounded as in the answer that shows them, then reduced. */
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

/** How many times the answer's size the policy wants decoded, whatever the decoder; undefined where it does not say. */
function timesDecoded(
  { supersample }: OutputPolicy,
  step: { readonly x: number; readonly y: number },
  linear: boolean,
): number | undefined {
  const times = Math.max((isPowerOfTwo(step) && supersample) || 1, linear ? linearHeadroom : 1);
  return times > 1 ? times : undefined;
}

const isPowerOfTwo = ({ x, y }: { readonly x: number; readonly y: number }) =>
  x === y && x >= 1 && Number.isInteger(Math.log2(x));

/** The percentiles to show, for the kinds of masters whose values need not fill their type. */
function windowFor({ format, depth, interpretation, bands }: ImageHeader, { window }: OutputPolicy) {
  const plain = (interpretation === "gray" && bands === 1) || (interpretation === "rgb" && bands === 3);
  return format === "tif" && depth === 16 && plain ? window : undefined;
}

/** The largest reduction that is as good as what is wanted; 1 at least. */
function chooseScale(
  reductions: readonly Reduction[],
  header: ImageHeader,
  wanted: number,
  times: number | undefined,
): number {
  const largest = (ofAverages: number) => {
    const headroom = { level: 1, exact: leastHeadroom, frequencies: leastHeadroom, averages: ofAverages };
    const fits = ({ factor, quality }: Reduction) => factor * (times ?? headroom[quality]) <= wanted;
    return Math.max(1, ...reductions.filter(fits).map(({ factor }) => factor));
  };
  // Never by the region: all tiles of a level are made from one scale.
  const usual = largest(usualHeadroom);
  return header.width * header.height <= mostPixels * usual ** 2 ? usual : largest(leastHeadroom);
}

/** One axis on the reduced, upright picture. A turned axis begins where the last, partly filled sample ends. */
function axis(
  { start, size }: Span,
  step: number,
  scaleFactor: number,
  full: number,
  flipped: boolean,
): ResampleAxis {
  const shift = flipped ? Math.ceil(full / scaleFactor) - full / scaleFactor : 0;
  return { size, origin: start / scaleFactor + shift, scale: step / scaleFactor };
}

const isIdentity = (a: ResampleAxis) => a.scale === 1 && Number.isInteger(a.origin);

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

/** To the colours of answers. */
function colourSteps({ interpretation, colour }: ImageHeader, converts: boolean): Step[] {
  const told = colour !== undefined && !colour.srgb && colour.ignored === undefined;
  if (converts && told) return [{ op: "to-srgb", profile: true }];
  return interpretation === "gray" || interpretation === "rgb" ? [] : [{ op: "to-srgb", profile: false }];
}

/** What happens to the pixels of the answer's size: mirror, rotation, quality, then what the format cannot hold. */
function outputSteps(
  { request, policy, encoder, overlay }: PlanInput,
  header: ImageHeader,
  carry: Carry | undefined,
): Step[] {
  const steps: Step[] = [];
  const { mirror, degrees } = request.rotation;
  const gray = header.interpretation === "gray";
  if (mirror) steps.push({ op: "mirror" });
  if (degrees !== 0) steps.push({ op: "rotate", degrees });
  if (overlay) steps.push(...overlaySteps(overlay, carry));
  const alpha = hasAlpha(header) || degrees % 90 !== 0;
  const bitonal = request.quality === "bitonal";
  if (alpha && (!encoder.alpha || bitonal)) steps.push({ op: "flatten", background: policy.background });
  if (bitonal) steps.push({ op: "bitonal" });
  else if (request.quality === "gray" && !gray) steps.push({ op: "gray" });
  const deep = policy.depth === "source" && encoder.depths.includes(16);
  if (header.depth === 16 && !deep) steps.push({ op: "depth", bits: 8 });
  return steps;
}

/** On the pixels as they will be seen: viewers turn those whose orientation EXIF goes on telling. */
function overlaySteps(
  { image, settings }: NonNullable<PlanInput["overlay"]>,
  carry: Carry | undefined,
): Step[] {
  const { anchor, offset, fit, opacity } = settings;
  const { digest, width, height } = image;
  const profile = carry?.profile === "source";
  const step: Step = { op: "overlay", digest, width, height, profile, anchor, offset, fit, opacity };
  const orientation = carry?.orientation ?? 1;
  if (orientation === 1) return [step];
  return [{ op: "orient", orientation }, step, { op: "orient", orientation: backOrientation(orientation) }];
}

/** Its pixels, and those in the size that they are laid on in, once more in the answer's colours. */
function overlayMemory(overlay: PlanInput["overlay"], answer: Size): number {
  if (!overlay) return 0;
  const { image, settings } = overlay;
  const placed = placeOverlay(answer, image, settings);
  return 4 * (image.width * image.height + 2 * placed.width * placed.height);
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
    passthrough: policy.supersample && isPowerOfTwo(step) ? "off" : policy.passthrough,
    ...(resolution && request.rotation.degrees % 90 === 0 ? { resolution } : {}),
  };
}
