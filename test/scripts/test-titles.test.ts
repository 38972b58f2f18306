// The comparison of the titles of tests, from what vitest writes.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "smalti-titles-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
const listed = (...tests: (readonly [name: string, file: string])[]) =>
  tests.map(([name, path]) => ({ name, file: `/tree/${path}` }));
const compare = (...args: string[]) =>
  spawnSync(process.execPath, ["scripts/test-titles.mjs", ...args], { encoding: "utf8" });

const old = file("old.json", listed(["a > one", "test/a.test.ts"], ["a > two 2", "test/a.test.ts"]));
const report = {
  testResults: [
    { name: "/tree/test/a.test.ts", assertionResults: [{ ancestorTitles: ["a"], title: "one" }] },
    { name: "/tree/test/b.test.ts", assertionResults: [{ ancestorTitles: ["b"], title: "three" }] },
  ],
};

test("a title that is gone fails unless a line names its successor, with * for any text", () => {
  const now = file("new.json", report);
  const { status, stdout } = compare(old, now);
  expect(stdout).toContain("gone: a > two 2 (test/a.test.ts)\n  -> NO SUCCESSOR");
  expect(stdout).toContain("new: b > three (test/b.test.ts)");
  expect(status).toBe(1);
  const rows = file("rows.md", "# Titles\na > two * (test/a.test.ts) -> b > three (test/b.test.ts)\n");
  expect(compare(old, now, "--successors", rows).status).toBe(0);
  const others = file("others.md", "a > two * (test/b.test.ts) -> b > three (test/b.test.ts)\n");
  expect(compare(old, now, "--successors", others).status).toBe(1);
});

test("a title that has moved to another file, and one that is new, need no line", () => {
  const moved = file("moved.json", listed(["a > one", "test/a.test.ts"], ["a > two 2", "test/c.test.ts"]));
  const { status, stdout } = compare(old, moved);
  expect(stdout).toContain("the same title in another file");
  expect(status).toBe(0);
});
