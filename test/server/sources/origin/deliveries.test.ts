import { expect, test } from "vitest";
import { runsOf } from "../../../../src/server/sources/origin/deliveries.ts";

test("neighbouring blocks come with one request, of 64 at most", () => {
  expect(runsOf([])).toEqual([]);
  expect(runsOf([1, 2, 3, 7, 9, 10])).toEqual([
    { first: 1, count: 3 },
    { first: 7, count: 1 },
    { first: 9, count: 2 },
  ]);
  const many = Array.from({ length: 130 }, (_, i) => i + 5);
  expect(runsOf(many)).toEqual([
    { first: 5, count: 64 },
    { first: 69, count: 64 },
    { first: 133, count: 2 },
  ]);
});
