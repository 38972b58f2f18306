// Read-ahead. Blocks have 128 KiB: 8 of them are 1 MiB.

import { describe, expect, test } from "vitest";
import { createReadAhead, upTo } from "../../../../src/server/sources/origin/read-ahead.ts";

const mebibyte = 2 ** 20;

/** Reads blocks in sequence; returns the number of blocks read ahead of each, and where they end. */
function reads(size: number, ...ranges: readonly (readonly [first: number, last: number])[]) {
  return readsOf(0, size, ...ranges);
}

/** As `reads`, of the file that is the bytes `from` to `to` of a master. */
function readsOf(from: number, to: number, ...ranges: readonly (readonly [first: number, last: number])[]) {
  const pattern = createReadAhead(from, to);
  return ranges.map(([first, last]) => {
    const along = pattern.read(first, last);
    const ahead = pattern.next();
    return { along: along.length, ahead: ahead.length, end: ahead.at(-1) };
  });
}

const none = { along: 0, ahead: 0, end: undefined };

describe("for a large master", () => {
  const size = 64 * mebibyte;

  test("nothing comes ahead of reads here and there, nor of the header", () => {
    expect(reads(size, [0, 0], [1, 1], [100, 107], [50, 57], [300, 300])).toEqual(
      Array.from({ length: 5 }, () => none),
    );
  });

  test("1 MiB is fetched ahead of sequential reads, then twice as much each time, up to 4 MiB", () => {
    const found = reads(size, [8, 15], [16, 23], [24, 31], [32, 39], [40, 47], [48, 55], [56, 63]);
    expect(found).toEqual([
      none,
      { along: 0, ahead: 8, end: 31 },
      { along: 0, ahead: 16, end: 47 },
      { along: 0, ahead: 32, end: 71 },
      // of the 32 blocks that end with 71, 24 and then 16 are still to come behind the read, and then 8,
      // fewer than half
      none,
      none,
      { along: 0, ahead: 32, end: 95 },
    ]);
  });

  test("it ends when the reads jump, and begins small again", () => {
    expect(reads(size, [8, 15], [16, 23], [200, 207], [208, 215])).toEqual([
      none,
      { along: 0, ahead: 8, end: 31 },
      none,
      { along: 0, ahead: 8, end: 223 },
    ]);
  });

  test("nothing comes from behind its end", () => {
    const [, second] = reads(3 * mebibyte - 1, [8, 15], [16, 20]);
    expect(second).toEqual({ along: 0, ahead: 3, end: 23 });
  });
});

test("a small master comes whole with the first read beyond its first two blocks", () => {
  expect(reads(2 * mebibyte, [0, 1], [5, 5])).toEqual([none, { along: 16, ahead: 0, end: undefined }]);
  expect(reads(2 * mebibyte + 1, [0, 1], [5, 5])).toEqual([none, none]);
});

test("for a file within a master, nothing comes from outside of it", () => {
  const [from, to] = [10.5 * mebibyte, 14.5 * mebibyte];
  // The block with the beginning of the file is its header.
  expect(readsOf(from, to, [84, 84], [85, 92], [93, 100])).toEqual([
    none,
    none,
    { along: 0, ahead: 8, end: 108 },
  ]);
  expect(readsOf(from, to, [99, 106], [107, 113])).toEqual([none, { along: 0, ahead: 2, end: 115 }]);
  expect(readsOf(from, 11.5 * mebibyte, [84, 85], [88, 88])).toEqual([
    none,
    { along: 8, ahead: 0, end: undefined },
  ]);
});

test("numbers of blocks go up to an end that they leave out", () => {
  expect(upTo(3, 6)).toEqual([3, 4, 5]);
  expect(upTo(3, 2)).toEqual([]);
});
