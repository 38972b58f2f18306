// A response repeats no long parameter for each of its matches.

import { describe, expect, it } from "vitest";
import { searchResponse } from "../../../src/iiif/search/responses.ts";
import { found, match, sites } from "./facts.ts";

const matches = Array.from({ length: 1000 }, (_, at) => match(at + 1, "the [word] of a line"));

describe.each(Object.entries(sites))("a response with a thousand matches (%s)", (_, site) => {
  const lengthOf = (query: string) => JSON.stringify(searchResponse(found(query, ...matches), site)).length;

  it.each([
    ["query", `q=${"word ".repeat(200)}`],
    ["filter", `q=word&motivation=${"painting%20".repeat(49)}`],
  ])("grows with a long %s by a few copies of it", (_, query) => {
    expect(lengthOf(query)).toBeLessThan(lengthOf("q=word") * 1.2 + 10 * query.length);
  });

  it("has ids of matches that differ from those of another long query", () => {
    const idsOf = (query: string) =>
      new Set(JSON.stringify(searchResponse(found(query, ...matches), site)).match(/"[^"]*#match-1"/g));
    const [one, other] = ["one", "two"].map((word) => idsOf(`q=${`${word} `.repeat(100)}`));
    expect(one!.size).toBe(1);
    expect([...one!]).not.toEqual([...other!]);
  });
});
