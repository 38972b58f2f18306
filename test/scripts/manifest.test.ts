// What npm shows of the package: its addresses, from which relative links of the README are made.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), "utf8");

test("repository, homepage and bugs name one repository, which SECURITY.md names too", () => {
  const { repository, homepage, bugs } = JSON.parse(read("package.json"));
  const [, name] = /^git\+https:\/\/github\.com\/([\w-]+\/[\w.-]+)\.git$/.exec(repository.url) ?? [];
  expect(name).toBeDefined();
  expect(homepage).toBe(`https://github.com/${name}#readme`);
  expect(bugs.url).toBe(`https://github.com/${name}/issues`);
  expect(read("SECURITY.md")).toContain(`--repo ${name}`);
});

test("relative links of the README name files of the repository, so that npm can complete them", () => {
  const links = [...read("README.md").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((path) => path.startsWith("/") || !existsSync(new URL(path, root)))).toEqual([]);
});
