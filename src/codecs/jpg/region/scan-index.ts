// What an index knows of one scan: where entries stand, and the bit position and DC predictors at each.

import type { ByteSource } from "../../../lib/byte-source.ts";
import type { Frame } from "../markers/frame.ts";
import { reducedSize } from "./geometry.ts";
import { type Header, readScan, type Scan } from "./header.ts";

/** Where decoding can begin. */
export interface Entry {
  /** Of the MCU that it stands before. */
  readonly column: number;
  /** File offset and, from 0 to 7, how many bits of that byte belong to what comes before. */
  readonly offset: number;
  readonly bit: number;
  /** Data ran out before: gray up to the next restart. */
  readonly spent: boolean;
  /** One of each component of the scan. */
  readonly predictors: readonly number[];
}

/** Bytes of an entry in memory: u64 of bits before it with the highest bit for "spent", four i16. */
export const entrySize = 16;

/** The index of a scan, as it grows. */
export interface ScanIndex {
  readonly scan: Scan;
  readonly perRow: number;
  /** Entries in row order, `entrySize` bytes each, the first `count` of them valid. */
  entries: Uint8Array;
  count: number;
  /** File offset behind the scan's data, once that is known. */
  end: number;
  /** MCU rows that are done; all of them once `complete`. */
  rows: number;
  complete: boolean;
  /** How often data was not as it should be. */
  damage: number;
}

export function createScanIndex(scan: Scan): ScanIndex {
  const perRow = 1 + Math.floor(scan.columns / scan.step);
  const entries = new Uint8Array(entrySize * perRow);
  return { scan, perRow, entries, count: 0, end: scan.start, rows: 0, complete: false, damage: 0 };
}

/** Adds raw entries behind the ones that are there. */
export function appendEntries(index: ScanIndex, raw: Uint8Array): void {
  const used = index.count * entrySize;
  if (used + raw.length > index.entries.length) {
    const larger = new Uint8Array(Math.max(used + raw.length, 2 * index.entries.length));
    larger.set(index.entries.subarray(0, used));
    index.entries = larger;
  }
  index.entries.set(raw, used);
  index.count += raw.length / entrySize;
}

/** Column of the entry with this number in its row. */
export function columnOf(scan: Scan, number: number): number {
  return number === 0 ? 0 : scan.step * number - 1;
}

/** Number of the last entry in its row that stands at or before a column. */
const numberAt = (scan: Scan, column: number) => Math.floor((column + 1) / scan.step);

/** The last entry of a row that stands at or before a column; `undefined` where data has ended before it. */
export function entryBefore(index: ScanIndex, row: number, column: number): Entry | undefined {
  return entryAt(index, row, numberAt(index.scan, column));
}

/** The entry with this number in a row. */
export function entryAt(index: ScanIndex, row: number, number: number): Entry | undefined {
  const n = row * index.perRow + number;
  if (row >= index.scan.rows || n >= index.count) return undefined;
  const { entries } = index;
  const at = n * entrySize;
  const half = (from: number) => entries[from]! | (entries[from + 1]! << 8);
  const low = half(at) + half(at + 2) * 2 ** 16;
  const high = half(at + 4) + half(at + 6) * 2 ** 16;
  const spent = high >= 0x80000000;
  return {
    column: columnOf(index.scan, number),
    offset: (high % 0x80000000) * 2 ** 29 + Math.floor(low / 8),
    bit: entries[at]! & 7,
    spent,
    predictors: index.scan.components.map((_, i) => (half(at + 8 + 2 * i) << 16) >> 16),
  };
}

/**
 * File offset behind the bytes that MCUs of a row from entry `begin` up to `column` need. `exact` is sure to suffice;
 * otherwise it is estimated from the entries around `column`, a little too large as a rule.
 */
export function endOf(index: ScanIndex, row: number, begin: Entry, column: number, exact: boolean): number {
  const { scan, perRow } = index;
  const after = Math.ceil((column + 1) / scan.step);
  const next =
    column >= scan.columns || after >= perRow ? entryAt(index, row + 1, 0) : entryAt(index, row, after);
  // a partly used byte, and the zero behind it if it is FF
  const end = next ? next.offset + 2 : index.end + 4;
  const nextColumn = after >= perRow ? scan.columns : columnOf(scan, after);
  if (exact || nextColumn <= column || column >= scan.columns) return end;
  const before =
    column < columnOf(scan, numberAt(scan, begin.column) + 1) ? begin : entryBefore(index, row, column);
  if (!before) return end;
  const share = (column - before.column) / Math.max(1, nextColumn - before.column);
  return Math.min(end, before.offset + Math.ceil(1.5 * share * (end - before.offset)) + 256);
}

/** The index of a file: one per scan, usually one. */
export interface JpegIndex {
  readonly scans: ScanIndex[];
  /** Samples at 1/8 of each component, in the frame's order, ceil(width/8) by ceil(height/8). */
  overview: readonly Uint8Array[] | undefined;
  complete: boolean;
}

/** Size of a component at 1/8. */
export const overviewSize = (frame: Frame, component: number) => reducedSize(frame, component, 8);

/** The scan behind the ones that are known, if it brings components that no other has brought. */
export async function nextScan(
  bytes: ByteSource,
  from: number,
  header: Header,
  known: readonly ScanIndex[],
): Promise<Scan | undefined> {
  const seen = new Set(known.flatMap(({ scan }) => scan.components.map(({ index }) => index)));
  if (seen.size === header.frame.components.length) return undefined;
  const scan = await readScan(bytes, from, header.frame, known.at(-1)!.scan);
  return scan?.components.every(({ index }) => !seen.has(index)) ? scan : undefined;
}
