// The text of a page for people.

import { expect, test } from "vitest";
import { type PageText, pageLanguage, plainText } from "../../../src/text/index.ts";

const page: PageText = {
  width: 0,
  height: 0,
  lines: [
    { block: 0, words: [{ text: "The" }, { text: "quin-", joined: "quintal" }] },
    {
      block: 0,
      language: "en",
      words: [{ text: "tal" }, { text: "and" }, { text: "vien-", joined: "vienna" }],
    },
    { block: 1, language: "de", words: [{ text: "na" }] },
    { block: 1, words: [{ text: "Ende" }] },
  ],
};

test("lines stay lines, with an empty one between blocks", () => {
  expect(plainText(page)).toBe("The quin-\ntal and vien-\n\nna\nEnde\n");
});

test("words of two lines are joined on the first one if that is asked for", () => {
  expect(plainText(page, { joinsWords: true })).toBe("The quintal\nand vienna\n\nEnde\n");
});

test("a page without words has no text", () => {
  expect(plainText({ width: 1, height: 1, lines: [] })).toBe("");
});

test("the language of a page is its own, else that of most words", () => {
  expect(pageLanguage(page)).toBe("en");
  expect(pageLanguage({ ...page, language: "fr" })).toBe("fr");
  expect(pageLanguage({ lines: [] })).toBeUndefined();
});
