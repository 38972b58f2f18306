// The reduced level at 1/4, as good as a resampling: samples at 1/2 are reduced with Lanczos-3. It is made
// for each region unless it is stored; the samples are the same.

import { halving, sourceWindow } from "../../../pipeline/kernel.ts";
import type { Plane as Samples } from "../../../pipeline/pixels.ts";
import type { ResampleAxis } from "../../../pipeline/step.ts";
import { slack } from "./engine.ts";
import { type ComponentWindow, isWanted, reducedSize, type ScaleFactor } from "./geometry.ts";
import { type DecodeJob, decodeWindows, layOut, type MemoryPlane, type WindowDecoder } from "./region.ts";

/** Resamples one band by the rules of pipeline/steps/resize.ts. */
export type ResamplePlane = (plane: Samples, x: ResampleAxis, y: ResampleAxis) => Samples;

/** A part of a component's stored plane: columns `left` to `right`, rows `top` to `bottom`. */
export interface PlaneArea {
  readonly component: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Writes the rows of an area from byte `at` of `target` on, `stride` bytes apart. */
export type CopyRows = (target: Uint8Array, at: number, stride: number) => void;

/** Reads parts of a stored level. Returns undefined if they are not available, or not ready. */
export type StoredPlanes = (areas: readonly PlaneArea[]) => Promise<readonly CopyRows[] | undefined>;

/** Input for decoding a region; at 1/4 it is a stored level, or samples at 1/2. */
export interface RegionJob extends DecodeJob {
  /**
   * Resamples the level at 1/4. Without it, samples at 1/4 come from the inverse transform of 2x2
   * coefficients.
   */
  readonly resample: ResamplePlane | undefined;
  readonly stored: StoredPlanes | undefined;
}

/** Returns a function that copies the rows of an area from `data`, in which they are `stride` bytes apart. */
function rowsOf({ left, right, top, bottom }: PlaneArea, data: Uint8Array, stride: number): CopyRows {
  return (target, at, targetStride) => {
    for (let y = 0; y < bottom - top; y++)
      target.set(data.subarray(y * stride, y * stride + right - left), at + y * targetStride);
  };
}

/** True if windows ask for the reduced level: each component at 1/4 of its own size. */
const isLevel4 = (windows: readonly ComponentWindow[], scale: ScaleFactor) =>
  scale === 4 && windows.every((w) => !isWanted(w) || w.edge === 2);

/** Decodes windows of a file with access points. */
export class RegionDecoder implements WindowDecoder {
  readonly #job: RegionJob;

  constructor(job: RegionJob) {
    this.#job = job;
  }

  get engine() {
    return this.#job.engine;
  }

  get frame() {
    return this.#job.frame;
  }

  decode<T>(
    windows: readonly ComponentWindow[],
    scale: ScaleFactor,
    use: (planes: readonly MemoryPlane[], free: number) => T,
  ): Promise<T> {
    return readWindows(this.#job, windows, scale, use);
  }
}

/** Like `decodeWindows`, but at 1/4 of each component's size it uses the samples of the reduced level. */
async function readWindows<T>(
  job: RegionJob,
  windows: readonly ComponentWindow[],
  scale: ScaleFactor,
  use: (planes: readonly MemoryPlane[], free: number) => T,
): Promise<T> {
  const { resample } = job;
  if (!resample || !isLevel4(windows, scale)) return decodeWindows(job, windows, scale, use);
  const areas = windows.flatMap((w, component) => (isWanted(w) ? [areaOf(w, component)] : []));
  const parts = (await job.stored?.(areas)) ?? (await makeAreas(job, resample, windows, areas));
  const { planes, free } = layOut(job.engine, windows);
  const bytes = job.engine.bytes();
  for (const [i, { component }] of areas.entries()) {
    const { at, stride } = planes[component]!;
    parts[i]!(bytes, at, stride);
  }
  return use(planes, free);
}

/** Returns the area of a window's whole blocks, cropped to the image. */
function areaOf(w: ComponentWindow, component: number): PlaneArea {
  return {
    component,
    left: w.blockLeft * w.edge,
    right: Math.min(w.blockRight * w.edge, w.width),
    top: w.blockTop * w.edge,
    bottom: Math.min(w.blockBottom * w.edge, w.height),
  };
}

/** Makes the samples of areas from the file. */
function makeAreas(
  job: DecodeJob,
  resample: ResamplePlane,
  windows: readonly ComponentWindow[],
  areas: readonly PlaneArea[],
): Promise<readonly CopyRows[]> {
  const { frame } = job;
  const axes = areas.map(({ left, right, top, bottom }) => ({
    x: halving(left, right),
    y: halving(top, bottom),
  }));
  const halves = [...windows];
  for (const [i, { component }] of areas.entries()) {
    const size = reducedSize(frame, component, 2);
    const x = sourceWindow(axes[i]!.x, size.width);
    const y = sourceWindow(axes[i]!.y, size.height);
    halves[component] = {
      ...windows[component]!,
      ...size,
      edge: halfEdge,
      left: x.start,
      right: x.end,
      top: y.start,
      bottom: y.end,
      blockLeft: Math.floor(x.start / halfEdge),
      blockRight: Math.ceil(x.end / halfEdge),
      blockTop: Math.floor(y.start / halfEdge),
      blockBottom: Math.ceil(y.end / halfEdge),
    };
  }
  return decodeWindows(job, halves, 2, (planes) =>
    areas.map((area, i) => {
      const { component } = area;
      const { left, right, top, bottom } = halves[component]!;
      const { at, stride, left: planeLeft, top: planeTop } = planes[component]!;
      const start = at + (top - planeTop) * stride + (left - planeLeft);
      const part = {
        data: job.engine.bytes().subarray(start, start + (bottom - top) * stride + slack),
        width: right - left,
        height: bottom - top,
        stride,
      };
      const { x, y } = axes[i]!;
      const reduced = resample(part, { ...x, origin: x.origin - left }, { ...y, origin: y.origin - top });
      return rowsOf(area, reduced.data as Uint8Array, reduced.stride);
    }),
  );
}

/** Samples on one side of a block at 1/2. */
export const halfEdge = 4;
