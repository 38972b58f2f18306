// The documentation stays short enough to be read.

import { expect, test } from "vitest";
import { proseOf, wordsOf } from "../../scripts/site/prose.mjs";
import { docsFolder } from "./pages.ts";

test("prose counts without code, tables and the addresses of links", () => {
  expect(wordsOf("Two [words](a/b.md).\n\n```sh\nnone here\n```\n\n| none | here |\n\n    none here\n")).toBe(
    2,
  );
});

test("the pages that people write have at most 25,000 words of prose", () => {
  const words = proseOf(docsFolder).reduce((sum, page) => sum + page.words, 0);
  expect(words).toBeLessThanOrEqual(25_000);
  expect(words).toBeGreaterThan(10_000);
});
