// Hits that are found again by the lines around them are compared with those of the whole page, which a
// naive walk confirms elsewhere (search.test.ts).

import { describe, expect, it } from "vitest";
import { matchPage } from "../../../src/text/index/match.ts";
import { matchHits } from "../../../src/text/index/match-hits.ts";
import { pageQueryOf } from "../../../src/text/index/page-query.ts";
import { parseQuery } from "../../../src/text/index/query.ts";
import type { PageText } from "../../../src/text/page-text.ts";
import fc from "../../properties.ts";
import { pageOf } from "./pages.ts";

const filler = ["of", "a", "quite", "ordinary", "sentence", "本文の文字", "co-operate", "Straße"];
const line = fc.array(
  fc.constantFrom("king", "queen", "kingdom", "王王", "quin-|tal", ...filler, ...filler),
  {
    minLength: 1,
    maxLength: 9,
  },
);
const queries = ["king", "king queen", '"king queen"', "king* queen", "王", "quintal king", "strasse co"];

const queryOf = (text: string) => pageQueryOf(parseQuery(text));

describe("hits that are found again", () => {
  it("are those of the whole page, wherever they are on it", () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 20, maxLength: 70 }),
        fc.constantFrom(...queries),
        fc.nat(30),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(1, 8, 70),
        (lines, text, start, count, joined) => {
          const texts = lines.map((words) => words.join(" "));
          const rows = Array.from({ length: Math.ceil(texts.length / joined) }, (_, at) =>
            texts.slice(at * joined, (at + 1) * joined).join(" "),
          );
          const page = pageOf(...rows);
          const query = queryOf(text);
          const hits = matchPage(page, query, start, count);
          expect(matchHits(page, { query, start, ranges: hits.map(({ words }) => words) })).toEqual(hits);
        },
      ),
      { numRuns: 300 },
    );
  });

  /** A page, and the words whose texts somebody has looked at. */
  function watched(page: PageText) {
    const looked = new Set<string>();
    const lines = page.lines.map((line, row) => ({
      ...line,
      words: line.words.map(({ text, ...word }, column) => ({
        ...word,
        get text() {
          looked.add(`${row} ${column}`);
          return text;
        },
      })),
    }));
    return { page: { ...page, lines }, looked };
  }

  const ordinary = (count: number) =>
    Array.from({ length: count }, (_, at) => (at === count / 2 ? "the king sleeps" : "an ordinary sentence"));

  it.each([
    ["lines", ordinary(200)],
    ["words", [ordinary(200).join(" ")]],
  ])("need only a part of a page of many %s", (_, lines) => {
    const query = queryOf("king");
    const whole = pageOf(...lines);
    const hits = matchPage(whole, query);
    const { page, looked } = watched(whole);
    const ranges = hits.map(({ words }) => words);
    expect(matchHits(page, { query, start: 0, ranges })).toEqual(hits);
    expect(looked.size).toBeGreaterThan(0);
    // Of 600 words.
    expect(looked.size).toBeLessThan(60);
  });

  it("need not all of a page of 60,000 words if it has changed since", () => {
    const { page, looked } = watched(pageOf(ordinary(20_000).join(" ")));
    const ranges = [[50, 50] as const];
    expect(matchHits(page, { query: queryOf("king"), start: 0, ranges })).toEqual([]);
    expect(looked.size).toBeLessThan(5000);
  });

  it("are fewer if the page has changed since", () => {
    const page = pageOf("a page without it");
    expect(matchHits(page, { query: queryOf("king"), start: 0, ranges: [[3, 3]] })).toEqual([]);
    expect(matchHits({ ...page, lines: [] }, { query: queryOf("king"), start: 0, ranges: [[7, 8]] })).toEqual(
      [],
    );
  });
});
