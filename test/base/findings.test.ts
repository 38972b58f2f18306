// Findings as text and as JSON.

import { expect, test } from "vitest";
import { doubtAt, doubtsAt, type Finding, problemAt, worstFirst } from "../../src/base/findings/finding.ts";
import { findingJson } from "../../src/base/findings/json.ts";
import { keyPath, parseKeyPath } from "../../src/base/findings/key-path.ts";
import { findingLine, findingList } from "../../src/base/findings/text.ts";

test.each<readonly [string, Omit<Finding, "level">]>([
  ["it is so", { text: "it is so" }],
  ["addr: it is so", { where: "addr", text: "it is so" }],
  ["staff: token: it is so", { profile: "staff", where: "token", text: "it is so" }],
  ["line 3, column 5: a.b: it is so", { where: "a.b", position: { line: 3, column: 5 }, text: "it is so" }],
  ["line 3, rights: it is so", { where: "rights", position: { line: 3 }, text: "it is so" }],
  [
    "a/x.yaml, line 3, rights: it is so",
    { file: "a/x.yaml", where: "rights", position: { line: 3 }, text: "it is so" },
  ],
  ["a/x.yaml: it is so", { file: "a/x.yaml", text: "it is so" }],
])("the line of a finding is %s", (line, finding) => {
  expect(findingLine({ level: "note", ...finding })).toBe(line);
});

test("a list of findings has their number, and no password of an address", () => {
  expect(findingList([doubtAt(["a"], "one")], "x has")).toBe("x has a problem:\n  a: one");
  const text = findingList([doubtAt([], "https://u:hunter2@a.example/"), doubtAt([], "two")], "x has");
  expect(text).toMatch(/^x has 2 problems:\n {2}https:.*\n {2}two$/);
  expect(text).not.toContain("hunter2");
});

test("the worst findings come first, in their order", () => {
  const findings = (["note", "problem", "good", "note", "slow"] as const).map((level, at) => ({ level, at }));
  expect(worstFirst(findings).map(({ at }) => at)).toEqual([1, 4, 0, 3, 2]);
});

test("a path of keys can be parsed again", () => {
  const path = ["auth", "rules", "0", 'a.b "c"'];
  expect(keyPath(path)).toBe('auth.rules.0."a.b \\"c\\""');
  expect(parseKeyPath(keyPath(path))).toEqual(path);
});

const position = { line: 3, column: 5 };

test.each([
  ["setting", problemAt(["a", 0], "bad", position), { path: "a.0", message: "bad", position }],
  ["setting", problemAt([], "bad"), { path: "", message: "bad" }],
  [
    "manifestFile",
    { level: "problem", file: "x.yaml", where: "rights", position: { line: 3 }, text: "bad" },
    { file: "x.yaml", line: 3, text: "line 3, rights: bad" },
  ],
  ["manifestFile", { level: "problem", file: "x.yaml", text: "bad" }, { file: "x.yaml", text: "bad" }],
  [
    "image",
    { level: "problem", where: "a.tif", code: "decode", text: "bad" },
    { identifier: "a.tif", code: "decode", message: "bad" },
  ],
  [
    "login",
    { profile: "staff", where: "token", level: "good", code: "ok", text: "fine" },
    { profile: "staff", step: "token", level: "good", code: "ok", text: "fine" },
  ],
  [
    "status",
    { level: "note", where: "#parts", text: "bad", advice: "Look." },
    { text: "bad", advice: "Look.", link: "#parts", level: "warn" },
  ],
] as const satisfies readonly (readonly [keyof typeof findingJson, Finding, object])[])(
  "a finding as JSON, in the form %s, has the names that programs know",
  (form, finding, json) => {
    expect(JSON.stringify(findingJson[form](finding))).toBe(JSON.stringify(json));
  },
);

test("a doubt without a text is none", () => {
  expect(doubtsAt(["a"], undefined)).toEqual([]);
  expect(doubtsAt(["a"], "b")).toEqual([{ level: "note", where: "a", text: "b" }]);
});
