// Makes a JPEG derivative from a JPEG file without RGB in between: each plane is decoded, resampled and
// encoded separately.

import type { JobStages } from "../../../../base/index.ts";
import { isCopy, sourceWindow } from "../../../pipeline/kernel.ts";
import type { Kernels, ResampleAxis } from "../../../pipeline/step.ts";
import type { Rectangle } from "../../image-header.ts";
import type { EncodeOptions } from "../../plan.ts";
import type { Plane as EncoderPlane, JpegPlanes } from "../encode/input.ts";
import type { Transformer } from "../lossless/transform.ts";
import type { Frame, JpegReader, Plane, ScaleFactor } from "../region/index.ts";
import type { OpenJpeg } from "../sidecar/opening.ts";
import { type PlaneTarget, reverse, turnOf, widen } from "./target.ts";
import { turnPlane } from "./turn-plane.ts";

/** JPEG data of which planes are made, and the levels that may already have them. */
export interface PlanesSource extends Pick<OpenJpeg, "level2" | "smallerLevels"> {
  readonly reader: Pick<JpegReader, "frame" | "withPlanes">;
}

/** What planes are made with. */
interface PlaneTools {
  readonly kernels: Kernels;
  readonly transformer: () => Transformer;
  readonly stages?: JobStages | undefined;
}

/**
 * Decodes the planes that the target needs and returns them as input of the encoder; undefined if memory for
 * turning them runs out.
 */
export async function planesOf(
  file: PlanesSource,
  target: PlaneTarget,
  { scaleFactor, chroma }: { readonly scaleFactor: number; readonly chroma: EncodeOptions["chroma"] },
  { kernels, transformer, stages }: PlaneTools,
): Promise<JpegPlanes | undefined> {
  const { frame } = file.reader;
  const halved = chroma === "420" && !target.gray;
  const wanted = wantedPartsOf(frame, target, halved);
  /** Returns the encoder's input, made from the samples of each component. */
  const finish = (samplesOf: (want: WantedPlane, component: number) => EncoderPlane | undefined) => {
    stages?.enter("steps");
    const turn = turnOf(target);
    const made: EncoderPlane[] = [];
    for (const [i, want] of wanted.entries()) {
      const out = samplesOf(want, i);
      const turned = out && turnPlane(out, turn, transformer);
      if (!turned) return undefined;
      made.push(i === 0 && target.sharpen ? sharpenPlane(turned, target.sharpen, kernels) : turned);
    }
    const { across, down, gray } = target;
    const sampling = gray ? "gray" : halved ? "420" : "444";
    return { kind: "planes", width: across.size, height: down.size, planes: made, sampling } as const;
  };

  const stored =
    scaleFactor === 8 ? smallSamples(file, wanted) : await halfSamples(file, scaleFactor, wanted);
  if (stored) return finish((_, i) => stored[i]);
  return withSamples(file, wanted, scaleFactor, kernels.resamplePlane, finish);
}

/**
 * Decodes what the wanted planes need. Returns the result of `use`, which must not wait, from their samples.
 */
function withSamples<T>(
  { reader }: PlanesSource,
  wanted: readonly WantedPlane[],
  scaleFactor: number,
  resamplePlane: Kernels["resamplePlane"],
  use: (samplesOf: (want: WantedPlane, component: number) => EncoderPlane) => T,
): Promise<T> {
  const colours = wanted.slice(1);
  const half = colours.length > 0 && colours.every((want) => isHalfEnough(want, scaleFactor));
  const decoded = wanted.map((want, i) => (i > 0 && half ? halvedGrid(want) : want));
  return reader.withPlanes(
    regionFor(reader.frame, scaleFactor, decoded),
    scaleFactor as ScaleFactor,
    colours.length === 0 ? "none" : half ? "half" : "stored",
    (planes) =>
      use(({ x, y }, i) => {
        const plane = planes[i] as Plane;
        const across = onSamples({ ...x, pixels: plane.pixelsAcross });
        const down = onSamples({ ...y, pixels: plane.pixelsDown });
        return samples(plane, across, down, resamplePlane);
      }),
  );
}

/** Returns the part of each component that the target needs. */
function wantedPartsOf(frame: Frame, target: PlaneTarget, halved: boolean): readonly WantedPlane[] {
  return frame.components.slice(0, target.gray ? 1 : 3).map((component, i) => {
    const half = i > 0 && halved ? 2 : 1;
    const seen = i === 0 ? target.sharpen : undefined;
    const across = seen ? widen(target.across, seen.across) : target.across;
    const down = seen ? widen(target.down, seen.down) : target.down;
    const [x, y] = target.swap ? [down, across] : [across, down];
    return {
      x: { axis: outputAxis(x, half), pixels: frame.hMax / component.h },
      y: { axis: outputAxis(y, half), pixels: frame.vMax / component.v },
    };
  });
}

/** Returns the samples of all components if a level below 1/8 contains exactly these; undefined otherwise. */
function smallSamples(
  { smallerLevels }: PlanesSource,
  wanted: readonly WantedPlane[],
): readonly EncoderPlane[] | undefined {
  const found = wanted.flatMap(({ x, y }, component) => {
    const plane = smallerLevels?.samples(component, onSamples(x), onSamples(y));
    return plane ? [plane] : [];
  });
  return found.length === wanted.length ? found : undefined;
}

/** Returns the samples of all components if the level at 1/2 contains exactly these; undefined otherwise. */
async function halfSamples({ level2 }: PlanesSource, scaleFactor: number, wanted: readonly WantedPlane[]) {
  if (!level2 || scaleFactor !== 1) return undefined;
  return level2.samples(wanted.map(({ x, y }) => ({ x: x.axis, y: y.axis })));
}

