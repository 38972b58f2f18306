import { expect, test } from "vitest";
import { trimFinalSlashes, trimSlashes } from "../../../src/lib/text/trim-slashes.ts";

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
