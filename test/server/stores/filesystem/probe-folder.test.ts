import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { probeFolder } from "../../../../src/server/stores/filesystem/folder.ts";
import { type Folder, temporaryFolder } from "./folder.ts";

const files = nodeFiles();
let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

test("a folder that can be written has no fault and is left as it is", async () => {
  await mkdir(join(folder.path, "cache"));
  expect(await probeFolder(files, join(folder.path, "cache"))).toBeUndefined();
  expect(await readdir(join(folder.path, "cache"))).toEqual([]);
});

test("a folder that can be made has no fault and is not made", async () => {
  expect(await probeFolder(files, join(folder.path, "a/b/c"))).toBeUndefined();
  expect(await readdir(folder.path)).toEqual([]);
});

test("a folder below a file has a fault that explains it, without its path", async () => {
  await writeFile(join(folder.path, "file"), "");
  const fault = await probeFolder(files, join(folder.path, "file/cache"));
  expect(fault).toMatch(/a part of its path is a file/);
  expect(fault).not.toContain(folder.path);
});

// Codes as in errno(3); a test cannot fill a disk.
test.each([
  ["EACCES", /may not write/],
  ["EROFS", /read-only/],
  ["ENOSPC", /full/],
  ["EDQUOT", /quota/],
  ["EWHATEVER", /EWHATEVER/],
])("a write that fails with %s is reported as %s", async (code, text) => {
  const failing: FileSystem = {
    ...files,
    writeFile: () => Promise.reject(Object.assign(new Error("no"), { code })),
  };
  expect(await probeFolder(failing, folder.path)).toMatch(text);
});
