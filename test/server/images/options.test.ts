import { expect, test } from "vitest";
import { rendersAtOnce } from "../../../src/server/images/options.ts";

test.each([
  [0, 8, true, 8],
  [0, 2, true, 2],
  [0, 1, true, 2],
  [0, 1, false, 1],
  [1, 8, true, 1],
  [3, 1, true, 3],
] as const)(
  "max_concurrent %i on %i processors, threads %s: %i concurrent renders",
  (max_concurrent, processors, apart, renders) => {
    expect(rendersAtOnce({ max_concurrent }, processors, apart)).toBe(renders);
  },
);
