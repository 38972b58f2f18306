import { describe, expect, it } from "vitest";
import { maxElements, maxQueryLength, parseQuery } from "../../../src/text/index/query.ts";
import fc from "../../properties.ts";

/** A query in short: elements by their text, with * for a prefix and ~ for forms; phrases in brackets. */
const short = (text: string) =>
  parseQuery(text)
    .clauses.map((clause) => {
      const texts = clause.map(
        ({ text, comparison, advance }) =>
          `${text}${{ exact: "", prefix: "*", forms: "~" }[comparison]}${advance > 1 ? `+${advance}` : ""}`,
      );
      return texts.length > 1 ? `[${texts.join(" ")}]` : texts[0];
    })
    .join(" ");

describe("a query", () => {
  it.each([
    ["old King", "old~ king~"],
    ['"Old King" cole', "[old king] cole~"],
    ["„Old King“ «of» “it”", "[old king] of it"],
    ["kin*", "kin*"],
    ["well-kn* l'eau", "[well kn*] [l eau]"],
    ['"kin* of"', "[kin of]"],
    ['old "king of', "old~ [king of]"],
    ['רמב"ם', "[רמב ם]"],
    ["king king KING", "king~"],
    ['king "king"', "king~ king"],
    ['— ... "" * \'', ""],
    ["東京 東 東京都*", "東京+2 東 [東京 京都+2]"],
    ['"東 京"', "東京+2"],
    ['"東、京"', "[東 京]"],
    ["한국* 말", "한국+2 말"],
    ["東京Tower", "[東京+2 tower]"],
  ])("%s means %s", (text, meaning) => {
    expect(short(text)).toBe(meaning);
  });

  it("says which prefix is too short, and searches it as a word", () => {
    const { clauses, cuts } = parseQuery("a* of");
    expect(clauses[0]).toEqual([{ text: "a", comparison: "exact", advance: 1, cover: 1 }]);
    expect(cuts).toEqual([{ kind: "prefix", text: "a*" }]);
  });

  it("says which words exceed the bound, and takes shorter ones after them", () => {
    const many = Array.from({ length: maxElements - 1 }, (_, index) => `w${index}`).join(" ");
    const { clauses, cuts } = parseQuery(`${many} "too long" last over`);
    expect(clauses.flat()).toHaveLength(maxElements);
    expect(clauses.at(-1)?.[0]?.text).toBe("last");
    expect(cuts).toEqual([
      { kind: "words", text: "too long" },
      { kind: "words", text: "over" },
    ]);
  });

  it.each([
    ["cat OR dog", "cat~ or~ dog~", [["operator", "OR"]]],
    [
      "cat AND NOT dog",
      "cat~ and~ not~ dog~",
      [
        ["operator", "AND"],
        ["operator", "NOT"],
      ],
    ],
    ["cat -dog", "cat~ dog~", [["minus", "-dog"]]],
    [
      "w*rd wom?n *ing",
      "[w rd] [wom n] ing~",
      [
        ["wildcard", "w*rd"],
        ["wildcard", "wom?n"],
        ["wildcard", "*ing"],
      ],
    ],
    ['"lib* of"', "[lib of]", [["wildcard", "lib* of"]]],
    ["OR", "or~", []],
    ["or and not - what? well-known lib*", "or~ and~ not~ what~ [well known] lib*", []],
  ])("%s has what others mean by it as cuts", (text, meaning, cuts) => {
    expect(short(text)).toBe(meaning);
    expect(parseQuery(text).cuts.map(({ kind, text }) => [kind, text])).toEqual(cuts);
  });

  it("says that it is too long", () => {
    const { clauses, cuts } = parseQuery(`${"x".repeat(maxQueryLength)}rest`);
    expect(clauses[0]?.[0]?.text).toBe("x".repeat(64));
    expect(cuts).toEqual([{ kind: "length", text: "rest" }]);
  });

  it("of any text is read, within the bounds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const { clauses } = parseQuery(text);
        expect(clauses.flat().length).toBeLessThanOrEqual(maxElements);
        for (const { text } of clauses.flat()) expect(text.length).toBeGreaterThan(0);
      }),
    );
  });
});
