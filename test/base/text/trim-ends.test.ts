import { expect, test } from "vitest";
import { trimFinal, trimFinalSlashes, trimSlashes } from "../../../src/base/text/trim-ends.ts";

test.each([
  ["", "", ""],
  ["/", "", ""],
  ["///", "", ""],
  ["a", "a", "a"],
  ["/a/", "a", "/a"],
  ["//a//b//", "a//b", "//a//b"],
])("of %j slashes are removed at both ends, %j, or at the end alone, %j", (text, both, end) => {
  expect([trimSlashes(text), trimFinalSlashes(text)]).toEqual([both, end]);
});

test.each([
  ["", "", ""],
  ["a. .", ". ", "a"],
  ["a.b", ". ", "a.b"],
  ["==", "=", ""],
  ["=a=", "=", "=a"],
])("of %j the characters %j are removed at the end: %j", (text, characters, left) => {
  expect(trimFinal(text, characters)).toBe(left);
});
