// Which rule an identifier meets, however it is spelled.

import { describe, expect, test } from "vitest";
import { createRules, type Rule, ruleFault } from "../../../src/server/access/rules/rules.ts";

/** The profile of the rule that an identifier meets. */
const profilesBy = (rules: readonly Rule[]) => {
  const match = createRules(rules);
  return (...identifier: Parameters<typeof match>) => match(...identifier)?.profile;
};
const only = (match: string) => profilesBy([{ match, profile: "p" }]);

describe.each([
  [
    "restricted",
    ["restricted", "restricted;2"],
    ["restricted2", "Restricted", "restricted/a", "a/restricted"],
  ],
  [
    "private/*",
    ["private", "private/a", "private/a/b.tif", "private;3", "private/a.tif;3"],
    ["privat", "private2", "private.tif", "Private/a", "a/private/b", "private;x/a"],
  ],
  ["*", ["a", "private/a", "https://example.org/a", ";1"], []],
  ["a.tif;2", ["a.tif;2"], ["a.tif", "a.tif;3"]],
  ["a;b/*", ["a;b", "a;b/c"], ["a", "a;c"]],
  [
    "g/box.zip",
    ["g/box.zip", "g/box.zip;1", "g/box.zip/", "g/box.zip/a.jpg", "g/box.zip/b/c.tif;2"],
    ["g/box.zip2/a.jpg", "g/box.zipper", "g/box", "box.zip/a.jpg"],
  ],
  ["a.CBZ", ["a.CBZ/b.jpg"], ["a.cbz/b.jpg"]],
  [
    "https://example.org/%7A.zip",
    ["https://EXAMPLE.org/z.zip/b%20c.jpg", "https://example.org/z.zip?x=1"],
    ["https://example.org/z.zipper"],
  ],
  ["https://example.zip", ["https://example.zip/"], ["https://example.zip/a.jpg"]],
])("the rule %s", (match, matched, others) => {
  test.each(matched)("matches %s", (identifier) => expect(only(match)(identifier)).toBe("p"));
  if (others.length > 0)
    test.each(others)("leaves %s alone", (identifier) => expect(only(match)(identifier)).toBeUndefined());
});

test("the first rule in order that matches counts, whether with or without the page", () => {
  const rules = profilesBy([
    { match: "a.tif;2", profile: "second page" },
    { match: "a.tif", profile: "file" },
    { match: "a.tif;3", profile: "never" },
    { match: "*", profile: "rest" },
  ]);
  expect(["a.tif;2", "a.tif", "a.tif;3", "b"].map((identifier) => rules(identifier))).toEqual([
    "second page",
    "file",
    "file",
    "rest",
  ]);
});

describe("one URL is one identifier", () => {
  const spelled = [
    "https://images.example.org/private/a~b.tif",
    "HTTPS://images.example.org/private/a~b.tif",
    "https://Images.Example.ORG/private/a~b.tif",
    "https://images.example.org:443/private/a~b.tif",
    "https://images.example.org/private/a%7eb.tif",
    "https://images.example.org/%70rivate/a%7Eb.tif",
    "https://images.example.org/private/a~b.tif#x",
    "https://images.example.org/public/%2e%2e/private/a~b.tif",
    "https://images.example.org/pri\tvate/a~b.tif",
    "https://images.example.org/private/a~b.tif;2",
    "https://ｉmages.example.org/private/a~b.tif",
  ];
  const matches = [
    "https://images.example.org/private/*",
    "https://images.example.org/private/a~b.tif",
    "HTTPS://IMAGES.example.org:443/%70rivate/a%7Eb.tif",
    "https://images.example.org/*",
    "https://images.example.org/private",
  ];
  test.each(spelled)("%j", (identifier) => {
    const found = matches.map((match) => only(match)(identifier) !== undefined);
    expect(found).toEqual([true, true, true, true, false]);
  });
  test.each(spelled)("%j below the prefix of a source", (identifier) => {
    expect(only("web/https://images.example.org/private/*")(`web/${identifier}`)).toBe("p");
    expect(only("web/*")(`web/${identifier}`)).toBe("p");
    expect(only("https://images.example.org/private/*")(`web/${identifier}`)).toBeUndefined();
  });

  test("a query behind it changes nothing, other characters do", () => {
    const rule = only("https://example.org/a.tif");
    expect(rule("https://example.org/a.tif?x=1")).toBe("p");
    expect(rule("https://example.org/a.tifx")).toBeUndefined();
    expect(rule("https://example.org/a.tif/b")).toBeUndefined();
    expect(rule("http://example.org/a.tif")).toBeUndefined();
    expect(rule("https://example.org:8443/a.tif")).toBeUndefined();
  });

  test("a query behind a folder's own address changes nothing", () => {
    const rule = only("https://example.org/cgi/*");
    for (const query of ["?", "?img=1", "?img=1&x"])
      expect([query, rule(`https://example.org/cgi${query}`)]).toEqual([query, "p"]);
    expect(rule("https://example.org/cgix?img=1")).toBeUndefined();
  });

  test("a rule with a query is refused, since other queries would pass it", () => {
    for (const match of ["https://example.org/img?id=1", "web/https://example.org/img?id=1/*"])
      expect(ruleFault(match)).toMatch(/remove the part from \?/);
    expect(ruleFault("what?/*")).toBeUndefined();
  });

  test("escapes are compared in upper case, and slashes as a server may read them", () => {
    const rule = only("https://example.org/%c3%a9/*");
    expect(rule("https://example.org/é/a")).toBe("p");
    expect(rule("https://example.org/%C3%A9/a")).toBe("p");
    for (const path of ["a%2Fb", "a%5cb", "%2fa/b", "x%2f..%2fa%2fb", "a%2f%2fb"])
      expect([path, only("https://example.org/a/*")(`https://example.org/${path}`)]).toEqual([path, "p"]);
    expect(only("https://example.org/a/*")("https://example.org/a%3Fb")).toBeUndefined();
    expect(only("https://example.org/a/*")("https://example.org/a%252Fb")).toBeUndefined();
    expect(only("https://example.org/a!b")("https://example.org/a%21b")).toBe("p");
  });
});

test("other names of the same master meet the same rule", () => {
  expect(only("museum/*")("a.tif", ["museum/a.tif"])).toBe("p");
  expect(only("museum/*")("a.tif", [])).toBeUndefined();
});