/**
 * Returns rows of the image at 1/2, of whole width: those of a derivative of that size with halved colour.
 * `top` and `rows` count rows of the derivative.
 */
export function halvedRows(
  file: PlanesSource,
  top: number,
  rows: number,
  resamplePlane: Kernels["resamplePlane"],
): Promise<readonly EncoderPlane[]> {
  const { width, components } = file.reader.frame;
  const target: PlaneTarget = {
    across: { size: Math.ceil(width / 2), origin: 0, scale: 2 },
    down: { size: rows, origin: 2 * top, scale: 2 },
    swap: false,
    gray: components.length === 1,
    sharpen: undefined,
  };
  const wanted = wantedPartsOf(file.reader.frame, target, true);
  return withSamples(file, wanted, 1, resamplePlane, (samplesOf) => wanted.map(samplesOf));
}

/**
 * True if the blocks of a component at half size suffice. They do if they are exactly the required samples:
 * transforms of 4x4 and 2x2 coefficients are as good as a filter there (0.01 dB), but the mean of a block
 * loses 0.35 dB. They also do if a filter makes the last step of 2 or more, as for chroma that is stored in
 * full and needed at half size. At 1/4 all components have a quarter of their own size.
 */
function isHalfEnough(want: WantedPlane, scaleFactor: number): boolean {
  const { x, y } = halvedGrid(want);
  const axes = [onSamples(x), onSamples(y)];
  return scaleFactor <= 2 && (axes.every(isCopy) || axes.every(({ scale }) => scale >= 2));
}

const halvedGrid = ({ x, y }: WantedPlane): WantedPlane => ({
  x: { ...x, pixels: 2 * x.pixels },
  y: { ...y, pixels: 2 * y.pixels },
});

/**
 * An axis of the stored image, in pixels of the reduced image, and how many of these a sample of the
 * component covers.
 */
interface WantedAxis {
  readonly axis: ResampleAxis;
  readonly pixels: number;
}

interface WantedPlane {
  readonly x: WantedAxis;
  readonly y: WantedAxis;
}

/**
 * Returns the axis of a derivative's plane, each of whose samples covers `half` (1 or 2) of the derivative's
 * pixels. Backward axes are reversed after pairing, so that pairs of pixels are those of the turned image.
 */
function outputAxis(axis: ResampleAxis, half: number): ResampleAxis {
  const paired = { ...axis, size: Math.ceil(axis.size / half), scale: axis.scale * half };
  return paired.scale < 0 ? reverse(paired) : paired;
}

const onSamples = ({ axis, pixels }: WantedAxis): ResampleAxis => ({
  size: axis.size,
  origin: axis.origin / pixels,
  scale: axis.scale / pixels,
});

/** Returns the full-size pixels that all planes together need, including filter margins. */
function regionFor(frame: Frame, scaleFactor: number, wanted: readonly WantedPlane[]): Rectangle {
  const x = spanOf(frame.width, scaleFactor, wanted, "x");
  const y = spanOf(frame.height, scaleFactor, wanted, "y");
  return { x: x.start, y: y.start, width: x.end - x.start, height: y.end - y.start };
}

/** Returns the part of a side of `full` pixels that all planes together need. */
function spanOf(full: number, scaleFactor: number, wanted: readonly WantedPlane[], side: "x" | "y") {
  let start = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const { [side]: axis } of wanted) {
    const unit = axis.pixels * scaleFactor;
    const window = sourceWindow(onSamples(axis), Math.ceil(full / unit));
    start = Math.min(start, Math.floor(window.start * unit));
    end = Math.max(end, Math.ceil(window.end * unit));
  }
  // Scaled decoding starts at whole reduced pixels, and halved chroma at pairs of them.
  const grid = scaleFactor * 2;
  start = Math.floor(start / grid) * grid;
  return { start, end: Math.min(full, Math.ceil(end / grid) * grid) };
}

/** Returns upright luma sharpened, without the margins that sharpening read. */
function sharpenPlane(
  { data, width, height, stride }: EncoderPlane,
  how: NonNullable<PlaneTarget["sharpen"]>,
  kernels: Kernels,
): EncoderPlane {
  const packed = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) packed.set(data.subarray(y * stride, y * stride + width), y * width);
  const luma = { width, height, bands: 1, interpretation: "gray", data: packed } as const;
  const { across, down } = how;
  return {
    data: (kernels.sharpen(luma, how).data as Uint8Array).subarray(down.before * width + across.before),
    width: width - across.before - across.after,
    height: height - down.before - down.after,
    stride: width,
  };
}

/** Returns the samples of a derivative's plane: a part of the decoded plane, unchanged or resampled. */
function samples(plane: Plane, x: ResampleAxis, y: ResampleAxis, resamplePlane: Kernels["resamplePlane"]) {
  const window = {
    x: sourceWindow(x, plane.left + plane.width),
    y: sourceWindow(y, plane.top + plane.height),
  };
  const left = window.x.start - plane.left;
  const top = window.y.start - plane.top;
  const part = {
    data: plane.data.subarray(top * plane.stride + left),
    width: window.x.end - window.x.start,
    height: window.y.end - window.y.start,
    stride: plane.stride,
  };
  const isInside = window.x.start === x.origin && window.x.end === x.origin + x.size;
  const isInsideDown = window.y.start === y.origin && window.y.end === y.origin + y.size;
  if (isCopy(x) && isCopy(y) && isInside && isInsideDown)
    return { ...part, data: part.data.slice(0, part.height * part.stride) };
  const made = resamplePlane(
    part,
    { ...x, origin: x.origin - window.x.start },
    { ...y, origin: y.origin - window.y.start },
  );
  return { ...made, data: made.data as Uint8Array };
}
