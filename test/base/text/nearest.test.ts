import { describe, expect, test } from "vitest";
import { findNearest } from "../../../src/base/text/nearest.ts";

const known = ["addr", "base_url", "image", "log", "sources", "max_pixel_area", "max_output_area"];

describe("the nearest known key", () => {
  test.each([
    ["adr", "addr"], // one missing
    ["addrr", "addr"], // one too many
    ["addt", "addr"], // one replaced
    ["adrd", "addr"], // two swapped
    ["ADDR", "addr"],
    ["base-url", "base_url"],
    ["souces", "sources"],
    ["max_pixels_area", "max_pixel_area"],
    ["maxPixelArea", "max_pixel_area"],
  ])("of %s is %s", (word, meant) => expect(findNearest(word, known)).toBe(meant));

  test.each(["zzzzzz", "presentation", "x", ""])("of %j is none", (word) =>
    expect(findNearest(word, known)).toBeUndefined(),
  );

  test("among equals is the first", () => expect(findNearest("aa", ["ab", "ac"])).toBe("ab"));

  test("without known keys is none", () => expect(findNearest("addr", [])).toBeUndefined());
});
