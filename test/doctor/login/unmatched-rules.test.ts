// Rules without images: what a search finds, and that nothing is claimed about folders it cannot read.

import { expect, test } from "vitest";
import { unmatchedRules } from "../../../src/doctor/login/unmatched-rules.ts";
import { authOptions } from "../../../src/server/access/options.ts";
import { createSources } from "../../../src/server/sources/index.ts";
import type { Source, SourceEntry } from "../../../src/server/sources/source.ts";

const image = (name: string): SourceEntry => ({ name, kind: "image" });
const folder = (name: string): SourceEntry => ({ name, kind: "directory" });

/** A source over folders by their paths; `list` in their place. */
function source(
  folders: Readonly<Record<string, readonly SourceEntry[]>>,
  more: Partial<Pick<Source, "name" | "prefix">> & { readonly list?: Source["list"] | undefined } = {},
): Source {
  const list: Source["list"] = async (path) => folders[path];
  const { list: own = list, ...named } = more;
  return {
    name: "files",
    backend: "filesystem",
    prefix: "",
    fingerprint: "files",
    counts: {} as Source["counts"],
    open: async () => undefined,
    check: async () => {},
    ...named,
    ...(!("list" in more && more.list === undefined) && { list: own }),
  };
}

const all = source({
  "": [folder("maps"), image("atlas.tif"), { name: "data.bin", kind: "other" }, folder("empty")],
  maps: [folder("1"), { name: "readme.txt", kind: "other" }],
  "maps/1": [image("a.tif")],
  empty: [],
});

async function unmatched(
  matches: readonly string[],
  sources: readonly Source[] = [all],
  { lists = true, ...bounds }: { lists?: boolean; ms?: number; folders?: number } = {},
): Promise<string[]> {
  const auth = authOptions.parse({
    profiles: { p: { pattern: "clickthrough", access_service: { backend: "builtin" } } },
    rules: matches.map((match) => ({ match, profile: "p" })),
  });
  const parts = { auth, sources: createSources(sources, all), lists };
  // Time enough for any machine, unless a test is about it.
  const found = await unmatchedRules(parts, { ms: 60_000, folders: 500, ...bounds });
  return found.map(({ where }) => matches[Number(where?.split(".")[2])] as string);
}

test("a rule is doubted if no image has an identifier that it matches, and only then", async () => {
  const good = [
    "maps/*",
    "maps/1/*",
    "maps/1/a.tif",
    "atlas.tif",
    "atlas.tif;2",
    "atlas.tif/*",
    "data.bin",
    "*",
  ];
  const bad = ["Maps/*", "maps/2/*", "maps/1/b.tif", "maps", "empty/*", "atlas", ".hidden/*"];
  expect(await unmatched([...good, ...bad])).toEqual(bad);
});

test("prefixes of sources are no folders", async () => {
  const sources = [
    source({ "": [image("b.tif")] }, { name: "one", prefix: "museum/one/" }),
    source({ "": [] }, { name: "two", prefix: "museum/two/" }),
  ];
  const good = ["museum/*", "museum/one/*", "museum/one/b.tif", "b.tif"];
  expect(await unmatched([...good, "museum/two/*"], sources)).toEqual(["museum/two/*"]);
});

test("nothing is said if files name no identifiers", async () => {
  expect(await unmatched(["nowhere/*"], [all], { lists: false })).toEqual([]);
});

test.each<[string, Source["list"] | undefined]>([
  ["does not list", undefined],
  ["fails", () => Promise.reject(new Error("denied"))],
  ["is not there", async () => undefined],
])("nothing is said of a source that %s", async (_, list) => {
  expect(await unmatched(["nowhere/*", "a.tif"], [source({}, { list })])).toEqual([]);
});

test("nothing is said of a folder that hangs, and the look ends", async () => {
  const hangs = source({}, { list: () => new Promise(() => {}) });
  expect(await unmatched(["nowhere/*"], [hangs], { ms: 5 })).toEqual([]);
});

test("nothing is reported about a folder whose listing ended early", async () => {
  const endless: Source["list"] = async (_, enough) => {
    while (!enough?.()) await new Promise((resolve) => setTimeout(resolve, 1));
    return [image("a.tif")];
  };
  expect(await unmatched(["nowhere/*"], [source({}, { list: endless })], { ms: 20 })).toEqual([]);
});

test("nothing is reported beyond the limit of folders, and none is listed twice", async () => {
  const asked: string[] = [];
  const list: Source["list"] = async (path) => {
    asked.push(path);
    return [folder("a"), folder("b")];
  };
  expect(await unmatched(["a/*", "b/*", "c/*"], [source({}, { list })], { folders: 10 })).toEqual(["c/*"]);
  expect(asked).toHaveLength(10);
  expect(new Set(asked).size).toBe(10);
});

test("a rule whose accents have another form than those of the folder is shown in escapes", async () => {
  const [composed, decomposed] = ["Gr\u00f6\u00dfe", "Gro\u0308\u00dfe"];
  const messageOf = async (stored: string, named: string) => {
    const files = source({ "": [folder(stored)], [stored]: [image("a.tif")] });
    const auth = authOptions.parse({
      profiles: { p: { pattern: "clickthrough", access_service: { backend: "builtin" } } },
      rules: [{ match: `${named}/*`, profile: "p" }],
    });
    const parts = { auth, sources: createSources([files], files), lists: true };
    return (await unmatchedRules(parts, { ms: 60_000, folders: 500 }))[0]?.text;
  };
  const onMac = await messageOf(decomposed, composed);
  expect(onMac).toContain("decomposed accents (NFD, as a Mac writes them), and the rule composed ones");
  expect(onMac).toContain(String.raw`write "Gro\u0308ße/*" in double quotes`);
  const elsewhere = await messageOf(composed, decomposed);
  expect(elsewhere).toContain("composed accents (NFC), and the rule decomposed ones");
  expect(elsewhere).toContain(String.raw`write "Gr\u00f6ße/*" in double quotes`);
  expect(await messageOf("GRO", "gro")).toContain("upper and lower case");
});
