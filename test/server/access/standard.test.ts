// The tests that docs/contributing/authorization-standard.md names are there, so that a clause does not lose
// its test unnoticed.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const page = readFileSync(`${root}docs/contributing/authorization-standard.md`, "utf8");

/** Rows of the tables, without heads and rules. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (Clause|Standard)/.test(line) && !line.startsWith("|---"));
/** Returns a file and the title of a test in it, as the row names them. */
const named = (row: string) =>
  [...row.matchAll(/`(test\/[\w/.-]+\.ts)`: “([^”]+)”/g)].map(([, file = "", title = ""]) => ({
    file,
    title,
  }));

test("each clause names at least one test", () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) expect([row, named(row).length > 0]).toEqual([row, true]);
});

test("each test that is named is there, by its title", () => {
  for (const { file, title } of rows.flatMap(named)) {
    const source = readFileSync(root + file, "utf8");
    const isThere = [`("${title}"`, `  "${title}",`, `(\`${title}\``].some((text) => source.includes(text));
    expect([file, title, isThere]).toEqual([file, title, true]);
  }
});
