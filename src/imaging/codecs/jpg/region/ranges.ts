// Ranges of the file that a range of MCUs needs, row by row, from its access points.

import type { ByteRange } from "../../../../base/index.ts";
import {
  type AccessPoint,
  type AccessPoints,
  accessPointBefore,
  endOf,
  type ScanAccessPoints,
} from "./access-points.ts";
import type { McuRange } from "./geometry.ts";

/** The bytes of one MCU row of a scan. */
export interface RowRange extends ByteRange {
  readonly scan: number;
  readonly row: number;
  /** Access point at which decoding starts. */
  readonly start: AccessPoint;
}

/** Rows whose estimate was too small, as "scan:row". They are read up to the next access point. */
export type Short = ReadonlySet<string>;

export const rowKey = (scan: number, row: number): string => `${scan}:${row}`;

/** Returns the ranges for some MCUs of one scan, in row order; rows without data have none. */
export function rowRanges(points: ScanAccessPoints, scan: number, mcus: McuRange, short: Short): RowRange[] {
  const ranges: RowRange[] = [];
  for (let row = mcus.top; row < mcus.bottom; row++) {
    const start = accessPointBefore(points, row, mcus.left);
    if (!start) continue;
    const end = endOf(points, row, start, mcus.right, short.size > 0 && short.has(rowKey(scan, row)));
    ranges.push({ scan, row, start, offset: start.offset, length: Math.max(0, end - start.offset) });
  }
  return ranges;
}

/** Returns the ranges for some MCUs of each scan of a file. */
export function allRanges(accessPoints: AccessPoints, mcus: readonly McuRange[], short: Short): RowRange[] {
  return accessPoints.scans.flatMap((scan, i) => rowRanges(scan, i, mcus[i]!, short));
}
