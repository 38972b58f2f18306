// Access points: positions in the coded data at which decoding can begin, with the bit position and DC
// predictors of each.

import type { ByteSource } from "../../../../base/index.ts";
import type { Frame } from "../markers/frame.ts";
import { reducedSize } from "./geometry.ts";
import { type Header, readScan, type Scan } from "./header.ts";

/** A position at which decoding can begin. */
export interface AccessPoint {
  /** Column of the MCU that follows it. */
  readonly column: number;
  /** File offset, and the number of bits of that byte, 0 to 7, that belong to the previous MCU. */
  readonly offset: number;
  readonly bit: number;
  /** True if the data has run out: everything up to the next restart is gray. */
  readonly spent: boolean;
  /** DC predictor of each component of the scan. */
  readonly predictors: readonly number[];
}

/**
 * Bytes of an access point in memory: its position in bits as u64, with the highest bit for "spent", and four
 * predictors as i16.
 */
export const accessPointBytes = 16;

/** The access points of a scan, extended while they are found. */
export interface ScanAccessPoints {
  readonly scan: Scan;
  /** Number of access points of a row of MCUs. */
  readonly perRow: number;
  /** Access points in row order, `accessPointBytes` bytes each; the first `count` are valid. */
  entries: Uint8Array;
  count: number;
  /** File offset after the scan's data, once it is known. */
  end: number;
  /** Number of MCU rows that have been read; all of them once `complete`. */
  rows: number;
  complete: boolean;
  /** Number of violations of the format. */
  damage: number;
}

export function createScanAccessPoints(scan: Scan): ScanAccessPoints {
  const perRow = 1 + Math.floor(scan.columns / scan.step);
  const entries = new Uint8Array(accessPointBytes * perRow);
  return { scan, perRow, entries, count: 0, end: scan.start, rows: 0, complete: false, damage: 0 };
}

/** Appends access points in their memory layout. */
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

/** Returns the column of an access point, given its number in the row. */
export function columnOf(scan: Scan, number: number): number {
  return number === 0 ? 0 : scan.step * number - 1;
}

/** Returns the number of the last access point of a row at or before a column. */
const numberAt = (scan: Scan, column: number) => Math.floor((column + 1) / scan.step);

/** Returns the last access point of a row at or before a column; undefined if the data ends before it. */
export function accessPointBefore(
  points: ScanAccessPoints,
  row: number,
  column: number,
): AccessPoint | undefined {
  return accessPointAt(points, row, numberAt(points.scan, column));
}

/** Returns the access point with this number in a row; undefined if the data or the rows end before it. */
export function accessPointAt(
  points: ScanAccessPoints,
  row: number,
  number: number,
): AccessPoint | undefined {
  const at = indexOf(points, row, number);
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

/**
 * Returns the byte position in `entries` of the access point with this number in a row; -1 if the data or the
 * rows end before it.
 */
function indexOf({ scan, perRow, count }: ScanAccessPoints, row: number, number: number): number {
  const n = row * perRow + number;
  return row >= scan.rows || n >= count ? -1 : n * accessPointBytes;
}

const halfAt = (entries: Uint8Array, at: number) => entries[at]! | (entries[at + 1]! << 8);

/** Returns the file offset of the access point at byte position `at` of `entries`. */
function offsetAt(entries: Uint8Array, at: number): number {
  const low = halfAt(entries, at) + halfAt(entries, at + 2) * 2 ** 16;
  const high = halfAt(entries, at + 4) + (halfAt(entries, at + 6) & 0x7fff) * 2 ** 16;
  return high * 2 ** 29 + Math.floor(low / 8);
}

/** Most fill bytes (FF before FF) that may follow the bytes of a row (ITU-T T.81, B.1.1.2). */
const fillRoom = 4096;

/**
 * Returns the file offset after the bytes that the MCUs of a row from `begin` up to `column` need. With
 * `exact`, the bytes suffice unless more than {@link fillRoom} fill bytes follow them. Without, the offset is
 * estimated from the access points around `column`, and is usually a little too large. Nothing is allocated,
 * since a tile calls this for many rows.
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
    column >= scan.columns || after >= perRow ? indexOf(points, row + 1, 0) : indexOf(points, row, after);
  // includes a partly used byte, and the zero after it if it is FF
  const end = next < 0 ? points.end + 4 : offsetAt(entries, next) + 2;
  const nextColumn = after >= perRow ? scan.columns : columnOf(scan, after);
  if (exact) return end + fillRoom;
  if (nextColumn <= column || column >= scan.columns) return end;
  let { column: from, offset } = begin;
  const last = numberAt(scan, column);
  if (last > numberAt(scan, from)) {
    const before = indexOf(points, row, last);
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
  /**
   * The reduced level at 1/8: samples of each component in the frame's order, ceil(width/8) by
   * ceil(height/8).
   */
  level8: readonly Uint8Array[] | undefined;
  complete: boolean;
}

/** Returns the size of a component at 1/8. */
export const level8Size = (frame: Frame, component: number) => reducedSize(frame, component, 8);

/** Returns the number of bytes of all components at 1/8. */
export function level8Bytes(frame: Frame): number {
  return frame.components.reduce((sum, _, component) => {
    const { width, height } = level8Size(frame, component);
    return sum + width * height;
  }, 0);
}

/**
 * Returns the scan after the known ones. Returns undefined if there is none, if all components are known, or
 * if a known scan already has one of its components.
 */
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
