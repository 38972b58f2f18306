// Real output of tesseract for a page whose words and boxes are known from its typesetting.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type Box,
  decodePage,
  encodePage,
  type PageText,
  plainText,
  scalePage,
} from "../../../src/text/index.ts";
import { linesOf, readPages } from "./read.ts";

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

interface Printed {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly (readonly { readonly text: string; readonly box: Box }[])[];
}
const printed = JSON.parse(fixture("typeset.json").toString()) as Printed;
const printedLines = printed.lines.map((line) => line.map(({ text }) => text).join(" "));

const readFixture = (name: string): PageText => readPages(fixture(name), { name })[0]!.text;

/** The greatest distance between an edge of a word and that of its ink, in pixels of the printed page. */
function farthest(page: PageText, scale = 1): number {
  const inks = printed.lines.flat().map(({ box }) => box);
  const boxes = page.lines.flatMap(({ words }) => words.map(({ box }) => box!));
  const edges = ([x, y, width, height]: Box) => [x, y, x + width, y + height];
  return Math.max(
    ...inks.flatMap((ink, at) => {
      const read = edges(boxes[at]!);
      return edges(ink).map((edge, side) => Math.abs(edge - read[side]! / scale));
    }),
  );
}

test.each(["typeset.alto.xml", "typeset.hocr"])(
  "the words of %s are those that were printed, within 3 pixels",
  (name) => {
    const page = readFixture(name);
    expect([page.width, page.height]).toEqual([1200, 900]);
    expect(linesOf(page)).toEqual(printedLines);
    expect(farthest(page)).toBeLessThanOrEqual(3);
  },
);

test.each([0.25, 2, 3.7])("on a canvas %d times as large they are still there", (scale) => {
  const { page, fit } = scalePage(readFixture("typeset.alto.xml"), 1200 * scale, 900 * scale);
  expect(fit).toBe("scaled");
  // A pixel of rounding on a small canvas is as much as the scale says.
  expect(farthest(page, scale)).toBeLessThanOrEqual(3 + 0.5 / scale);
});

test("the word of two lines is joined, and blocks are those of the recognition", () => {
  for (const name of ["typeset.alto.xml", "typeset.hocr"]) {
    const page = readFixture(name);
    expect(page.lines[4]?.words.at(-1)).toMatchObject({ text: "under-", joined: "understanding" });
    expect(plainText(page, { joinsWords: true })).toContain("an understanding\n");
  }
  expect(readFixture("typeset.hocr").language).toBe("en");
});

test("plain text has the same words without boxes", () => {
  expect(linesOf(readFixture("typeset.txt"))).toEqual(printedLines);
});

test("the record keeps all of it", () => {
  const page = readFixture("typeset.hocr");
  expect(decodePage(encodePage(page))).toEqual(page);
});
