// Access points: places in the coded data where decoding can begin, with the bit position and DC predictors at each.

import type { ByteSource } from "../../../lib/byte-source.ts";
import type { Frame } from "../markers/frame.ts";
import { reducedSize } from "./geometry.ts";
import { type Header, readScan, type Scan } from "./header.ts";

/** A place where decoding can begin. */
export interface AccessPoint {
  /** Column of the MCU behind it. */
  readonly column: number;
  /** File offset and, from 0 to 7, how many bits of that byte belong to the MCU before. */
  readonly offset: number;
  readonly bit: number;
  /** The data has run out: what follows is gray up to the next restart. */
  readonly spent: boolean;
  /** DC predictor of each component of the scan. */
  readonly predictors: readonly number[];
}

/** Bytes of an access point in memory: its position in bits as u64, with the highest bit for "spent", and four i16. */
export const accessPointBytes = 16;

/** The access points of a scan, as they are found. */
export interface ScanAccessPoints {
  readonly scan: Scan;
  /** Access points of a row of MCUs. */
  readonly perRow: number;
  /** In row order, `accessPointBytes` bytes each, the first `count` of them valid. */
  entries: Uint8Array;
  count: number;
  /** File offset behind the scan's data, once that is known. */
  end: number;
  /** MCU rows that have been read; all of them once `complete`. */
  rows: number;
  complete: boolean;
  /** How many times the data broke the rules. */
  damage: number;
}

export function createScanAccessPoints(scan: Scan): ScanAccessPoints {
  const perRow = 1 + Math.floor(scan.columns / scan.step);
  const entries = new Uint8Array(accessPointBytes * perRow);
  return { scan, perRow, entries, count: 0, end: scan.start, rows: 0, complete: false, damage: 0 };
}

/** Appends access points as they lie in memory. */
export function appendAccessPoints(points: ScanAccessPoints, raw: Uint8Array): void {
  const used = points.count * accessPointBytes;
  if (used + raw.length > points.entries.length) {
    const larger = new Uint8Array(Math.max(used + raw.length, 2 * points.entries.length));
    larger.set(points.entries.subarray(0, used));
    points.entries = larger;
  }
  points.entries.set(raw, used);
  points.count += raw.length / accessPointBytes;
}

/** Column of the access point with this number in its row. */
export function columnOf(scan: Scan, number: number): number {
  return number === 0 ? 0 : scan.step * number - 1;
}

/** Number of the last access point of a row at or before a column. */
const numberAt = (scan: Scan, column: number) => Math.floor((column + 1) / scan.step);

/** The last access point of a row at or before a column; `undefined` where the data ends before it. */
export function accessPointBefore(
  points: ScanAccessPoints,
  row: number,
  column: number,
): AccessPoint | undefined {
  return accessPointAt(points, row, numberAt(points.scan, column));
}

/** The access point with this number in a row. */
export function accessPointAt(
  points: ScanAccessPoints,
  row: number,
  number: number,
): AccessPoint | undefined {
  const at = placeOf(points, row, number);
  if (at < 0) return undefined;
  const { entries, scan } = points;
  const predictors: number[] = [];
  for (let i = 0; i < scan.components.length; i++)
    predictors.push((halfAt(entries, at + 8 + 2 * i) << 16) >> 16);
  return {
    column: columnOf(scan, number),
    offset: offsetAt(entries, at),
    bit: entries[at]! & 7,
    spent: entries[at + 7]! >= 0x80,
    predictors,
  };
}

/** Byte position of the access point with this number in a row in `entries`; -1 where the data or the rows end before it. */
function placeOf({ scan, perRow, count }: ScanAccessPoints, row: number, number: number): number {
  const n = row * perRow + number;
  return row >= scan.rows || n >= count ? -1 : n * accessPointBytes;
}

const halfAt = (entries: Uint8Array, at: number) => entries[at]! | (entries[at + 1]! << 8);

/** File offset of the access point that stands there. */
function offsetAt(entries: Uint8Array, at: number): number {
  const low = halfAt(entries, at) + halfAt(entries, at + 2) * 2 ** 16;
  const high = halfAt(entries, at + 4) + (halfAt(entries, at + 6) & 0x7fff) * 2 ** 16;
  return high * 2 ** 29 + Math.floor(low / 8);
}

/**
 * File offset behind the bytes that MCUs of a row from `begin` up to `column` need. With `exact` it is sure to suffice; without,
 * it is estimated from the access points around `column`, usually a little too large. A tile asks this for many rows: nothing is allocated.
 */
export function endOf(
  points: ScanAccessPoints,
  row: number,
  begin: AccessPoint,
  column: number,
  exact: boolean,
): number {
  const { scan, perRow, entries } = points;
  const after = Math.ceil((column + 1) / scan.step);
  const next =
    column >= scan.columns || after >= perRow ? placeOf(points, row + 1, 0) : placeOf(points, row, after);
  // a partly used byte, and the zero behind it if it is FF
  const end = next < 0 ? points.end + 4 : offsetAt(entries, next) + 2;
  const nextColumn = after >= perRow ? scan.columns : columnOf(scan, after);
  if (exact || nextColumn <= column || column >= scan.columns) return end;
  let { column: from, offset } = begin;
  const last = numberAt(scan, column);
  if (last > numberAt(scan, from)) {
    const before = placeOf(points, row, last);
    if (before < 0) return end;
    from = columnOf(scan, last);
    offset = offsetAt(entries, before);
  }
  const share = (column - from) / Math.max(1, nextColumn - from);
  return Math.min(end, offset + Math.ceil(1.5 * share * (end - offset)) + 256);
}

/** The access points of a file, by scan; usually there is one scan. */
export interface AccessPoints {
  readonly scans: ScanAccessPoints[];
  /** The reduced level at 1/8: samples of each component in the frame's order, ceil(width/8) by ceil(height/8). */
  level8: readonly Uint8Array[] | undefined;
  complete: boolean;
}

/** Size of a component at 1/8. */
export const level8Size = (frame: Frame, component: number) => reducedSize(frame, component, 8);

/** Bytes of all components at 1/8. */
export function level8Bytes(frame: Frame): number {
  return frame.components.reduce((sum, _, component) => {
    const { width, height } = level8Size(frame, component);
    return sum + width * height;
  }, 0);
}

/** The scan behind the known ones, if it has components that none of these has. */
export async function nextScan(
  bytes: ByteSource,
  from: number,
  header: Header,
  known: readonly ScanAccessPoints[],
): Promise<Scan | undefined> {
  const seen = new Set(known.flatMap(({ scan }) => scan.components.map(({ index }) => index)));
  if (seen.size === header.frame.components.length) return undefined;
  const scan = await readScan(bytes, from, header.frame, known.at(-1)!.scan);
  return scan?.components.every(({ index }) => !seen.has(index)) ? scan : undefined;
}
