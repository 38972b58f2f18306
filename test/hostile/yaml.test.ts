// YAML that costs much for its size: deep, of many keys, of many tokens.

import { describe, expect, test } from "vitest";
import { findingLine } from "../../src/base/findings/text.ts";
import { parseYamlText, yamlBounds } from "../../src/base/text/yaml.ts";
import { readYamlHere } from "../../src/server/manifests/folders/manifest-file-text.ts";
import { costOf } from "./cost.ts";
import { fill, filled } from "./texts.ts";

/** Texts by name, each of a megabyte unless it says otherwise. */
const texts: Readonly<Record<string, string>> = {
  "lists in lists": fill("["),
  "objects in objects": fill('{"a":'),
  "lists of blocks in each other": fill("- "),
  "keys of keys": fill("? "),
  "lists that close again": "[".repeat(500_000) + "]".repeat(500_000),
  "anchors of nested lists": fill("&a ["),
  "tags of nested lists": fill("!a ["),
  "indented keys": Array.from({ length: 1400 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
  "60,000 keys": filled((n) => `k${n}: v${n}\n`).slice(0, 790_000),
  "one key again and again": fill("a: b\n"),
  "keys in flow": `{${fill("a: b, ")}}`,
  "keys that are lists": fill("? [a]\n: b\n"),
  "keys in keys": `${"? ".repeat(60)}${fill("\n# c")}`,
  "aliases of many anchors": filled((n) => `a${n}: &x${n} 1\nb${n}: *x${n}\n`),
  "aliases of aliases": filled((n) => `a${n}: &x${n} [${`*x${Math.max(0, n - 1)}, `.repeat(9)}]\n`),
  "many documents": fill("--- a\n"),
  "many ends of documents": fill("...\n"),
  "many directives": `${fill("%TAG !a! x\n")}---\na: 1`,
  "merge keys": fill("<<: {a: 1}\n"),
  "a long word": fill("a"),
  "a long number": `a: ${fill("9")}`,
  "a long hexadecimal number": `a: 0x${fill("f")}`,
  "a text of many lines": `a: b\n${fill("  c\n")}`,
  "a quoted text of many lines": `a: 'b\n${fill("  c\n")}'`,
  "a block of many lines": `a: |\n${fill("  x\n\n")}`,
  "many short blocks": fill("- |\n x\n"),
  "a line of blanks": `a: b\n${" ".repeat(500_000)}${"c".repeat(500_000)}`,
  "empty lines": fill("\n"),
  "ends of lines of Windows": `a: 1${fill("\r\n")}`,
  "carriage returns": `a: b\n c${fill("\r")}\n d`,
  tabs: fill("\t"),
  "empty lines, then comments": `a: 1\n${"\n".repeat(300_000)}${" #c\n".repeat(150_000)}b: 1`,
  "byte order marks": fill("\ufeff"),
  NULs: fill("\0"),
  "signs of the lexer": fill("\u0002\u001f\n"),
  escapes: `a: "${fill("\\u0041")}"`,
  backslashes: `a: "${fill("\\\\")}"`,
  "escaped line breaks": `a: "${fill("\\\n")}"`,
  "lone surrogates": `a: "${fill("\\ud800")}"`,
  "an open quote": `a: "${fill('\\"')}`,
  quotes: fill('"'),
  commas: `a: [${fill(",")}]`,
  colons: fill(": "),
  "closing brackets": `[${fill("]")}`,
  "many faults": fill("a: b: c\n"),
  "UTF-16 read as UTF-8": fill("a\0:\0 \x001\0\n\0"),
};

describe("a megabyte of YAML costs less than a few tenths of a second where requests are served", () => {
  test.each(Object.entries(texts))("%s", async (_, text) => {
    const { cpuMs, result } = await costOf(() => readYamlHere(text, yamlBounds.inPlace));
    expect(cpuMs).toBeLessThan(3000);
    expect(result.fault === undefined || result.fault.text.length < 300).toBe(true);
  });
});

test("60,000 keys are compared by a set", async () => {
  const text = Array.from({ length: 60_000 }, (_, n) => `k${n}: v\n`).join("");
  const { cpuMs, result } = await costOf(() => readYamlHere(`${text}k59999: w\n`, yamlBounds.inWorker));
  expect(result.fault && findingLine(result.fault)).toBe("line 60001, Map keys must be unique");
  expect(cpuMs).toBeLessThan(10_000);
});

describe("more than 64 levels are refused with their line, in every syntax", () => {
  const levels = 100;
  test.each([
    ["lists in flow", `a:\n  ${"[".repeat(levels)}${"]".repeat(levels)}`, 2],
    ["objects in flow", `\n${"{a: ".repeat(levels)}1${"}".repeat(levels)}`, 2],
    ["lists of blocks", `# c\n${"- ".repeat(levels)}a`, 2],
    ["explicit keys", `${"? ".repeat(levels)}a`, 1],
    ["explicit values", `${": ".repeat(levels)}a`, 1],
    ["indented keys", Array.from({ length: levels }, (_, n) => `${" ".repeat(n)}a:`).join("\n"), 65],
    ["indented lists", Array.from({ length: levels }, (_, n) => `${" ".repeat(n)}-`).join("\n"), 65],
    ["lines of Windows", Array.from({ length: levels }, (_, n) => `${" ".repeat(n)}a:`).join("\r\n"), 65],
    ["anchors and tags", `${"&a !b [".repeat(levels)}${"]".repeat(levels)}`, 1],
    ["comments between", "[ # c\n".repeat(levels), 65],
    ["JSON", `${'{"a":\n'.repeat(levels)}1${"}".repeat(levels)}`, 65],
  ])("%s", (_, text, line) => {
    const [problem] = parseYamlText(text).problems;
    expect(problem?.message).toBe("expected at most 64 levels of lists and keys; received more");
    expect(Math.abs((problem?.line ?? 0) - line)).toBeLessThanOrEqual(2);
  });
});

test("64 levels are read", () => {
  const text = `${"[".repeat(64)}${"]".repeat(64)}`;
  expect(readYamlHere(text, yamlBounds.inPlace)).toMatchObject({ value: JSON.parse(text) });
});
