// Decodes regions: MCU rows from their ranges of bytes into planes in the module's memory.

import { ImagingError } from "../../../../base/index.ts";
import { type RangeSource, type ReadRanges, withRanges } from "../../ranges.ts";
import type { Frame } from "../markers/frame.ts";
import { type AccessPoints, level8Size } from "./access-points.ts";
import { area, type Engine, outcome, slack } from "./engine.ts";
import type { ComponentWindow, McuRange, ScaleFactor } from "./geometry.ts";
import { mcuRange } from "./geometry.ts";
import { type RowRange, rowKey, rowRanges } from "./ranges.ts";
import { describeScan, type RowRun, runRow, type SampleTarget } from "./run.ts";
import type { Tables } from "./tables.ts";

/** A component in the module's memory. `at` is the position of the sample at (left, top) of the image. */
export interface MemoryPlane {
  readonly at: number;
  readonly stride: number;
  readonly left: number;
  readonly top: number;
  /** Samples of a row that are inside the image. */
  readonly width: number;
}

/** Decodes the components of an image. */
export interface WindowDecoder {
  readonly engine: Engine;
  readonly frame: Frame;
  /**
   * Decodes `windows`, one per component, and returns the result of `use`. `use` receives the planes and the
   * first free byte after them, and must neither wait nor keep them.
   */
  decode<T>(
    windows: readonly ComponentWindow[],
    scale: ScaleFactor,
    use: (planes: readonly MemoryPlane[], free: number) => T,
  ): Promise<T>;
}

/** A file's data that decoding needs. */
export interface DecodeJob extends RangeSource {
  readonly engine: Engine;
  readonly tables: Tables;
  readonly frame: Frame;
  readonly accessPoints: AccessPoints;
}

/** Returns a row stride in bytes: vectors can overrun the row, and no cache maps all rows to one set. */
export function paddedStride(width: number): number {
  const stride = Math.ceil((width + 32) / 16) * 16;
  return stride % 1024 === 0 ? stride + 64 : stride;
}

/** Returns the number of bytes that the planes of some windows take. */
export function planesSize(windows: readonly ComponentWindow[]): number {
  return windows.reduce((sum, w) => sum + planeBytes(w), 0);
}

function planeBytes({ blockLeft, blockRight, blockTop, blockBottom, edge }: ComponentWindow): number {
  return 2 * slack + paddedStride((blockRight - blockLeft) * edge) * (blockBottom - blockTop) * edge;
}

/**
 * Decodes as {@link WindowDecoder.decode} says. At 1/8 no byte is read if there is a reduced level. Throws
 * ImagingError `decode`, code header_mismatch, if the file no longer has the bytes for which the access
 * points were made.
 */
export async function decodeWindows<T>(
  job: DecodeJob,
  windows: readonly ComponentWindow[],
  scale: ScaleFactor,
  use: (planes: readonly MemoryPlane[], free: number) => T,
): Promise<T> {
  const { accessPoints, frame } = job;
  if (scale === 8 && accessPoints.level8) {
    const { planes, free } = layOut(job.engine, windows);
    copyLevel8(job.engine, frame, accessPoints.level8, windows, planes);
    return use(planes, free);
  }
  const mcus = accessPoints.scans.map(({ scan }) => mcuRange(scan, windows));
  const short = new Set<string>();
  for (;;) {
    const before = short.size;
    const ranges = accessPoints.scans.map((scan, i) => rowRanges(scan, i, mcus[i]!, short));
    // the callback must not wait: other files use the same memory, both the module's and the lent one
    const made = await withRanges(ranges.flat(), job, (read) => {
      const { planes, free } = layOut(job.engine, windows);
      accessPoints.scans.forEach((_, i) => {
        decodeScan(job, { number: i, mcus: mcus[i]!, ranges: ranges[i]! }, { windows, planes }, read, short);
      });
      if (short.size > before) return undefined;
      grayMissing(job, windows, planes);
      return { used: use(planes, free) };
    });
    if (made) return made.used;
  }
}

