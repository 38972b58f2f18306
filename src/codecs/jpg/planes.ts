// From a JPEG file to a JPEG answer without RGB in between: planes are decoded, resampled and encoded each by itself.

import { sourceWindow } from "../../pipeline/resize.ts";
import type { Kernels, ResampleAxis } from "../../pipeline/steps.ts";
import type { EncodeOptions, Rectangle } from "../codec.ts";
import type { RenderPlan } from "../job.ts";
import type { JpegInput } from "./encode-input.ts";
import type { Opened } from "./indexed.ts";
import type { Plane, ScaleFactor } from "./random/index.ts";

/** Where the answer's pixels lie on the picture reduced by the plan's scale factor, counted from its corner. */
interface Target {
  readonly x: ResampleAxis;
  readonly y: ResampleAxis;
  readonly gray: boolean;
}

/** What a plan asks of planes; undefined where a step needs whole pixels, or the answer is no plain JPEG. */
export function targetOf({ read, steps, write }: RenderPlan, components: number): Target | undefined {
  if (write.format !== "jpg" || write.progressive || write.encoder !== "fast") return undefined;
  const { region, scaleFactor } = read;
  const left = region.x / scaleFactor;
  const top = region.y / scaleFactor;
  const copy = (start: number, length: number): ResampleAxis => ({
    size: Math.ceil(length / scaleFactor),
    origin: start,
    scale: 1,
  });
  let x = copy(left, region.width);
  let y = copy(top, region.height);
  let gray = components === 1;
  const rest = [...steps];
  if (rest[0]?.op === "resize") {
    const step = rest.shift() as Extract<(typeof steps)[number], { op: "resize" }>;
    x = { ...step.x, origin: step.x.origin + left };
    y = { ...step.y, origin: step.y.origin + top };
  }
  if (rest[0]?.op === "gray") {
    rest.shift();
    gray = true;
  }
  return rest.length === 0 ? { x, y, gray } : undefined;
}

/** Decodes what the target needs and hands it to the encoder; undefined where planes cannot be resampled here. */
export async function planesOf(
  file: Opened,
  target: Target,
  scaleFactor: number,
  write: EncodeOptions,
  kernels: Kernels,
): Promise<Extract<JpegInput, { kind: "planes" }> | undefined> {
  const { frame } = file.reader;
  const width = target.x.size;
  const height = target.y.size;
  const halved = write.chroma === "420" && !target.gray;
  // `across` and `down`: how many pixels of the reduced picture one sample of the component stands for.
  const wanted = frame.components.slice(0, target.gray ? 1 : 3).map((component, i) => {
    const across = frame.hMax / component.h;
    const down = frame.vMax / component.v;
    const half = i > 0 && halved ? 2 : 1;
    return { across, down, width: Math.ceil(width / half), height: Math.ceil(height / half), half };
  });

  const union = regionFor(frame, scaleFactor, target, wanted);
  const planes = await file.reader.decodePlanes(union, scaleFactor as ScaleFactor);
  const made: { data: Uint8Array; width: number; height: number; stride: number }[] = [];
  for (const [i, want] of wanted.entries()) {
    const plane = planes[i] as Plane;
    const x = axisOn(target.x, want.width, want.half, plane.pixelsAcross);
    const y = axisOn(target.y, want.height, want.half, plane.pixelsDown);
    const out = samples(plane, x, y, kernels);
    if (!out) return undefined;
    made.push(out);
  }
  return {
    kind: "planes",
    width,
    height,
    planes: made,
    sampling: target.gray ? "gray" : halved ? "420" : "444",
  };
}

interface Wanted {
  readonly across: number;
  readonly down: number;
  readonly width: number;
  readonly height: number;
  readonly half: number;
}

/** An axis of the answer on the samples of a plane, both counted from the image's corner. */
function axisOn(axis: ResampleAxis, size: number, half: number, pixels: number): ResampleAxis {
  return { size, origin: axis.origin / pixels, scale: (axis.scale * half) / pixels };
}

/** The full-size pixels that all planes together need, filter margins included. */
function regionFor(
  frame: Opened["reader"]["frame"],
  scaleFactor: number,
  target: Target,
  wanted: readonly Wanted[],
): Rectangle {
  const span = (full: number, axis: ResampleAxis, pick: (w: Wanted) => readonly [number, number]) => {
    let start = Number.POSITIVE_INFINITY;
    let end = 0;
    for (const want of wanted) {
      const [size, pixels] = pick(want);
      const unit = pixels * scaleFactor;
      const window = sourceWindow(axisOn(axis, size, want.half, pixels), Math.ceil(full / unit));
      start = Math.min(start, Math.floor(window.start * unit));
      end = Math.max(end, Math.ceil(window.end * unit));
    }
    // Scaled decoding begins on whole reduced pixels, and halved chroma on pairs of them.
    const grid = scaleFactor * 2;
    start = Math.floor(start / grid) * grid;
    return { start, end: Math.min(full, Math.ceil(end / grid) * grid) };
  };
  const h = span(frame.width, target.x, (w) => [w.width, w.across]);
  const v = span(frame.height, target.y, (w) => [w.height, w.down]);
  return { x: h.start, y: v.start, width: h.end - h.start, height: v.end - v.start };
}

/** The samples of an answer's plane: a part of the decoded one as it lies there, or resampled. */
function samples(plane: Plane, x: ResampleAxis, y: ResampleAxis, kernels: Kernels) {
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
  const isCopy = x.scale === 1 && y.scale === 1 && Number.isInteger(x.origin) && Number.isInteger(y.origin);
  if (isCopy) {
    const skip = (y.origin - window.y.start) * plane.stride + (x.origin - window.x.start);
    return { ...part, data: part.data.subarray(skip), width: x.size, height: y.size };
  }
  const made = kernels.resamplePlane?.(
    part,
    { ...x, origin: x.origin - window.x.start },
    { ...y, origin: y.origin - window.y.start },
  );
  return made && { ...made, data: made.data as Uint8Array };
}
