// Lossless crops: a rectangle on the MCU grid becomes a JPEG file of its own, with the same coded bits (ITU-T
// T.81, F.1).

import { concatenate } from "../../../lib/concatenate.ts";
import type { Rectangle } from "../../image-header.ts";
import { type ReadRanges, withRanges } from "../../ranges.ts";
import type { Frame } from "../markers/frame.ts";
import { endOfImage } from "../markers/write.ts";
import { area, components, type Engine, field, outcome } from "../region/engine.ts";
import type { McuRange } from "../region/geometry.ts";
import type { Scan } from "../region/header.ts";
import { type RowRange, rowKey, rowRanges } from "../region/ranges.ts";
import type { DecodeJob } from "../region/region.ts";
import { describeScan, runRow } from "../region/run.ts";
import { cropHeader } from "./header.ts";

/** Axes of the stored image along which a transformed crop runs backwards. */
export interface Backwards {
  readonly x: boolean;
  readonly y: boolean;
}

const forwards: Backwards = { x: false, y: false };

/**
 * Returns the MCUs of a region that begins and ends on their grid or at the image's edge; undefined for other
 * regions. A crop that runs backwards begins at the region's end, which must then be on the grid.
 */
export function cropRange(
  frame: Frame,
  scan: Scan,
  region: Rectangle,
  backwards = forwards,
): McuRange | undefined {
  if (scan.components.length !== frame.components.length) return undefined;
  const single = scan.components.length === 1;
  const mcuWidth = single ? 8 : 8 * frame.hMax;
  const mcuHeight = single ? 8 : 8 * frame.vMax;
  const { x, y, width, height } = region;
  const right = x + width;
  const bottom = y + height;
  if (x % mcuWidth || y % mcuHeight) return undefined;
  if (right % mcuWidth && (right !== frame.width || backwards.x)) return undefined;
  if (bottom % mcuHeight && (bottom !== frame.height || backwards.y)) return undefined;
  return {
    left: x / mcuWidth,
    right: Math.ceil(right / mcuWidth),
    top: y / mcuHeight,
    bottom: Math.ceil(bottom / mcuHeight),
  };
}

/**
 * Bytes of room for the output of a row: after a jump, each component takes a code of at most 27 bits, and
 * each MCU of a row may need a jump.
 */
const outputRoom = 2 * area.rawRoom + (1 << 20);
const endOfFile = Uint8Array.from(endOfImage);
/**
 * Bytes of output collected in the module's memory before they are copied out; most tiles are copied in one
 * piece.
 */
const gathered = 1 << 20;

/** Coded data of a region, without restart markers. */
export interface Crop {
  readonly frame: Frame;
  readonly scan: Scan;
  readonly region: Rectangle;
  readonly mcus: McuRange;
  /** Pieces of the coded data, including the end-of-image marker. */
  readonly data: readonly Uint8Array[];
}

/**
 * Returns a copy of the coded data of a region; undefined if the region is not on the grid, the data is
 * damaged, or a DC table lacks a required code.
 */
export function cropRegion(
  job: DecodeJob,
  region: Rectangle,
  backwards?: Backwards,
): Promise<Crop | undefined> {
  return withCrop(job, region, backwards, (crop) => ({
    ...crop,
    data: crop.data.map((part) => part.slice()),
  }));
}

/**
 * Returns the region as a baseline JPEG file with the source's tables and without metadata; undefined in the
 * same cases as {@link cropRegion}.
 */
export function cropFile(job: DecodeJob, region: Rectangle): Promise<Uint8Array | undefined> {
  return withCrop(job, region, forwards, ({ frame, scan, data }) =>
    concatenate([cropHeader(frame, scan, region), ...data]),
  );
}

/**
 * Returns the result of `use`, which must not wait: the coded data is in memory that the next call
 * overwrites.
 */
async function withCrop<T>(
  job: DecodeJob,
  region: Rectangle,
  backwards: Backwards | undefined,
  use: (crop: Crop) => T,
): Promise<T | undefined> {
  const { frame, accessPoints } = job;
  const scanPoints = accessPoints.scans[0]!;
  const { scan } = scanPoints;
  const mcus = cropRange(frame, scan, region, backwards);
  if (!mcus) return undefined;
  const short = new Set<string>();
  for (;;) {
    const before = short.size;
    const ranges = rowRanges(scanPoints, 0, mcus, short);
    if (ranges.length < mcus.bottom - mcus.top) return undefined;
    const made = await withRanges(ranges, job, (read) => {
      const data = cutRanges(job, mcus, ranges, read, short);
      if (short.size > before) return undefined;
      return { used: data && use({ frame, scan, region, mcus, data }) };
    });
    if (made) return made.used;
  }
}

/**
 * Cuts the MCUs of some rows out of their bytes, and returns them in pieces that end with the end-of-image
 * marker. Returns undefined if the data is damaged, a code is missing, or an estimate was too small. In the
 * last case, if `short` is empty, all rows are added to it, so that the caller reads them up to their next
 * access point.
 */
function cutRanges(
  { engine, tables, accessPoints }: DecodeJob,
  mcus: McuRange,
  ranges: readonly RowRange[],
  read: ReadRanges,
  short: Set<string>,
): readonly Uint8Array[] | undefined {
  const scanPoints = accessPoints.scans[0]!;
  const { scan } = scanPoints;
  engine.reserve(area.arena + gathered + outputRoom);
  describeScan(engine, tables, scan, []);
  const words = engine.words();
  words[field.held] = words[field.held + 1] = words[field.heldCount] = 0;
  scan.components.forEach((_, i) => {
    words[components.at + i * components.size + components.crop] = 0;
  });
  const output = new CutOutput(engine);
  const columns = { endColumn: mcus.right, fromColumn: mcus.left };
  const run = { act: "cutRows", scan, columns, output } as const;
  for (const range of ranges) {
    words[field.fresh] = 1;
    const final = range.offset + range.length >= scanPoints.end && scanPoints.complete;
    const result = runRow(engine, run, range, read.bytesOf(range), final);
    if (result === outcome.hungry && short.size === 0)
      for (const { row } of ranges) short.add(rowKey(0, row));
    if (result !== outcome.reached) return undefined;
  }
  words[field.output] = output.at;
  engine.run.finishCut();
  return [...output.data, engine.bytes().subarray(area.arena, words[field.output]!), endOfFile];
}

/** The output so far: finished pieces, and the latest piece in the module's memory. */
class CutOutput {
  readonly data: Uint8Array[] = [];
  /** End of the latest piece in the module's memory. */
  at: number = area.arena;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  drain(end: number): void {
    this.at = end;
    if (end <= area.arena + gathered) return;
    this.data.push(this.#engine.bytes().slice(area.arena, end));
    this.at = area.arena;
  }
}
