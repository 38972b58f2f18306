// The version of a checkout, of one with a tag, and of a folder without a commit.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { version } from "../../scripts/version.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-version-"));
  writeFileSync(join(folder, "package.json"), '{ "version": "1.2.3" }');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();

function commit(): string {
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message=one");
  return git("rev-parse", "HEAD");
}

test("a checkout has the version of package.json with its commit", () => {
  expect(version(folder, {})).toBe("1.2.3"); // no repository yet
  const hash = commit();
  expect(version(folder, {})).toBe(`1.2.3+${hash.slice(0, 7)}`);
});

test("the commit with the tag of this version has the plain version", () => {
  const hash = commit();
  git("tag", "v1.2.2");
  expect(version(folder, {})).toBe(`1.2.3+${hash.slice(0, 7)}`);
  git("tag", "--annotate", "v1.2.3", "--message=1.2.3");
  expect(version(folder, {})).toBe("1.2.3");
});

test("a folder in the repository of another project does not take its commit", () => {
  commit();
  const inner = join(folder, "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, "package.json"), '{ "version": "4.5.6" }');
  expect(version(inner, {})).toBe("4.5.6");
});

test("the variable SMALTI_VERSION decides if it is set", () => {
  expect(version(folder, { SMALTI_VERSION: "1.2.3+abcdef0" })).toBe("1.2.3+abcdef0");
});
