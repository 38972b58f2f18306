// Things that are said now and then.

import { expect, test } from "vitest";
import { createSeldom } from "../../../src/base/telemetry/seldom.ts";

test("each key may be said once in its time", () => {
  let time = 5;
  const may = createSeldom(100, () => time);
  expect([may("a"), may("a"), may("b")]).toEqual([true, false, true]);
  time = 104;
  expect([may("a"), may("b")]).toEqual([false, false]);
  time = 105;
  expect([may("a"), may("a"), may("b")]).toEqual([true, false, true]);
});
