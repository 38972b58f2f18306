// The documentation stays short enough to be read.

import { expect, test } from "vitest";
import { pageLengths, sumOf, wordsOf, wordsWithTables } from "../../scripts/site/prose.mjs";
import { docsFolder } from "./pages.ts";

const sample =
  "Two [words](a/b.md).\n\n```sh\nnone here\n```\n\n| in | `a b` – |\n|---|---|\n| a | table |\n";

test("prose counts without code, tables and the addresses of links", () => {
  expect(wordsOf(`${sample}\n    none here\n`)).toBe(2);
});

test("words of tables count without their lines and dashes", () => {
  expect(wordsWithTables(`${sample}\n<!-- none here -->\n`)).toBe(2 + 5);
});

const pages = pageLengths(docsFolder);

test("the pages that people write have at most 29,600 words of prose", () => {
  const words = sumOf(
    pages.filter(({ isGenerated }) => !isGenerated),
    ({ prose }) => prose,
  );
  expect(words).toBeLessThanOrEqual(29_600);
  expect(words).toBeGreaterThan(10_000);
});

test("what users meet has at most 56,500 words, tables and generated pages included", () => {
  const words = sumOf(
    pages.filter(({ isForUsers }) => isForUsers),
    ({ withTables }) => withTables,
  );
  expect(words).toBeLessThanOrEqual(56_500);
  expect(words).toBeGreaterThan(20_000);
});
