// The text of pages and queries for an engine that cuts at spaces alone.

import { expect, test } from "vitest";
import { type PageText, parseQuery, plainPhrasesOf, plainUnitsOf } from "../../../src/text/index.ts";

const pageOf = (...lines: readonly (readonly (string | readonly [string, string])[])[]): PageText =>
  ({
    width: 100,
    height: 100,
    lines: lines.map((words) => ({
      words: words.map((word) =>
        typeof word === "string" ? { text: word } : { text: word[0], joined: word[1] },
      ),
    })),
  }) as unknown as PageText;

test("a page is its folded units in their order", () => {
  expect(plainUnitsOf(pageOf(["L'Été,", "GROSSE"], ["Größe", "…", "議事"]))).toEqual([
    "l ete grosse grosse 議 事",
  ]);
});

test("a page with divided words is there once more, with these as a whole", () => {
  expect(plainUnitsOf(pageOf(["ein", ["Buch-", "Buchstabe"]], ["stabe", "zuletzt"]))).toEqual([
    "ein buch stabe zuletzt",
    "ein buchstabe zuletzt",
  ]);
});

test("a word that says that it goes on is itself at the end of its page", () => {
  expect(plainUnitsOf(pageOf(["ein", ["Buch-", "Buchstabe"]]))).toEqual(["ein buch"]);
});

test.each([
  ["Été grande*", [["ete"], false], [["grande"], true]],
  ['"well-known Größe"', [["well", "known", "grosse"], false]],
  ["議事録 a", [["議", "事", "録"], false], [["a"], false]],
  ["l'ea*", [["l", "ea"], true]],
  ["..."],
])("the query %s is phrases of units", (query, ...phrases) => {
  expect(plainPhrasesOf(parseQuery(query)).map(({ units, isPrefix }) => [units, isPrefix])).toEqual(phrases);
});
