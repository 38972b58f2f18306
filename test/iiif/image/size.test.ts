// Limits on derivatives, and the arithmetic of rounding sizes.

import { expect, test } from "vitest";
import {
  effectiveLimits,
  type Limits,
  overlap,
  roundedRatio,
  withinLimits,
} from "../../../src/iiif/image/size.ts";
import fc from "../../properties.ts";

const none: Limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };

test("a width limit alone limits the height as well", () => {
  expect(effectiveLimits({ maxWidth: 10, maxHeight: 0, maxArea: 5 })).toEqual({
    maxWidth: 10,
    maxHeight: 10,
    maxArea: 5,
  });
  expect(effectiveLimits({ maxWidth: 10, maxHeight: 20, maxArea: 0 })).toEqual({
    maxWidth: 10,
    maxHeight: 20,
    maxArea: 0,
  });
  expect(effectiveLimits(none)).toEqual(none);
  expect(effectiveLimits({ ...none, maxHeight: 20 })).toEqual({ ...none, maxHeight: 20 });
});

test("a size on a limit is within it, and 0 is no limit", () => {
  const limits = { maxWidth: 100, maxHeight: 50, maxArea: 4000 };
  const within = (width: number, height: number) => withinLimits({ width, height }, limits);
  expect([within(100, 40), within(80, 50), within(101, 1), within(1, 51)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([within(100, 41), withinLimits({ width: 1e9, height: 1e9 }, none)]).toEqual([false, true]);
});

test("a ratio is rounded to the nearest integer, a half upwards", () => {
  const ratios = [
    roundedRatio(0n, 7n),
    roundedRatio(1n, 2n),
    roundedRatio(3n, 2n),
    roundedRatio(1n, 3n),
    roundedRatio(2n, 3n),
  ];
  expect(ratios).toEqual([0, 1, 2, 0, 1]);
  expect(roundedRatio(2n ** 80n, 1n)).toBe(Number.MAX_SAFE_INTEGER);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 52n }), fc.bigInt({ min: 1n, max: 2n ** 20n }), (n, d) => {
      const twice = 2n * (BigInt(roundedRatio(n, d)) * d - n);
      expect(twice > -d && twice <= d).toBe(true);
    }),
  );
});

test("the overlap of two sizes has the smaller of both sides", () => {
  expect(overlap({ width: 10, height: 3 }, { width: 4, height: 8 })).toEqual({ width: 4, height: 3 });
});
