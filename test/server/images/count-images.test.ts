import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countImages } from "../../../src/server/images/count-images.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { filesystemSource } from "../../../src/server/sources/filesystem.ts";
import type { Source } from "../../../src/server/sources/source.ts";

let root: string;
let source: Source;

// 2 images at the top, 3 in each of 4 folders: 14. Names alone count, so the files may be empty.
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "smalti-count-"));
  for (const name of ["a.jpg", "b.tif", "notes.txt", ".hidden.png"]) writeFileSync(join(root, name), "");
  for (let folder = 0; folder < 4; folder++) {
    mkdirSync(join(root, `f${folder}`));
    for (let n = 0; n < 3; n++) writeFileSync(join(root, `f${folder}`, `${n}.png`), "");
  }
  source = filesystemSource({ name: "s", root, prefix: "", files: nodeFiles() });
});
afterAll(() => rmSync(root, { recursive: true }));

const longMs = 600_000;

test("images are counted in all folders, without other files and hidden ones", async () => {
  expect(await countImages(source, { max: 5000, ms: longMs })).toEqual({ images: 14, more: false });
});

test.each([
  [13, { images: 13, more: true }],
  [14, { images: 14, more: false }],
  [1, { images: 1, more: true }],
])("a count that may reach %i comes to %j", async (most, expected) => {
  expect(await countImages(source, { max: most, ms: longMs })).toEqual(expected);
});

test("a count without time stops and says that there may be more", async () => {
  expect(await countImages(source, { max: 5000, ms: 0 })).toEqual({ images: 0, more: true });
});

test("a listing that never ends does not hold the count up, and one that fails does not make it wrong", async () => {
  const never: Source = { ...source, list: () => new Promise(() => {}) };
  expect(await countImages(never, { max: 5000, ms: 20 })).toEqual({ images: 0, more: true });
  const failing: Source = { ...source, list: () => Promise.reject(new Error("gone")) };
  expect(await countImages(failing, { max: 5000, ms: longMs })).toEqual({ images: 0, more: true });
});

test("a source that cannot list has no count", async () => {
  const { list: _, ...unlistable } = source;
  expect(await countImages(unlistable, { max: 5000, ms: longMs })).toBeUndefined();
});
