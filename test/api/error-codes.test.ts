// docs/errors.md names every code that the sources can throw, and no other.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { statusOf } from "../../src/api/http/status.ts";
import { errorKinds } from "../../src/errors.ts";
import { titles } from "../../src/lib/network/problem-document.ts";
import { figures } from "../../src/stats/figures.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const document = readFileSync(`${root}docs/errors.md`, "utf8");
const rows = [...document.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm)].map(([, status, codes = ""]) => ({
  status: Number(status),
  codes: [...codes.matchAll(/`([a-z0-9_]+)`/g)].map(([, code = ""]) => code),
}));
const documented = new Set(rows.flatMap(({ codes }) => codes));

/** Words of the form of a code in what follows `code:`, or as the only text of an argument, where errors are made. */
function codesOf(text: string): string[] {
  if (!/ServiceError|problem/i.test(text)) return [];
  return [
    ...text.matchAll(/\bcode: "([a-z0-9_]+)"/g),
    ...text.matchAll(/(?<=[(,]\s*)"([a-z0-9]+(?:_[a-z0-9]+)+)"(?=,)/g),
  ].map(([, code = ""]) => code);
}

/**
 * Names of figures and of their labels' values, formats of the schema library, keys of the configuration, errors of
 * OAuth 2.0: not codes of ours. */
const others = new Set<string>([
  ...Object.keys(figures),
  "not_found",
  "custom",
  "access_service",
  "invalid_client",
]);

const thrown = new Set(
  (readdirSync(`${root}src`, { recursive: true }) as string[])
    // What the doctors find has codes of its own.
    .filter((name) => /\.tsx?$/.test(name) && !/^(doctor|images\/diagnosis)\/|\/public-url\.ts$/.test(name))
    .flatMap((name) => codesOf(readFileSync(`${root}src/${name}`, "utf8")))
    .filter((code) => !others.has(code)),
);

describe("docs/errors.md", () => {
  test("names every code in the sources", () => {
    expect(thrown.size).toBeGreaterThan(40);
    expect([...thrown].filter((code) => !documented.has(code)).sort()).toEqual([]);
  });

  test("names no code that the sources do not have", () => {
    // Codes that come from the kind alone, as errors.ts derives them.
    const derived = new Set(errorKinds.flatMap((kind) => [kind.replaceAll("-", "_"), `${kind}_failed`]));
    expect([...documented].filter((code) => !thrown.has(code) && !derived.has(code))).toEqual([]);
  });

  test("has a row for every status that errors have", () => {
    const seen = new Set(rows.map(({ status }) => status));
    // 401 comes with access rules; 499 is never sent.
    const statuses = Object.values(statusOf).filter((status) => status !== 401 && status !== 499);
    for (const status of statuses) expect([status, seen.has(status)]).toEqual([status, true]);
    for (const status of seen) expect(titles[status]).toBeTypeOf("string");
  });
});
