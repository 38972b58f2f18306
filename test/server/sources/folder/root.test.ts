// The contents of a source's folder, by resolved paths.

import { describe, expect, test } from "vitest";
import { createRoot, isServed } from "../../../../src/server/sources/folder/root.ts";

test.each([
  ["/data", "/data", true],
  ["/data/a.jpg", "/data", true],
  ["/data/a/b.jpg", "/data", true],
  ["/database/a.jpg", "/data", false],
  ["/a.jpg", "/data", false],
  ["/data/.a/b.jpg", "/data", false],
  ["/data/a/.b.jpg", "/data", false],
  ["/.data/a.jpg", "/.data", true],
  ["/a.jpg", "/", true],
  ["/.a.jpg", "/", false],
  // on POSIX a backslash is part of a name
  ["/data/a\\.b.jpg", "/data", true],
  ["C:\\data\\a.jpg", "C:\\data", true],
  ["C:\\data\\a\\.b.jpg", "C:\\data", false],
  ["C:\\a.jpg", "C:\\", true],
  ["D:\\data\\a.jpg", "C:\\data", false],
] as const)("%s below %s is served: %s", (path, root, served) => {
  expect(isServed(path, root)).toBe(served);
});

describe("a folder", () => {
  const errorOf = (code: string) => Object.assign(new Error(code), { code });
  /** A folder whose paths resolve to themselves, except those that fail. */
  function over(failures: Readonly<Record<string, string>> = {}) {
    let errors = 0;
    const look = async (path: string) => {
      if (failures[path]) throw errorOf(failures[path]);
      return path;
    };
    const files = { realPath: look, stat: look, open: look, list: look } as never;
    const root = createRoot({ name: "own", root: "/data/", files, onError: () => errors++ });
    return { root, errors: () => errors };
  }

  test("has paths without a separator at the end", () => {
    expect([over().root.top, over().root.pathOf(["a", "b.jpg"])]).toEqual(["/data", "/data/a/b.jpg"]);
  });

  test.each(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"])(
    "has no file if the system says %s, which is not an error",
    async (code) => {
      const { root, errors } = over({ "/data/a": code });
      expect(await root.resolve("/data", "/data/a")).toBeUndefined();
      expect(errors()).toBe(0);
    },
  );

  test("reports an unreadable file for any other system error", async () => {
    const { root, errors } = over({ "/data/a": "EACCES" });
    await expect(root.resolve("/data", "/data/a")).rejects.toMatchObject({ code: "source_unreadable" });
    expect(errors()).toBe(1);
  });

  test("that is missing is a fault of the source", async () => {
    const { root, errors } = over({ "/data": "ENOENT" });
    await expect(root.real()).rejects.toMatchObject({ kind: "source", code: "source_root_missing" });
    expect(errors()).toBe(1);
  });
});