/** Returns positions in memory for the samples of windows, and the first free byte after them. */
export function layOut(
  engine: Engine,
  windows: readonly ComponentWindow[],
): { planes: MemoryPlane[]; free: number } {
  let free: number = area.arena;
  const planes = windows.map((w) => {
    const left = w.blockLeft * w.edge;
    const at = free + slack;
    free += planeBytes(w);
    return {
      at,
      stride: paddedStride((w.blockRight - w.blockLeft) * w.edge),
      left,
      top: w.blockTop * w.edge,
      width: Math.min(w.blockRight * w.edge, w.width) - left,
    };
  });
  engine.reserve(free);
  return { planes, free };
}

/** The rows of a scan that are decoded. */
interface ScanRows {
  readonly number: number;
  readonly mcus: McuRange;
  readonly ranges: readonly RowRange[];
}

function decodeScan(
  job: DecodeJob,
  { number, mcus, ranges }: ScanRows,
  {
    windows,
    planes,
  }: { readonly windows: readonly ComponentWindow[]; readonly planes: readonly MemoryPlane[] },
  read: ReadRanges,
  short: Set<string>,
): void {
  const { engine, tables, accessPoints } = job;
  const scanPoints = accessPoints.scans[number]!;
  const { scan } = scanPoints;
  const targets = scan.components.map(({ index: component }) =>
    targetOf(windows[component]!, planes[component]!),
  );
  describeScan(engine, tables, scan, targets);
  const run: RowRun = { act: "decodeRows", scan, columns: { endColumn: mcus.right } };
  let next = 0;
  for (let row = mcus.top; row < mcus.bottom; row++) {
    const range = ranges[next];
    if (range?.row !== row) {
      grayRow(engine, row, scan.components, windows, planes);
      continue;
    }
    next++;
    const final = range.offset + range.length >= scanPoints.end && scanPoints.complete;
    const result = runRow(engine, run, range, read.bytesOf(range), final);
    if (result !== outcome.hungry) continue;
    const key = rowKey(number, row);
    if (short.has(key)) throw changedError();
    short.add(key);
  }
}

/** Returns the destination of the blocks of a window. */
export function targetOf(w: ComponentWindow, plane: MemoryPlane): SampleTarget {
  return {
    plane: plane.at,
    stride: plane.stride,
    edge: w.edge,
    left: w.blockLeft,
    columns: w.blockRight - w.blockLeft,
    top: w.blockTop,
    rows: w.blockBottom - w.blockTop,
  };
}

/** Fills the blocks of an MCU row that has no data with gray. */
function grayRow(
  engine: Engine,
  row: number,
  components: readonly { readonly index: number; readonly down: number }[],
  windows: readonly ComponentWindow[],
  planes: readonly MemoryPlane[],
): void {
  const bytes = engine.bytes();
  for (const { index, down } of components) {
    const w = windows[index]!;
    const { at, stride } = planes[index]!;
    const from = Math.max(w.blockTop, row * down) - w.blockTop;
    const to = Math.min(w.blockBottom, (row + 1) * down) - w.blockTop;
    if (to > from) bytes.fill(128, at + from * w.edge * stride, at + to * w.edge * stride);
  }
}

/** Fills the components that are in no scan with gray. */
function grayMissing(
  { engine, accessPoints }: DecodeJob,
  windows: readonly ComponentWindow[],
  planes: readonly MemoryPlane[],
): void {
  const seen = new Set(
    accessPoints.scans.flatMap(({ scan }) => scan.components.map(({ index: component }) => component)),
  );
  windows.forEach((w, i) => {
    const { at, stride } = planes[i]!;
    if (!seen.has(i)) engine.bytes().fill(128, at, at + (w.blockBottom - w.blockTop) * w.edge * stride);
  });
}

function copyLevel8(
  engine: Engine,
  frame: Frame,
  level8: readonly Uint8Array[],
  windows: readonly ComponentWindow[],
  planes: readonly MemoryPlane[],
): void {
  const bytes = engine.bytes();
  for (const [i, w] of windows.entries()) {
    const { at, stride } = planes[i]!;
    const { width } = level8Size(frame, i);
    for (let y = w.blockTop; y < w.blockBottom; y++) {
      const row = y * width;
      bytes.set(level8[i]!.subarray(row + w.blockLeft, row + w.blockRight), at + (y - w.blockTop) * stride);
    }
  }
}

function changedError(): ImagingError {
  return new ImagingError(
    "decode",
    "Expected the bytes of the JPEG file that was indexed; received fewer or others. Index the source file again.",
    { code: "header_mismatch" },
  );
}
