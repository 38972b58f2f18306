// A file is found only by its exact name, even if the file system would accept others.

import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { filesystemSource } from "../../../../src/server/sources/filesystem.ts";

let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "smalti-spelling-")));
  await mkdir(join(root, "Private"));
  await writeFile(join(root, "Private", "Caf\u00e9.tif"), "x");
  await writeFile(join(root, "plain.tif"), "x");
  await symlink("Private", join(root, "link"));
  await symlink("../plain.tif", join(root, "Private", "Other.tif"));
});
afterAll(() => rm(root, { recursive: true }));

/** Files of a runtime that does not know the paths of open files. */
const { openPlain: _, ...plain }: FileSystem = nodeFiles();
const folded = (name: string) => name.normalize("NFC").toLowerCase();

/** The stored spelling of a path, as a disk of macOS or Windows finds it. */
async function stored(path: string): Promise<string> {
  if (!path.startsWith(`${root}/`)) return path;
  let found = root;
  for (const segment of path.slice(root.length + 1).split("/")) {
    const names = await readdir(found).catch(() => []);
    found = `${found}/${names.find((name) => folded(name) === folded(segment)) ?? segment}`;
  }
  return found;
}

/** The disk of this machine, but that it folds case and Unicode forms. */
const folding: FileSystem = {
  ...plain,
  stat: async (path) => plain.stat(await stored(path)),
  realPath: async (path) => plain.realPath(await stored(path)),
  open: async (path) => plain.open(await stored(path)),
};

/** A folding file system as Linux mounts it, which leaves the spelling in resolved paths. */
const keeping: FileSystem = {
  ...folding,
  async realPath(path) {
    const at = await stored(path);
    const real = await plain.realPath(at);
    return real === at ? path : real;
  },
};

const finds = async (files: FileSystem, key: string) => {
  const image = await filesystemSource({ name: "a", root, prefix: "", files }).open(key);
  await image?.close();
  return image !== undefined;
};

test.each([
  "plain.tif",
  "Private/Caf\u00e9.tif",
  "link/Caf\u00e9.tif",
  "Private/Other.tif",
  "link/Other.tif",
])("%s is found on each kind of disk", async (key) => {
  expect(await finds(plain, key)).toBe(true);
  expect(await finds(folding, key)).toBe(true);
  expect(await finds(keeping, key)).toBe(true);
});

test.each([
  "PLAIN.tif",
  "private/Caf\u00e9.tif",
  "Private/caf\u00e9.tif",
  "Private/Cafe\u0301.tif",
  "LINK/Caf\u00e9.tif",
  "link/CAF\u00c9.TIF",
  "Private/other.tif",
  "Link/Other.tif",
])("%s is missing even on a disk that would find it", async (key) => {
  expect(await plain.stat(await stored(`${root}/${key}`))).toBeDefined();
  expect(await finds(folding, key)).toBe(false);
  expect(await finds(keeping, key)).toBe(false);
});

test.each([
  ["corrects", folding],
  ["keeps", keeping],
] as const)(
  "a name stays missing on a disk that %s spellings when the file has been served",
  async (_, files) => {
    const source = filesystemSource({ name: "a", root, prefix: "", files });
    const found = async (key: string) => {
      const image = await source.open(key);
      await image?.close();
      return image !== undefined;
    };
    const keys = [
      "plain.tif",
      "PLAIN.tif",
      "link/Caf\u00e9.tif",
      "LINK/Caf\u00e9.tif",
      "Private/Cafe\u0301.tif",
    ];
    const results: boolean[] = [];
    for (const key of [...keys, ...keys]) results.push(await found(key));
    expect(results).toEqual([true, false, true, false, false, true, false, true, false, false]);
  },
);

test("warm requests do not look for other spellings again", async () => {
  let calls = 0;
  const counting: FileSystem = {
    ...plain,
    realPath(path) {
      calls++;
      return plain.realPath(path);
    },
  };
  const source = filesystemSource({ name: "a", root, prefix: "", files: counting });
  await (await source.open("plain.tif"))?.close();
  const before = calls;
  await (await source.open("plain.tif"))?.close();
  // The file itself, and once more to prove that no link has changed.
  expect(calls - before).toBe(2);
});
