import { expect, test } from "vitest";
import { createHistogram } from "../../../src/server/stats/histogram.ts";
import fc from "../../properties.ts";

test("buckets count values up to their bound, and the last of all is the whole count", () => {
  const histogram = createHistogram([0.1, 1, 10]);
  for (const value of [0, 0.1, 0.25, 1, 1.5, 10, 11, 500]) histogram.record(value);
  expect(histogram.read()).toEqual({
    buckets: [
      { upTo: 0.1, count: 2 },
      { upTo: 1, count: 4 },
      { upTo: 10, count: 6 },
    ],
    count: 8,
    sum: 523.85,
  });
});

test("buckets, count and sum are those of arithmetic for any values", () => {
  const bounds = [1, 2, 5, 10, 100];
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 200 })), (values) => {
      const histogram = createHistogram(bounds);
      for (const value of values) histogram.record(value);
      expect(histogram.read()).toEqual({
        buckets: bounds.map((upTo) => ({ upTo, count: values.filter((value) => value <= upTo).length })),
        count: values.length,
        sum: values.reduce((sum, value) => sum + value, 0),
      });
    }),
  );
});

test("has percentiles of the configured number of latest values, else none", () => {
  const kept = createHistogram([1], 2);
  const bare = createHistogram([1]);
  for (const value of [9, 1, 3]) {
    kept.record(value);
    bare.record(value);
  }
  expect(kept.percentiles([0.5, 1])).toEqual([1, 3]);
  expect(bare.percentiles([0.5, 1])).toEqual([undefined, undefined]);
});
