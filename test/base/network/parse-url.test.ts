import { expect, test } from "vitest";
import { parseUrl } from "../../../src/base/network/parse-url.ts";

test("a text is an address or not, however often it is asked", () => {
  const seen = new Set<string | undefined>();
  for (let n = 0; n < 100_000; n++) seen.add(parseUrl("https://ä.example/ö")?.href);
  expect([...seen]).toEqual(["https://xn--4ca.example/%C3%B6"]);
});

test.each([
  ["https://example.org", undefined, "https://example.org/"],
  ["/a", "https://example.org/b", "https://example.org/a"],
  ["/a", undefined, undefined],
  ["", undefined, undefined],
  ["https://", undefined, undefined],
])("%j and %j", (text, base, expected) => {
  expect(parseUrl(text, base)?.href).toBe(expected);
});
