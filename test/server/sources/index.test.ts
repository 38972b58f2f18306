import { expect, it } from "vitest";
import { createCounts } from "../../../src/base/telemetry/count.ts";
import { createSources } from "../../../src/server/sources/index.ts";
import { sampleSource } from "../../../src/server/sources/sample.ts";
import type { Source } from "../../../src/server/sources/source.ts";

const source = (name: string, prefix: string): Source => ({
  name,
  prefix,
  backend: "filesystem",
  fingerprint: name,
  counts: createCounts(),
  open: async () => undefined,
  check: async () => {},
});
const sample = sampleSource(async () => undefined);

const resolved = (list: readonly Source[], identifier: string) => {
  const found = createSources(list, sample).resolve(identifier);
  return [found.source.name, found.key];
};

const list = [source("museum", "museum/"), source("images", ""), source("vault", "museum/vault/")];

it.each([
  ["museum/a.jpg", ["museum", "a.jpg"]],
  ["museum/vault/a.jpg", ["vault", "a.jpg"]],
  ["museum/vaulted.jpg", ["museum", "vaulted.jpg"]],
  ["museum", ["images", "museum"]],
  ["museum/", ["museum", ""]],
  ["a/museum/b.jpg", ["images", "a/museum/b.jpg"]],
  ["Museum/a.jpg", ["images", "Museum/a.jpg"]],
])("%s belongs to the source with the longest prefix, without that prefix", (identifier, expected) => {
  expect(resolved(list, identifier)).toEqual(expected);
});

it("assigns identifiers without a known prefix to the first source when each has a prefix", () => {
  const prefixed = [source("one", "one/"), source("two", "two/")];
  expect(resolved(prefixed, "a.jpg")).toEqual(["one", "a.jpg"]);
  expect(createSources(prefixed, sample).default.name).toBe("one");
});

it("serves the sample alone when there is no source, and not when there is one", () => {
  expect(resolved([], "sample")).toEqual(["sample", "sample"]);
  expect(resolved(list, "sample")).toEqual(["images", "sample"]);
  expect(createSources(list, sample).all).toEqual(list);
});

it("finds a source by its name", () => {
  expect(createSources(list, sample).byName("vault")?.prefix).toBe("museum/vault/");
  expect(createSources(list, sample).byName("")).toBeUndefined();
});

it("passes keys of archives to the part of a source that lists them, and looks for other names in all of it", () => {
  const web = { ...source("web", "web/"), backend: "http" } as const;
  const whole = { ...web, inArchives: { ...web, list: async () => [] } };
  const sources = createSources([whole], sample);
  const listsIn = (identifier: string) => sources.resolve(identifier).source.list !== undefined;
  expect([listsIn("web/a.zip"), listsIn("web/a.zip/b.jpg"), listsIn("web/a.jpg")]).toEqual([
    true,
    true,
    false,
  ]);
  // The server may ignore what follows the semicolon.
  expect(sources.otherNames("web/secret;x.zip/b.jpg")).toContain("web/secret/b.jpg");
});
