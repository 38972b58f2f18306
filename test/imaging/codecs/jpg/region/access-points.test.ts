// Access points as they lie in memory, and how far the bytes of some MCUs go, by arithmetic.

import { describe, expect, test } from "vitest";
import {
  type AccessPoint,
  accessPointAt,
  accessPointBefore,
  accessPointBytes,
  endOf,
  type ScanAccessPoints,
} from "../../../../../src/imaging/codecs/jpg/region/access-points.ts";
import type { Scan } from "../../../../../src/imaging/codecs/jpg/region/header.ts";

/**
 * Two rows of 100 MCUs with an access point before the first and each eighth of them: 13 a row, in columns 0,
 * 7, 15, 23 … 95.
 */
const scan = { columns: 100, rows: 2, step: 8, components: [{}, {}, {}] } as unknown as Scan;
const perRow = 13;

/** A position in bits, the highest bit for "spent", and four predictors. */
function write(view: DataView, n: number, bits: bigint, spent: boolean, predictors: readonly number[]) {
  const at = n * accessPointBytes;
  view.setBigUint64(at, bits | (spent ? 1n << 63n : 0n), true);
  for (const [i, predictor] of predictors.entries()) view.setInt16(at + 8 + 2 * i, predictor, true);
}

/** Point number n of the scan at byte 10,000 n. */
function pointsOf(count = 2 * perRow): ScanAccessPoints {
  const entries = new Uint8Array(2 * perRow * accessPointBytes);
  const view = new DataView(entries.buffer);
  for (let n = 0; n < 2 * perRow; n++) write(view, n, BigInt(80_000 * n), false, []);
  return { scan, perRow, entries, count, end: 300_000, rows: 2, complete: true, damage: 0 };
}

const at = (points: ScanAccessPoints, row: number, number: number) =>
  accessPointAt(points, row, number) as AccessPoint;

describe("an access point", () => {
  test("contains its offset, even beyond 4 GB, and the state of the decoder before it", () => {
    const points = pointsOf();
    const offset = 2 ** 41 + 2 ** 32 + 12_345;
    const view = new DataView(points.entries.buffer);
    write(view, perRow + 3, BigInt(offset) * 8n + 5n, false, [-32_768, 32_767, -1]);
    expect(at(points, 1, 3)).toEqual({
      column: 23,
      offset,
      bit: 5,
      spent: false,
      predictors: [-32_768, 32_767, -1],
    });
    write(view, 4, BigInt(offset) * 8n, true, [0, 0, 7]);
    expect(at(points, 0, 4)).toEqual({ column: 31, offset, bit: 0, spent: true, predictors: [0, 0, 7] });
  });

  test.each([
    [0, 0],
    [6, 0],
    [7, 1],
    [14, 1],
    [15, 2],
    [99, 12],
  ])("before column %d is number %d of its row", (column, number) => {
    const points = pointsOf();
    expect(accessPointBefore(points, 1, column)).toEqual(at(points, 1, number));
  });

  test("is missing after the data and the rows", () => {
    expect(accessPointAt(pointsOf(5), 0, 5)).toBeUndefined();
    expect(accessPointAt(pointsOf(), 2, 0)).toBeUndefined();
  });
});

describe("the bytes up to a column end", () => {
  const points = pointsOf();
  const first = at(points, 0, 0);

  test("two bytes and 4 KiB for fill bytes after the next access point, if they have to suffice", () => {
    expect(endOf(points, 0, first, 20, true)).toBe(30_002 + 4096);
  });

  // Column 20 is 5/8 of the way from the point in column 15 to the one in 23: 1.5 times that share of 10,002
  // bytes, and 256.
  test.each([0, 1, 2])("at an estimate from the points around it, from point %d on", (number) => {
    expect(endOf(points, 0, at(points, 0, number), 20, false)).toBe(20_000 + 9377 + 256);
  });

  test("no later than the next point, however the estimate", () => {
    expect(endOf(points, 0, first, 22, false)).toBe(30_002);
  });

  test("at the point itself, if there is one", () => {
    expect(endOf(points, 0, first, 23, false)).toBe(30_002);
  });

  test("at the beginning of the next row, for a whole row", () => {
    expect(endOf(points, 0, first, 100, false)).toBe(130_002);
    expect(endOf(points, 0, first, 100, true)).toBe(130_002 + 4096);
  });

  test("between the last point of a row and the next row at an estimate", () => {
    // Column 97 is 2/5 of the way from 95 to 100, where row 1 begins at 130,000.
    expect(endOf(points, 0, first, 97, false)).toBe(120_000 + 6002 + 256);
  });

  test("after the scan if the data ends earlier", () => {
    expect(endOf(points, 1, at(points, 1, 0), 100, false)).toBe(300_004);
    expect(endOf(pointsOf(2), 0, first, 20, false)).toBe(300_004);
  });
});
