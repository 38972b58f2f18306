// Files that are shorter than their length says: filled from the front, they end in zeros until they are
// done.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { lacksItsEnd } from "../../../src/imaging/codecs/file-end.ts";
import { fixturesFolder } from "../../host.ts";

const files: readonly (readonly [string, string])[] = [
  ["jpg", "jpg-progressive.jpg"],
  ["png", "png-rgba16.png"],
  ["gif", "gif-static.gif"],
  ["jp2", "jp2-reversible.jp2"],
];

describe.each(files)("%s", (format, name) => {
  const load = async () => new Uint8Array(await readFile(join(fixturesFolder, name)));
  const lacks = (bytes: Uint8Array) => lacksItsEnd(memoryBytes(bytes), format);

  test("a sound file has its end", async () => {
    expect(await lacks(await load())).toBe(false);
  });
  test("one whose last 64 bytes are not written yet lacks it", async () => {
    expect(await lacks((await load()).fill(0, -64))).toBe(true);
  });
  test("so does one of which little is written", async () => {
    expect(await lacks((await load()).fill(0, 900))).toBe(true);
  });
  test.each([64, 65_535, 500_000])("%i zeros behind the end are padding", async (zeros) => {
    expect(await lacks(Buffer.concat([await load(), new Uint8Array(zeros)]))).toBe(false);
  });
  test("the end is not searched for behind more zeros than a padding has", async () => {
    expect(await lacks(Buffer.concat([await load(), new Uint8Array(2 ** 21)]))).toBe(true);
  });
});

test("a TIFF may end in zeros", async () => {
  expect(await lacksItsEnd(memoryBytes(new Uint8Array(1000)), "tif")).toBe(false);
});

test("zeros behind the length that a WebP states are padding, and zeros before it are not", async () => {
  const webp = new Uint8Array(await readFile(join(fixturesFolder, "webp-lossy.webp")));
  const lacks = (bytes: Uint8Array) => lacksItsEnd(memoryBytes(bytes), "webp");
  const padding = new Uint8Array(1000);
  expect(await lacks(webp)).toBe(false);
  expect(await lacks(Buffer.concat([webp, padding]))).toBe(false);
  expect(await lacks(Buffer.concat([webp.slice().fill(0, -64), padding]))).toBe(true);
});
