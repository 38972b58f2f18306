// Plain text: lines, blocks and pages.

import { expect, test } from "vitest";
import fc from "../../properties.ts";
import { linesOf, readFile, readPage, readPages } from "./read.ts";

const name = "page.txt";

test("lines stay lines, and empty ones separate blocks", () => {
  const page = readPage("The quin-\r\ntal.\n\n\nNext  block\n", { name });
  expect(page).toEqual({
    width: 0,
    height: 0,
    lines: [
      { block: 0, words: [{ text: "The" }, { text: "quin-", joined: "quintal." }] },
      { block: 0, words: [{ text: "tal." }] },
      { block: 1, words: [{ text: "Next" }, { text: "block" }] },
    ],
  });
});

test("a form feed ends a page, as tesseract writes it", () => {
  expect(readPages("one\n\ftwo\n\f\fthree", { name }).map(({ text }) => linesOf(text))).toEqual([
    ["one"],
    ["two"],
    [],
    ["three"],
  ]);
  expect(readPages("one\n\f", { name })).toHaveLength(1);
  expect(readPages("", { name })).toMatchObject([{ index: 0, text: { lines: [] } }]);
});

test("a name in .txt is plain text even with a tag in front; without a name, text begins with no tag", () => {
  expect(readFile("<b>bold</b>", { name })).toMatchObject({ format: "plain" });
  expect(readFile("3 < 4", { name: "page" })).toMatchObject({ format: "plain" });
  expect(readFile("<3", { name: "page" })).toMatchObject({ format: "plain" });
});

test("the size of the pieces makes no difference", () => {
  const characters = fc.constantFrom(..."ab ü\r\n\f\u2028😀\t");
  const text = fc.array(characters, { maxLength: 60 }).map((list) => list.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (value, size) => {
      expect(readFile(value, { name }, size)).toEqual(readFile(value, { name }));
    }),
  );
});

test("a word longer than any is cut into several, between characters", () => {
  const [line] = readPage(`a ${"😀".repeat(10_000)} b`, { name }).lines;
  const words = line!.words.map(({ text }) => text);
  expect(words.join("")).toBe(`a${"😀".repeat(10_000)}b`);
  expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(4096);
  expect(words.some((word) => /[\ud800-\udfff]/u.test(word))).toBe(false);
});
