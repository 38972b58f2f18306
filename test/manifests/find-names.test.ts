// The bounds of a search by name: how much it looks through, and what it says where that is not all.

import { expect, test } from "vitest";
import { ServiceError } from "../../src/errors.ts";
import { createCounts } from "../../src/lib/telemetry/count.ts";
import { findNames, wordsOf } from "../../src/manifests/browse/find-names.ts";
import type { Folders } from "../../src/manifests/folders/folders.ts";
import { listingOf } from "../../src/manifests/folders/listing.ts";
import { createSources } from "../../src/sources/index.ts";
import { type Source, sourceCounts } from "../../src/sources/source.ts";

const source: Source = {
  name: "tree",
  backend: "filesystem",
  prefix: "",
  fingerprint: "tree",
  counts: createCounts(...sourceCounts),
  open: async () => undefined,
  list: async () => [],
  check: async () => {},
};
const sources = createSources([source], source);

/** Folders a and b with ten images each beside one image. */
const tree: Record<string, readonly string[]> = {
  "": ["a/", "b/", "top.png"],
  a: Array.from({ length: 10 }, (_, n) => `a${n}.png`),
  b: Array.from({ length: 10 }, (_, n) => `b${n}.png`),
};
const foldersOf = (away?: string): Folders => ({
  async find(_source, key) {
    if (key === away) throw new ServiceError("source", "It does not answer.", { code: "source_unavailable" });
    const entries = (tree[key] ?? []).map((name) =>
      name.endsWith("/")
        ? ({ name: name.slice(0, -1), kind: "directory" } as const)
        : ({ name, kind: "image" } as const),
    );
    return { serial: 1, listing: listingOf(entries), facts: new Map() };
  },
});

const search = async (
  words: string,
  bounds: Partial<Parameters<typeof findNames>[5]> = {},
  away?: string,
  mayLookInto = (_identifier: string) => true,
) => {
  const usual = { folders: 10, matches: 100, ms: 60_000 };
  const parts = { sources, folders: foldersOf(away) };
  const place = { source, key: "" };
  const { entries, ...rest } = await findNames(parts, place, true, wordsOf(words), mayLookInto, {
    ...usual,
    ...bounds,
  });
  return { found: entries.map(({ identifier }) => identifier), ...rest };
};

test("a search looks through all folders, those further up first", async () => {
  const { found, ...rest } = await search("png");
  expect(found).toHaveLength(21);
  expect([found[0], found[1], found[20]]).toEqual(["top.png", "a/a0.png", "b/b9.png"]);
  expect(rest).toEqual({});
});

test("a search names the first folder that it does not look through", async () => {
  expect(await search("5", { folders: 2 })).toEqual({ found: ["a/a5.png"], stoppedAt: "b" });
  expect(await search("5", { ms: 0 })).toEqual({ found: [], stoppedAt: "" });
  expect(await search("5", {}, "a")).toEqual({ found: ["b/b5.png"], stoppedAt: "a" });
});

test("a search says where there are more matches than it lists, and only then", async () => {
  expect(await search("png", { matches: 21 })).not.toHaveProperty("isCut");
  const { found, isCut } = await search("png", { matches: 20 });
  expect([found.length, isCut]).toEqual([20, true]);
});

test("a search neither finds nor looks into folders that are not for the caller", async () => {
  expect(await search("a", {}, undefined, (identifier) => identifier !== "a")).toEqual({ found: [] });
});

test("words are compared without case, accents and differences of width", () => {
  expect(wordsOf("  ÉTUDE  ＡＢ\tüber ")).toEqual(["etude", "ab", "uber"]);
  expect(wordsOf(" \u00a0 ")).toEqual([]);
  expect(wordsOf("a ".repeat(500))).toHaveLength(12);
});
