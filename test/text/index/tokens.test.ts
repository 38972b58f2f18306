import { describe, expect, it } from "vitest";
import { plainTerm, spanningTerm, tokensOf } from "../../../src/text/index/tokens.ts";
import { maxUnitLength, unitsOf } from "../../../src/text/index/units.ts";
import { pageOf } from "./pages.ts";

/** Terms of lines as "position:term", with "+n" for the positions of a divided word. */
function terms(...lines: string[]): string {
  const { terms, positions } = tokensOf(pageOf(...lines));
  return terms
    .map((term, index) => {
      const { text, span } = plainTerm(term);
      return `${positions[index]}:${text}${span > 1 ? `+${span}` : ""}`;
    })
    .join(" ");
}

describe("tokens", () => {
  it.each([
    ["(The) „King”, 1.", "0:the 1:king 2:1"],
    ["l'eau well-known", "0:l 1:eau 2:well 3:known"],
    ["l’eau O'Brien’s", "0:l 1:eau 2:o 3:brien 4:s"],
    ["1,000 3.14 §12a", "0:1 1:000 2:3 3:14 4:12a"],
    ["one — two", "0:one 1:two"],
    ["हिन्दी में", "0:हिन्दी 1:में"],
    ["בית־ספר רמב״ם", "0:בית 1:ספר 2:רמב 3:ם"],
  ])("of %s are %s", (line, expected) => {
    expect(terms(line)).toBe(expected);
  });

  it.each([
    ["東京都", "0:東 0:東京 1:京 1:京都 2:都"],
    ["東 京 都", "0:東 0:東京 1:京 1:京都 2:都"],
    ["東京、都 京", "0:東 0:東京 1:京 2:都 2:都京 3:京"],
    ["東 、 京", "0:東 1:京"],
    ["東京Tower", "0:東 0:東京 1:京 2:tower"],
    ["กรุง", "0:ก 0:กรุ 1:รุ 1:รุง 2:ง"],
    ["한국 말", "0:한 0:한국 1:국 2:말"],
    ["ကမ\u200bၻာ", "0:က 0:ကမ 1:မ 1:မၻာ 2:ၻာ"],
  ])("of %s are its characters and pairs of them", (line, expected) => {
    expect(terms(line).normalize("NFC")).toBe(expected.normalize("NFC"));
  });

  it("pairs characters from line to line", () => {
    expect(terms("東", "京")).toBe("0:東 0:東京 1:京");
  });

  it.each([
    ["un quin-|tal de", "0:un 1:quin 1:quintal+2 2:tal 3:de"],
    ["aujour-|d'hui on", "0:aujour 0:aujourd 1:hui+2 1:d 2:hui 3:on"],
  ])("of %s are the parts and the whole, which covers the positions of both", (line, expected) => {
    expect(terms(line)).toBe(expected);
  });

  it("have the spelling of the page, and the first position of each word", () => {
    const { surfaces, firstPositions } = tokensOf(pageOf("L’Été — Straße"));
    expect(surfaces).toEqual(["L", "Été", "Straße"]);
    expect(firstPositions).toEqual([0, 2, 2, 3]);
  });

  it("have a bounded length, also of noise without end", () => {
    const noise = ["x".repeat(100_000), `ก${"\u0e34".repeat(100_000)}`, `é${"\u0301".repeat(100_000)}`];
    for (const word of noise)
      for (const unit of unitsOf(word)) {
        expect(unit.text.length).toBeLessThanOrEqual(maxUnitLength);
        expect(unit.surface.length).toBeLessThanOrEqual(maxUnitLength);
      }
  });

  it("hold the number of positions apart from the term", () => {
    expect(plainTerm(spanningTerm("quintal", 2))).toEqual({ text: "quintal", span: 2, isDivided: true });
    expect(plainTerm("tal")).toEqual({ text: "tal", span: 1, isDivided: false });
  });
});
