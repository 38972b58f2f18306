// docs/reference/headers.md names every header that the sources read or send, and no other.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { docsPages } from "./pages.ts";

const source = fileURLToPath(new URL("../../src/", import.meta.url));
const files = ["server/api/", "admin/"].flatMap((folder) =>
  readdirSync(source + folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(source + folder + name, "utf8")),
);
const code = [...files, readFileSync(`${source}server/app.ts`, "utf8")]
  .join("\n")
  .replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, "");

const page = docsPages.find(({ path }) => path === "reference/headers")?.text ?? "";
const documented = [...page.matchAll(/^\| (`[^|]*)\|.*$/gm)].flatMap(([row, first = ""]) => [
  ...[...first.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name),
  ...[...row.matchAll(/`(X-[\w-]+)`/g)].map(([, name = ""]) => name),
]);

test("every header of two words that the code names is on the page", () => {
  const named = code.matchAll(/\b(?:[A-Z][a-z]+|MCP|X|WWW)(?:-(?:(?:[A-Z][a-z]+)+|ID|MD5))+\b/g);
  // An attribute of cookies.
  const other = new Set(["Max-Age"]);
  const missing = new Set(
    [...named].map(([name]) => name).filter((name) => !documented.includes(name) && !other.has(name)),
  );
  expect([...missing].sort()).toEqual([]);
});

test("every header of the page occurs in the code", () => {
  expect(documented.length).toBeGreaterThan(50);
  const lower = code.toLowerCase();
  expect(documented.filter((name) => !lower.includes(name.toLowerCase()))).toEqual([]);
});
