import { describe, expect, test } from "vitest";
import { plainSegments } from "../../../src/base/text/plain-segments.ts";

describe("the parts of a name", () => {
  test.each([
    ["a", ["a"]],
    ["a/b c/…d", ["a", "b c", "…d"]],
    [".hidden/a..b/...", [".hidden", "a..b", "..."]],
    ["ab:/c:d", ["ab:", "c:d"]],
  ])("of %j are %j", (name, parts) => expect(plainSegments(name)).toEqual(parts));

  test.each(["", "/a", "a/", "a//b", ".", "a/./b", "..", "a/..", "a\0b", "a\\b", "C:", "c:/x", "x/D:/y"])(
    "of %j are none, since it may lead elsewhere",
    (name) => expect(plainSegments(name)).toBeUndefined(),
  );
});
