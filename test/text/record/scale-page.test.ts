// Boxes of a page in pixels of its canvas.

import { expect, test } from "vitest";
import { type Box, type PageText, scalePage } from "../../../src/text/index.ts";
import fc from "../../properties.ts";
import { anyPage } from "./pages.ts";

const pageOf = (width: number, height: number, ...boxes: Box[]): PageText => ({
  width,
  height,
  lines: [{ block: 0, words: boxes.map((box) => ({ text: "a", box })) }],
});
const boxesOf = ({ page }: ReturnType<typeof scalePage>) => page.lines[0]?.words.map(({ box }) => box);

test("the same size is exact", () => {
  const page = pageOf(100, 200, [10, 20, 30, 40]);
  expect(scalePage(page, 100, 200)).toEqual({ page, fit: "exact" });
});

test("boxes in tenths of millimetres become pixels, each side by its own scale", () => {
  const scaled = scalePage(pageOf(3140, 4790, [314, 479, 157, 958]), 1000, 1530);
  expect(scaled.fit).toBe("scaled");
  expect([scaled.page.width, scaled.page.height]).toEqual([1000, 1530]);
  expect(boxesOf(scaled)).toEqual([[100, 153, 50, 306]]);
});

test("neighbours stay neighbours, and a box smaller than a pixel gets one", () => {
  const scaled = scalePage(
    pageOf(1000, 1000, [0, 0, 333, 10], [333, 0, 333, 10], [500, 500, 1, 1]),
    100,
    100,
  );
  expect(boxesOf(scaled)).toEqual([
    [0, 0, 33, 1],
    [33, 0, 34, 1],
    [50, 50, 1, 1],
  ]);
});

test("another shape is reported, and its boxes are scaled", () => {
  const scaled = scalePage(pageOf(100, 100, [10, 10, 10, 10]), 200, 100);
  expect([scaled.fit, boxesOf(scaled)]).toEqual(["ratio", [[20, 10, 20, 10]]]);
});

test("exchanged sides cost the boxes, not the text", () => {
  const scaled = scalePage(pageOf(100, 200, [10, 20, 30, 40]), 400, 200);
  expect([scaled.fit, boxesOf(scaled)]).toEqual(["swapped", [undefined]]);
});

// A mark of 30 × 40 at the left top of a stored image of 100 × 200, as EXIF orientation turns it.
test.each([
  [5, [20, 10, 40, 30]],
  [6, [140, 10, 40, 30]],
  [7, [140, 60, 40, 30]],
  [8, [20, 60, 40, 30]],
])("with orientation %i, a page of the stored image is turned with it", (orientation, expected) => {
  const page = pageOf(100, 200, [10, 20, 30, 40]);
  expect(boxesOf(scalePage(page, 200, 100, { orientation }))).toEqual([expected]);
  expect(scalePage(page, 200, 100, { orientation }).fit).toBe("exact");
  expect(scalePage(page, 400, 200, { orientation }).fit).toBe("scaled");
  expect(scalePage(page, 100, 200, { orientation }).fit).toBe("exact");
});

test.each([1, 2, 3, 4])("orientation %i exchanges no sides, so it does not explain them", (orientation) => {
  const page = pageOf(100, 200, [10, 20, 30, 40]);
  expect(boxesOf(scalePage(page, 100, 200, { orientation }))).toEqual([[10, 20, 30, 40]]);
  expect(boxesOf(scalePage(page, 200, 100, { orientation }))).toEqual([undefined]);
});

test("without a size of the page, boxes are pixels, clipped to the canvas", () => {
  const scaled = scalePage(pageOf(0, 0, [10, 20, 300, 40], [500, 500, 1, 1]), 100, 200);
  expect([scaled.fit, boxesOf(scaled)]).toEqual(["unknown", [[10, 20, 90, 40], undefined]]);
});

test("boxes are whole numbers inside of any canvas", () => {
  const size = fc.integer({ min: 1, max: 100_000 });
  fc.assert(
    fc.property(anyPage, size, size, fc.integer({ min: 1, max: 8 }), (page, width, height, orientation) => {
      const scaled = scalePage(page, width, height, { orientation }).page;
      for (const { box } of scaled.lines.flatMap((line) => [line, ...line.words])) {
        if (!box) continue;
        expect(box.every(Number.isInteger)).toBe(true);
        const [x, y, wide, high] = box;
        expect(
          Math.min(x, y, wide - 1, high - 1, width - x - wide, height - y - high),
        ).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
