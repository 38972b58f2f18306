// docs/reference/errors.md names every code that the sources can throw, and no other.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { errorKinds } from "../../../src/base/errors.ts";
import { titles } from "../../../src/base/network/problem-document.ts";
import { statusOf } from "../../../src/server/api/http/status.ts";
import { configTree } from "../../../src/server/config/schema.ts";
import { leaves } from "../../../src/server/config/walk.ts";
import {
  type FigureName,
  type FigureRow,
  figures,
  publishedName,
} from "../../../src/server/stats/figures.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const document = readFileSync(`${root}docs/reference/errors.md`, "utf8");
const rows = [...document.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm)].map(([, status, codes = ""]) => ({
  status: Number(status),
  codes: [...codes.matchAll(/`([a-z0-9_]+)`/g)].map(([, code = ""]) => code),
}));
const documented = new Set(rows.flatMap(({ codes }) => codes));

/**
 * Returns words in the form of a code that follow `code:`, or are the only text argument, where errors are
 * made.
 */
function codesOf(text: string): string[] {
  if (!/ServiceError|ImagingError|Refusal|problem/i.test(text)) return [];
  return [
    ...text.matchAll(/\bcode: "([a-z0-9_]+)"/g),
    ...text.matchAll(/(?<=[(,]\s*)"([a-z0-9]+(?:_[a-z0-9]+)+)"(?=,)/g),
  ].map(([, code = ""]) => code);
}

/**
 * Names of figures and of their labels' values, formats of the schema library, keys of the configuration,
 * errors of OAuth 2.0, events of the audit: not codes of ours.
 */
const others = new Set<string>([
  ...Object.keys(figures),
  "not_found",
  "custom",
  "access_service",
  "invalid_client",
  "authz_admin",
  "authz_fail",
]);

const sources = (readdirSync(`${root}src`, { recursive: true }) as string[]).filter((name) =>
  /\.tsx?$/.test(name),
);

const thrown = new Set(
  sources
    // Findings of the doctors have separate codes.
    .filter((name) => !/^doctor\/|\/(public-url|findings)\.ts$/.test(name))
    .flatMap((name) => codesOf(readFileSync(`${root}src/${name}`, "utf8")))
    .filter((code) => !others.has(code)),
);

describe("docs/reference/errors.md", () => {
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

/** The rows of 503: the setting, the metric, and the code that throws it. */
const refusals = [
  ...document.matchAll(/^\| 503 \| `([a-z_]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, code = "", setting = "", figure = "", files = ""]) => ({
  code,
  settings: [...setting.matchAll(/`([^`]+)`/g)].map(([, key = ""]) => key),
  figures: [...figure.matchAll(/`(\w+)(?:\{(\w+)="([^"]+)"\})?`/g)].map(([, ...parts]) => parts),
  files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
}));

/**
 * `code file` of every error of kind busy that a text of a file throws; without a code it is that of the
 * kind.
 */
function busyIn(file: string, text: string): string[] {
  return [...text.matchAll(/new ServiceError\(\s*"busy"/g)].map(({ index }) => {
    let depth = 0;
    let end = text.indexOf("(", index);
    do {
      if (text[end] === "(") depth++;
      if (text[end] === ")") depth--;
      end++;
    } while (depth > 0);
    const [, code = "busy"] = /\bcode: "([a-z_]+)"/.exec(text.slice(index, end)) ?? [];
    return `${code} ${file}`;
  });
}

describe("the table of 503 in docs/reference/errors.md", () => {
  const named = new Set(refusals.flatMap(({ code, files }) => files.map((file) => `${code} ${file}`)));

  test("has a row for each error of kind busy, with the file that throws it", () => {
    const busy = sources.flatMap((name) => busyIn(name, readFileSync(`${root}src/${name}`, "utf8")));
    expect(busy.length).toBeGreaterThan(6);
    expect(busy.filter((each) => !named.has(each))).toEqual([]);
  });

  test("names files that are there and hold the code", () => {
    expect(rows.filter(({ status }) => status === 503)).toHaveLength(refusals.length);
    for (const { code, files } of refusals) {
      expect(files.length).toBeGreaterThan(0);
      const texts = files.map((file) => readFileSync(`${root}src/${file}`, "utf8")).join();
      expect(texts).toContain(`"${code}"`);
    }
  });

  test("names settings and figures that there are, with their labels", () => {
    const keys = new Set(leaves(configTree()).map(({ path }) => path));
    const published = new Map(
      (Object.keys(figures) as FigureName[]).map((name) => [publishedName(name), figures[name] as FigureRow]),
    );
    for (const { code, settings, figures: counted } of refusals) {
      expect(settings.filter((key) => !keys.has(key))).toEqual([]);
      // A handler that was closed counts nothing any more.
      expect([code, counted.length]).toEqual([code, code === "closed" ? 0 : 1]);
      for (const [name = "", label, value] of counted) {
        const labels = published.get(name)?.labels;
        expect([name, labels !== undefined]).toEqual([name, true]);
        if (label !== undefined) expect(labels?.[label]).toContain(value);
      }
    }
  });
});
