import { describe, expect, test } from "vitest";
import { createRing, LatestValues } from "../../../src/server/stats/ring.ts";

describe("a ring of events", () => {
  test("keeps as many as it may, the newest first", () => {
    const ring = createRing<number>(3);
    expect(ring.read()).toEqual([]);
    ring.add(1);
    ring.add(2);
    expect(ring.read()).toEqual([2, 1]);
    for (const event of [3, 4, 5]) ring.add(event);
    expect(ring.read()).toEqual([5, 4, 3]);
  });
});

describe("percentiles of the latest values", () => {
  const percentiles = (values: readonly number[], size: number, shares: readonly number[]) => {
    const latest = new LatestValues(size);
    for (const value of values) latest.add(value);
    return latest.percentiles(shares);
  };

  // The nearest rank of share p among n values is the ceiling of p times n.
  test.each([
    [
      [15, 20, 35, 40, 50],
      [0.05, 0.3, 0.4, 0.5, 1],
      [15, 20, 20, 35, 50],
    ],
    [
      [3, 1, 2],
      [0.5, 0.95, 0.99],
      [2, 3, 3],
    ],
    [[7], [0.5, 0.99], [7, 7]],
    [[10, 9, 100], [0.5], [10]],
  ])("of %j at %j are %j", (values, shares, expected) => {
    expect(percentiles(values, 10, shares)).toEqual(expected);
  });

  test("are of the latest alone, in any order", () => {
    // 1 to 3000: the latest 1,024 are 1977 to 3000, of which the 512th is 2488, the 973rd 2949 and the 1014th
    // 2990.
    const values = Array.from({ length: 3000 }, (_, i) => i + 1);
    expect(percentiles(values, 1024, [0.5, 0.95, 0.99])).toEqual([2488, 2949, 2990]);
  });

  test("are undefined without values", () => {
    expect(percentiles([], 4, [0.5, 0.99])).toEqual([undefined, undefined]);
  });
});
