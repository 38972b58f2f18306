// Blocks of YAML and JSON in the pages are what readers may copy: valid configurations, manifest files and
// documents.

import { existsSync } from "node:fs";
import { join } from "node:path";
import createMarkdown from "markdown-it";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readDescription } from "../../src/iiif/presentation/description/description.ts";
import { loadConfig, problemLines } from "../../src/server/config/reading/load.ts";
import { blocksOf, docsFolder, docsPages } from "./pages.ts";

/** Every variable that an example names is set. */
const env = new Proxy<Record<string, string>>(
  {},
  { get: (_, name) => (String(name).startsWith("SERVICE_") ? "" : "x") },
);

/** A hash that a page shortens. */
const shortened = /\$2[aby]\$[^"'\s,}]*…/g;
const whole = "$2y$10$abcdefghijklmnopqrstuuJ8kYzJfUe4o2q6X1n5h1b0y9w3mK9rC";

/** YAML that is neither a configuration nor a manifest file, by the first line; the test that reads it. */
const elsewhere: Readonly<Record<string, string>> = {
  "ms-12: scans/0012.tif": "test/server/hooks/docs.test.ts",
};

const blocks = docsPages.flatMap((page) =>
  blocksOf(page).map((block) => ({ ...block, place: `docs/${page.path}.md:${block.line}` })),
);
const inLanguage = (name: string) => blocks.filter(({ language }) => language === name);

describe("YAML", () => {
  test.each(inLanguage("yaml"))("$place is a configuration or a manifest file", ({ text }) => {
    if (elsewhere[text.split("\n")[0] ?? ""]) return;
    const { problems } = loadConfig(text.replaceAll(shortened, whole), env);
    if (!problems) return;
    const faults = (["manifest", "collection"] as const).map(
      (kind) => readDescription(parse(text), kind).faults,
    );
    if (faults.some((list) => list.length === 0)) return;
    expect.fail(
      `${problemLines(problems, "the block")}\nor, as a manifest file: ${JSON.stringify(faults[0])}`,
    );
  });
});

test.each(docsPages)("$path has its code between fences", ({ text }) => {
  const tokens = createMarkdown().parse(text, {});
  expect(tokens.filter(({ type }) => type === "code_block").map(({ content }) => content)).toEqual([]);
});

test("every file of deploy/ that a page names is there", () => {
  const faults = docsPages.flatMap(({ path, text }) =>
    (text.match(/\bdeploy\/[\w./-]*\w/g) ?? [])
      .filter((name) => !existsSync(join(docsFolder, "..", name)))
      .map((name) => `${path}: ${name}`),
  );
  expect(faults).toEqual([]);
});

test.each(inLanguage("json"))("JSON: $place parses", ({ text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});
