import { describe, expect, test } from "vitest";
import { asciiBytes, ByteText, writeDigits } from "../../../src/lib/text/byte-text.ts";

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
