import { describe, expect, it } from "vitest";
import { contextLength, matchPage } from "../../../src/text/index/match.ts";
import { pageQueryOf } from "../../../src/text/index/page-query.ts";
import { parseQuery } from "../../../src/text/index/query.ts";
import type { PageText } from "../../../src/text/page-text.ts";
import { pageOf } from "./pages.ts";

const match = (page: PageText, query: string, stem?: (word: string) => string) =>
  matchPage(page, pageQueryOf(parseQuery(query), stem));

// Words of these pages have boxes of 90 by 40, each 100 to the right of the one before, 50 from line to line.
const birds = pageOf("There are two birds in", "the hand, and none in", "the bush.");

describe("a match in a page", () => {
  it("of a word has its box, and the text around it", () => {
    expect(match(birds, "birds")).toEqual([
      {
        words: [3, 3],
        exact: "birds",
        prefix: "There are two ",
        suffix: " in the hand, and none in the bush.",
        lines: [
          {
            line: 0,
            words: [3, 3],
            box: [300, 0, 90, 40],
            exact: "birds",
            prefix: "There are two ",
            suffix: " in",
          },
        ],
      },
    ]);
  });

  it("of a phrase over two lines has a part on each, with the box around its words", () => {
    const [hit] = match(birds, '"birds in the hand"');
    expect(hit).toMatchObject({
      words: [3, 6],
      exact: "birds in the hand,",
      suffix: " and none in the bush.",
    });
    expect(hit!.lines).toEqual([
      {
        line: 0,
        words: [3, 4],
        box: [300, 0, 190, 40],
        exact: "birds in",
        prefix: "There are two ",
        suffix: "",
      },
      {
        line: 1,
        words: [5, 6],
        box: [0, 50, 190, 40],
        exact: "the hand,",
        prefix: "",
        suffix: " and none in",
      },
    ]);
  });

  it("of several words is one hit if they are near, with boxes of these words only", () => {
    const [near, ...others] = match(birds, "birds none two");
    expect(others).toEqual([]);
    expect(near).toMatchObject({ words: [2, 8], exact: "two birds in the hand, and none" });
    expect(near!.lines.map(({ exact, box }) => [exact, box])).toEqual([
      ["two birds", [200, 0, 190, 40]],
      ["none", [300, 50, 90, 40]],
    ]);
    const far = pageOf(`king ${"x ".repeat(13)}queen`);
    expect(match(far, "king queen").map(({ words }) => words)).toEqual([
      [0, 0],
      [14, 14],
    ]);
  });

  it("of a divided word has boxes of both parts, and the whole as its text", () => {
    const page = pageOf("un quin-|tal de riz");
    const [hit] = match(page, "quintal");
    expect(hit).toMatchObject({ words: [1, 2], exact: "quintal", prefix: "un ", suffix: " de riz" });
    expect(hit!.lines.map(({ exact, box }) => [exact, box])).toEqual([
      ["quin-", [100, 0, 90, 40]],
      ["tal", [0, 50, 90, 40]],
    ]);
    for (const query of ["quin-tal", '"un quintal de"', '"un quin tal de"', "tal", "quint*"])
      expect(match(page, query), query).toHaveLength(1);
  });

  it("in a line without spaces has the share of its box", () => {
    const page: PageText = {
      ...pageOf(),
      lines: [{ block: 0, words: [{ text: "私は東京都に住む", box: [100, 0, 800, 90] }] }],
    };
    const [hit] = match(page, "東京");
    expect(hit).toMatchObject({ exact: "東京", prefix: "私は", suffix: "都に住む" });
    expect(hit!.lines[0]!.box).toEqual([300, 0, 200, 90]);
    const upright: PageText = {
      ...page,
      lines: [{ block: 0, words: [{ text: "私は東京都に住む", box: [10, 100, 90, 800] }] }],
    };
    expect(match(upright, "東京")[0]!.lines[0]!.box).toEqual([10, 300, 90, 200]);
  });

  it("of a part of a word with several has the share of its box", () => {
    const page: PageText = {
      ...pageOf(),
      lines: [{ block: 0, words: [{ text: "Baden-Baden,", box: [100, 0, 120, 40] }] }],
    };
    const parts = match(page, "baden").map(({ lines: [part] }) => part!);
    expect(parts.map(({ prefix, exact, suffix }) => [prefix, exact, suffix])).toEqual([
      ["", "Baden", "-Baden,"],
      ["Baden-", "Baden,", ""],
    ]);
    expect(parts.map(({ box }) => box)).toEqual([
      [100, 0, 50, 40],
      [160, 0, 60, 40],
    ]);
    expect(match(page, '"baden baden"')[0]).toMatchObject({ exact: "Baden-Baden,", words: [0, 0] });
  });

  it("without boxes on the page has none", () => {
    const page: PageText = { width: 0, height: 0, lines: [{ block: 0, words: [{ text: "birds" }] }] };
    expect(match(page, "birds")).toEqual([
      {
        ...{ words: [0, 0], exact: "birds", prefix: "", suffix: "" },
        lines: [{ line: 0, words: [0, 0], exact: "birds", prefix: "", suffix: "" }],
      },
    ]);
  });

  it("has a context that is cut between words", () => {
    const page = pageOf(`${"lorem ipsum ".repeat(20)}here ${"dolor sit ".repeat(20)}`);
    const [{ prefix, suffix } = { prefix: "", suffix: "" }] = match(page, "here");
    expect(prefix).toMatch(/^(?:lorem ipsum |ipsum lorem )+/);
    expect(suffix).toMatch(/^ dolor .*(?:dolor|sit)$/);
    for (const text of [prefix, suffix]) {
      expect(text.length).toBeLessThanOrEqual(contextLength);
      expect(text.length).toBeGreaterThan(contextLength - 10);
    }
  });

  it("finds forms of a word by their stem, but not in a phrase", () => {
    const stem = (word: string) => word.replace(/(?:ing|ed|s)$/, "");
    const page = pageOf("he walks she walked walking wall");
    expect(match(page, "walk", stem).map(({ words }) => words[0])).toEqual([1, 3, 4]);
    expect(match(page, '"walk"', stem)).toEqual([]);
    expect(match(page, "walk")).toEqual([]);
  });

  it("returns a window of the hits", () => {
    const page = pageOf("a b a b a");
    const query = pageQueryOf(parseQuery("a"));
    expect(matchPage(page, query, 1, 1).map(({ words }) => words)).toEqual([[2, 2]]);
  });
});
