import { describe, expect, test } from "vitest";
import { asciiBytes, asciiParts, ByteText, writeDigits } from "../../../src/lib/text/byte-text.ts";

const textOf = (text: ByteText) => new TextDecoder().decode(text.view());

describe("text as bytes", () => {
  test.each([
    "",
    "/iiif/3/a.jpg",
    'quote " and \\',
    "line\nand\u0000null",
    "\u007f\u0080",
    "é 漢 😀",
    "lone \ud800",
  ])("holds %j as JSON does", (value) => {
    const text = new ByteText(1);
    text.json(value);
    expect(textOf(text)).toBe(JSON.stringify(value));
  });

  test.each([
    0,
    9,
    10,
    99,
    100,
    2 ** 31 - 1,
    2 ** 31,
    4_294_967_296,
    999_999_999_999,
    Number.MAX_SAFE_INTEGER,
  ])("holds the number %d in decimal digits", (value) => {
    const text = new ByteText(1);
    text.integer(value);
    expect(textOf(text)).toBe(String(value));
  });

  test("holds numbers with two decimals as JSON does", () => {
    const text = new ByteText(1);
    const written = (value: number) => {
      text.length = 0;
      return text.hundredths(value) ? textOf(text) : undefined;
    };
    for (let i = 0; i <= 20_000; i++) expect(written(i / 100)).toBe(JSON.stringify(i / 100));
    for (const value of [1234567.89, 9_999_999.99, -0, 4.35, 1.1, 10.05])
      expect(written(value)).toBe(JSON.stringify(value));
    expect([undefined, JSON.stringify(0.1 + 0.7)]).toContain(written(0.1 + 0.7));
    for (const value of [0.001, 1.005, -1, 1e7, 1e21, Number.NaN, Number.POSITIVE_INFINITY])
      expect(written(value)).toBeUndefined();
    expect(text.length).toBe(0);
  });

  test("holds a string in quotes only where all its characters are expected", () => {
    const plain = new Uint8Array(128);
    for (const character of "abc/") plain[character.charCodeAt(0)] = 1;
    const text = new ByteText(1);
    expect([text.jsonOf(plain, "/a/b"), text.jsonOf(plain, ""), textOf(text)]).toEqual([
      true,
      true,
      '"/a/b"""',
    ]);
    for (const other of ["a:b", "abc\u0000", "é", "漢", '"', "\u0161"])
      expect([text.jsonOf(plain, `abc${other}`), text.length]).toEqual([false, 8]);
  });

  test.each([
    "",
    "a line\n",
    'quote " and \\',
    "é 漢 😀 behind ASCII",
    "x".repeat(1000),
    `${"x".repeat(256)}é`,
    "漢".repeat(1000),
  ])("holds %j as it is, behind what stands there", (value) => {
    const text = new ByteText(1);
    text.text("before ");
    text.text(value);
    text.text(" after");
    expect(textOf(text)).toBe(`before ${value} after`);
  });

  test("holds any of several texts that stand together", () => {
    const texts = ["one", "", ',"two":', "three"];
    const parts = asciiParts(texts);
    const text = new ByteText(1);
    for (const i of [2, 0, 1, 3, 0]) text.part(parts, i);
    expect(textOf(text)).toBe(',"two":onethreeone');
  });

  test("grows and keeps what stands in it", () => {
    const text = new ByteText(2);
    for (let i = 0; i < 100; i++) text.put(asciiBytes("abc"));
    expect(textOf(text)).toBe("abc".repeat(100));
  });
});

test("digits have zeros in front", () => {
  const bytes = new Uint8Array(8);
  writeDigits(bytes, 1, 42, 6);
  expect([...bytes]).toEqual([0, 48, 48, 48, 48, 52, 50, 0]);
});
