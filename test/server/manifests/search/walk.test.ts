// A search that reads folders while it runs: how far it goes, and what it reports if that is not everything.

import { expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { createCounts } from "../../../../src/base/telemetry/count.ts";
import type { Folders } from "../../../../src/server/manifests/folders/folders.ts";
import { listingOf } from "../../../../src/server/manifests/folders/listing.ts";
import { findEntries } from "../../../../src/server/manifests/search/find.ts";
import { walkFolders } from "../../../../src/server/manifests/search/search.ts";
import { wordsOf } from "../../../../src/server/manifests/search/words.ts";
import { createSources } from "../../../../src/server/sources/index.ts";
import { type Source, sourceCounts } from "../../../../src/server/sources/source.ts";

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

/** Folders a and b with ten images each, next to one image. */
const tree: Record<string, readonly string[]> = {
  "": ["a/", "b/", "top.png"],
  a: Array.from({ length: 10 }, (_, n) => `a${n}.png`),
  b: Array.from({ length: 10 }, (_, n) => `b${n}.png`),
};
const foldersOf = (away?: string): Pick<Folders, "find"> => ({
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
  {
    away,
    most,
    mayLookInto = () => true,
    ...bounds
  }: {
    readonly away?: string;
    readonly most?: number;
    readonly mayLookInto?: (identifier: string) => boolean;
    readonly folders?: number;
    readonly ms?: number;
  } = {},
) => {
  const walk = walkFolders({ sources, folders: foldersOf(away) }, { folders: 10, ms: 60_000, ...bounds });
  const request = {
    location: { source, key: "" },
    isRoot: true,
    words: wordsOf(words),
    mayLookInto,
    mayHave: () => true,
  };
  const { entries, isCut } = await findEntries(sources, walk.lookInto, request, most);
  const stoppedAt = walk.stoppedAt();
  return {
    found: entries.map(({ identifier }) => identifier),
    ...(isCut && { isCut }),
    ...(stoppedAt !== undefined && { stoppedAt }),
  };
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
  expect(await search("5", { away: "a" })).toEqual({ found: ["b/b5.png"], stoppedAt: "a" });
});

test("a search reports if there are more matches than it lists, and only then", async () => {
  expect(await search("png", { most: 21 })).not.toHaveProperty("isCut");
  const { found, isCut } = await search("png", { most: 20 });
  expect([found.length, isCut]).toEqual([20, true]);
});

test("a search neither finds nor looks into folders that are not for the caller", async () => {
  expect(await search("a", { mayLookInto: (identifier) => identifier !== "a" })).toEqual({ found: [] });
});

test("words are compared without case, accents and differences of width", () => {
  expect(wordsOf("  ÉTUDE  ＡＢ\tüber ")).toEqual(["etude", "ab", "uber"]);
  expect(wordsOf(" \u00a0 ")).toEqual([]);
  expect(wordsOf("a ".repeat(500))).toHaveLength(12);
});
