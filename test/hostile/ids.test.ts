// Ids of stored documents may have any length: what reads them takes time linear in it.

import { expect, test } from "vitest";
import { fallbackTitle } from "../../src/iiif/presentation/v2/properties.ts";
import { costOf } from "./cost.ts";

test.each(["/", "?", "#"])(
  "a title is derived cheaply from an id of 200 KB that ends with %j",
  async (end) => {
    const id = `https://images.test/${"a".repeat(200_000)}${end}`;
    const { result, cpuMs } = await costOf(() => fallbackTitle({ type: "Canvas", id }));
    expect(result).toBe("[Untitled]");
    expect(cpuMs).toBeLessThan(500);
  },
);

test.each([
  ["https://images.test/a/p1", "p1"],
  ["https://images.test/a#p2", "p2"],
  ["https://images.test/a?p=3", "p=3"],
  ["p4", "p4"],
])("the title from the id %s is %j", (id, title) => {
  expect(fallbackTitle({ type: "Canvas", id })).toBe(title);
});
