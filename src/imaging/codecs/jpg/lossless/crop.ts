// Lossless crops: a rectangle on the MCU grid becomes a JPEG file of its own, with the same coded bits (ITU-T
// T.81, F.1).

import type { Rectangle } from "../../image-header.ts";
import { type ReadRanges, withRanges } from "../../ranges.ts";
import type { Frame } from "../markers/frame.ts";
import { outcome } from "../region/engine.ts";
import type { McuRange } from "../region/geometry.ts";
import type { Scan } from "../region/header.ts";
import { type RowRange, rowKey, rowRanges } from "../region/ranges.ts";
import type { DecodeJob } from "../region/region.ts";
import { runRow } from "../region/run.ts";
import { type Cut, CutOutput, type CutState } from "./cut-output.ts";
import { cropHeader } from "./header.ts";

/** Axes of the stored image along which a transformed crop runs backwards. */
export interface Backwards {
  readonly x: boolean;
  readonly y: boolean;
}

export const forwards: Backwards = { x: false, y: false };

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
 * Returns the coded data of a region; undefined if the region is not on the grid, the data is damaged, or a
 * DC table lacks a required code.
 */
export async function cropRegion(
  job: DecodeJob,
  region: Rectangle,
  backwards = forwards,
): Promise<Crop | undefined> {
  const { frame, accessPoints } = job;
  const { scan } = accessPoints.scans[0]!;
  const mcus = cropRange(frame, scan, region, backwards);
  const data = mcus && (await cutRows(job, mcus));
  return data && { frame, scan, region, mcus, data };
}

/**
 * Returns the region as the pieces of a baseline JPEG file with the source's tables and without metadata, the
 * header first; undefined in the same cases as {@link cropRegion}.
 */
export async function cropPieces(
  job: DecodeJob,
  region: Rectangle,
): Promise<readonly Uint8Array[] | undefined> {
  const crop = await cropRegion(job, region);
  return crop && piecesOf(crop);
}

/** Returns a crop as the pieces of a file, the header first. */
export const piecesOf = ({ frame, scan, region, data }: Crop): readonly Uint8Array[] => [
  cropHeader(frame, scan, region),
  ...data,
];

/** Bytes of a file that are read and cut at a time, unless a row has more. */
const readAtOnce = 16 << 20;

/** Cuts the MCUs of all rows out of a file, a group of rows at a time. */
async function cutRows(job: DecodeJob, mcus: McuRange): Promise<readonly Uint8Array[] | undefined> {
  const points = job.accessPoints.scans[0]!;
  const short = new Set<string>();
  const pieces: Uint8Array[] = [];
  let state: CutState | undefined;
  for (const { top, bottom } of groupsOf(rowRanges(points, 0, mcus, short), mcus)) {
    const rows = { ...mcus, top, bottom };
    for (let made: Cut | undefined; !made; ) {
      const before = short.size;
      const ranges = rowRanges(points, 0, rows, short);
      if (ranges.length < bottom - top) return undefined;
      const isLast = bottom === mcus.bottom;
      made = await withRanges(ranges, job, (read) =>
        cutRanges(job, rows, ranges, read, { short, state, isLast }),
      );
      if (!made && short.size === before) return undefined;
      if (made) pieces.push(...made.data);
      state = made?.state ?? state;
    }
  }
  return pieces;
}

/** Divides rows of MCUs into groups of at most {@link readAtOnce} bytes. */
function* groupsOf(ranges: readonly RowRange[], { top, bottom }: McuRange) {
  let first = top;
  let bytes = 0;
  for (const { row, length } of ranges) {
    bytes += length;
    if (bytes <= readAtOnce || row === first) continue;
    yield { top: first, bottom: row };
    first = row;
    bytes = length;
  }
  yield { top: first, bottom };
}

/**
 * Cuts the MCUs of some rows out of their bytes. The data of the last rows of a crop ends with the
 * end-of-image marker. Returns undefined if the data is damaged, a code is missing, or an estimate was too
 * small. In the last case, if `short` is empty, all rows are added to it, so that the caller reads them up to
 * their next access point.
 */
function cutRanges(
  { engine, tables, accessPoints }: DecodeJob,
  mcus: McuRange,
  ranges: readonly RowRange[],
  read: ReadRanges,
  {
    short,
    state,
    isLast,
  }: { readonly short: Set<string>; readonly state: CutState | undefined; readonly isLast: boolean },
): Cut | undefined {
  const scanPoints = accessPoints.scans[0]!;
  const { scan } = scanPoints;
  const output = new CutOutput(engine, tables, scan, state);
  const columns = { endColumn: mcus.right, fromColumn: mcus.left };
  const run = { act: "cutRows", scan, columns, output } as const;
  for (const range of ranges) {
    output.jump();
    const final = range.offset + range.length >= scanPoints.end && scanPoints.complete;
    const result = runRow(engine, run, range, read.bytesOf(range), final);
    if (result === outcome.hungry && !short.has(rowKey(0, range.row)))
      for (const { row } of ranges) short.add(rowKey(0, row));
    if (result !== outcome.reached) return undefined;
  }
  return output.finish(isLast);
}
