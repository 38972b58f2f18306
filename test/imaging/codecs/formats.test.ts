// The table of formats.

import { readFile } from "node:fs/promises";
import { expect, expectTypeOf, test } from "vitest";
import type { Format, Reading, Writing } from "../../../src/imaging/codecs/format.ts";
import {
  formats,
  readingOf,
  type SourceFormat,
  writingOf,
  writtenFormats,
} from "../../../src/imaging/codecs/formats.ts";
import type * as library from "../../../src/imaging/library.d.ts";

/** Names of the members that may be left out. */
type Optional<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T];

test("a row without one of the facts does not compile", () => {
  expectTypeOf<Optional<Format>>().toEqualTypeOf<"read" | "write">();
  expectTypeOf<Optional<Reading>>().toEqualTypeOf<never>();
  // An encoder of rows, and one that takes more memory than its pixels.
  expectTypeOf<Optional<Writing>>().toEqualTypeOf<"byRows" | "memory">();
});

test("the types of the library name the formats that are read", () => {
  expectTypeOf<library.ImageHeader["format"]>().toEqualTypeOf<SourceFormat>();
});

test("formats have their registered media types", () => {
  const types = Object.entries(writtenFormats).map(([name, { mediaType }]) => [name, mediaType]);
  expect(types).toEqual([
    ["jpg", "image/jpeg"],
    ["png", "image/png"],
    ["tif", "image/tiff"],
    ["webp", "image/webp"],
    ["jp2", "image/jp2"],
    ["avif", "image/avif"],
    ["jxl", "image/jxl"],
  ]);
});

test("an extension belongs to one format", () => {
  for (const way of ["read", "write"] as const) {
    const extensions = Object.values(formats).flatMap((format) => format[way]?.extensions ?? []);
    expect(new Set(extensions).size).toBe(extensions.length);
  }
});

test("a format that is not written, or not there, is refused", () => {
  expect(() => writingOf("gif")).toThrow("This service does not write gif images.");
  for (const way of [readingOf, writingOf])
    expect(() => way("constructor")).toThrow(expect.objectContaining({ kind: "unsupported" }));
});

test("the reference has a line for each format, with the limits of those that are written", async () => {
  const page = await readFile(new URL("../../../docs/reference/formats.md", import.meta.url), "utf8");
  const lines = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  for (const { title, read } of Object.values(formats))
    if (read) expect(lines.some(([, first]) => first?.startsWith(title))).toBe(true);
  for (const [name, { alpha, depths, bilevel, maxSide }] of Object.entries(writtenFormats)) {
    const [, , , transparency, bits, side] = lines.find(([, first]) => first === `\`${name}\``) ?? [];
    expect(transparency === "yes").toBe(alpha);
    expect(bits?.match(/\d+/g)?.includes("16")).toBe(depths.includes(16));
    expect(bits?.startsWith("1 ")).toBe(bilevel);
    expect(side).toBe(maxSide.toLocaleString("en"));
  }
});
