// The reduced level at 1/4, as good as a resampling: samples at 1/2 are reduced with Lanczos-3. It is made
// along with the access points and stored, or made per region if it is not stored; the samples are the same.

import { halving, sourceWindow } from "../../../pipeline/kernel.ts";
import type { Plane as Samples } from "../../../pipeline/pixels.ts";
import type { ResampleAxis } from "../../../pipeline/step.ts";
import type { Frame } from "../markers/frame.ts";
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

/** Returns the size of a component at 1/4. */
export const level4Size = (frame: Frame, component: number) => reducedSize(frame, component, 4);

/** Returns the number of bytes of all components at 1/4. */
export function level4Bytes(frame: Frame): number {
  return frame.components.reduce((sum, _, i) => {
    const { width, height } = level4Size(frame, i);
    return sum + width * height;
  }, 0);
}

/** Rows at 1/2 that the filter needs below an output row. */
const reach = 6;
/** Minimum number of output rows made at a time. */
const leastRows = 16;

/** Makes a component's plane at 1/4 from its rows at 1/2, which it takes from the top down. */
export interface Level4Maker {
  /** Adds rows of samples, `stride` bytes apart; skips those below the image. */
  take(data: Uint8Array, stride: number, count: number): void;
  /** Fills missing samples with middle gray. */
  finish(): void;
  /** The plane, ceil(width/4) by ceil(height/4); its first `rows` rows are made. */
  readonly plane: Uint8Array;
  readonly rows: number;
}

export function createLevel4Maker(frame: Frame, component: number, resample: ResamplePlane): Level4Maker {
  const half = reducedSize(frame, component, 2);
  const { width, height } = level4Size(frame, component);
  const plane = new Uint8Array(width * height);
  /** Rows at 1/2: `count` of them from row `top` on. */
  let rows = new Uint8Array(0);
  let top = 0;
  let count = 0;
  let done = 0;

  const reduce = () => {
    const isLast = top + count === half.height;
    const end = isLast ? height : Math.floor((top + count - reach) / 2);
    if (end <= done || (!isLast && end - done < leastRows)) return;
    const axis = halving(done, end);
    const window = sourceWindow(axis, half.height);
    const part = {
      data: rows.subarray((window.start - top) * half.width),
      width: half.width,
      height: window.end - window.start,
      stride: half.width,
    };
    const made = resample(part, halving(0, width), { ...axis, origin: axis.origin - window.start });
    plane.set(made.data, done * width);
    done = end;
    if (isLast) return;
    const { start } = sourceWindow(halving(done, done + 1), half.height);
    rows.copyWithin(0, (start - top) * half.width, count * half.width);
    count -= start - top;
    top = start;
  };

  /** Makes room for more rows. Returns how many of them are inside the image. */
  const reserve = (more: number): number => {
    const wanted = Math.max(0, Math.min(more, half.height - top - count));
    const bytes = (count + wanted) * half.width;
    if (bytes > rows.length) {
      const larger = new Uint8Array(bytes);
      larger.set(rows.subarray(0, count * half.width));
      rows = larger;
    }
    return wanted;
  };

  return {
    plane,
    get rows() {
      return done;
    },
    take(data, stride, more) {
      const wanted = reserve(more);
      for (let y = 0; y < wanted; y++)
        rows.set(data.subarray(y * stride, y * stride + half.width), (count + y) * half.width);
      count += wanted;
      if (wanted > 0) reduce();
    },
    finish() {
      while (top + count < half.height) {
        const gray = reserve(512);
        rows.fill(128, count * half.width, (count + gray) * half.width);
        count += gray;
        reduce();
      }
    },
  };
}

/** Returns a function that reads the rows made so far of a level in memory. */
export function planesInMemory(frame: Frame, makers: readonly Level4Maker[]): StoredPlanes {
  return async (areas) => {
    if (areas.some(({ component, bottom }) => bottom > makers[component]!.rows)) return undefined;
    return areas.map((area) => {
      const { component, left, top } = area;
      const { width } = level4Size(frame, component);
      return rowsOf(area, makers[component]!.plane.subarray(top * width + left), width);
    });
  };
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
