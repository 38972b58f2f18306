import { describe, expect, it } from "vitest";
import { buildSegment, type IndexedPage } from "../../../src/text/index/build.ts";
import { matchPage } from "../../../src/text/index/match.ts";
import { matchHits } from "../../../src/text/index/match-hits.ts";
import { mergeSegments } from "../../../src/text/index/merge.ts";
import { OpenSegments } from "../../../src/text/index/open-segments.ts";
import { parseQuery } from "../../../src/text/index/query.ts";
import { type Found, type PageHits, search } from "../../../src/text/index/search.ts";
import fc from "../../properties.ts";
import { type NaiveClause, naiveHits, textOf } from "./naive.ts";
import { blocksInMemory, pageOf } from "./pages.ts";

const vocabulary = [
  ..."king kings King's of the ab abc abcd Éa naïve l'eau L’eau well-known known — 12 1,200 a".split(" "),
  ..."東京 京都 東 京 、 東、京 東京Tower 都ab".split(" "),
  ..."quin-|tal aujour-|d'hui well-|known a-|b ab-|c".split(" "),
];

const words = fc.constantFrom(...vocabulary);
const pages = fc.array(fc.array(fc.array(words, { maxLength: 6 }), { maxLength: 5 }), {
  minLength: 1,
  maxLength: 12,
});
const asked = fc.constantFrom(
  ...vocabulary.filter((word) => !word.includes("|")),
  ..."quintal quin quin-tal tal aujourd'hui hui abc-d kin wellknown".split(" "),
);
const clause: fc.Arbitrary<NaiveClause> = fc.oneof(
  fc.record({ kind: fc.constantFrom("word" as const, "prefix" as const), words: fc.tuple(asked) }),
  fc.record({ kind: fc.constant("phrase" as const), words: fc.array(asked, { minLength: 1, maxLength: 4 }) }),
);
const queries = fc.array(fc.array(clause, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });

/** Returns pages whose keys are in the order of their numbers. */
const keyed = (texts: readonly (readonly (readonly string[])[])[]): IndexedPage[] =>
  texts.map((lines, index) => ({
    key: `folder/${String(index).padStart(4, "0")}`,
    text: pageOf(...lines.map((line) => line.join(" "))),
  }));

/** Returns all hits of a search, read in windows. */
async function hitsOf(found: Found, window: number): Promise<Map<string, (readonly [number, number])[]>> {
  const hits = new Map<string, (readonly [number, number])[]>();
  for (let start = 0; start < found.hits; start += window) {
    const pages = await found.window(start, window);
    if ("lost" in pages) throw new Error(`lost ${pages.lost}`);
    for (const { page, ranges, start: first } of pages) {
      const before = hits.get(page) ?? [];
      expect(first).toBe(before.length);
      hits.set(page, [...before, ...ranges]);
    }
  }
  return hits;
}

/** Compares a search of segments, in counts, hits and their order, with a walk over all pages. */
async function compare(
  segments: OpenSegments,
  names: readonly string[],
  pages: readonly IndexedPage[],
  clauses: readonly NaiveClause[],
): Promise<void> {
  const expected = pages.flatMap(({ key, text }) => {
    const hits = naiveHits(text, clauses);
    return hits.length > 0 ? [[key, hits] as const] : [];
  });
  const found = await search(
    segments,
    names.map((name) => ({ name })),
    parseQuery(textOf(clauses)),
  );
  expect([...(await hitsOf(found, 3))]).toEqual(expected);
  expect(found.pages).toBe(expected.length);
  expect(found.hits).toBe(expected.reduce((sum, [, hits]) => sum + hits.length, 0));
  expect([found.isCapped, found.lost, found.cutWords]).toEqual([false, [], []]);
  const all = await found.window(0, found.hits);
  if ("lost" in all) throw new Error(`lost ${all.lost}`);
  const firstHits = all.map((own) => ({ ...own, ranges: own.ranges.slice(0, 2) }));
  for (const [start, count] of [
    [0, found.pages],
    [1, 2],
  ] as const) {
    const shown = await found.pageWindow(start, count, 2);
    if ("lost" in shown) throw new Error(`lost ${shown.lost}`);
    const bare = (hits: readonly PageHits[]) => hits.map(({ page, start, ranges }) => [page, start, ranges]);
    expect(bare(shown)).toEqual(bare(firstHits.slice(start, start + count)));
  }
  for (const { page, ranges, query } of all) {
    const { text } = pages.find(({ key }) => key === page)!;
    const hits = matchPage(text, query);
    expect(hits.map((hit) => hit.words)).toEqual(ranges);
    // Any of them, with all that is shown of them, are found without the rest of the page.
    for (const [start, end] of [
      [0, ranges.length],
      [1, ranges.length],
      [0, 1],
      [ranges.length - 1, ranges.length],
    ] as const)
      expect(matchHits(text, { query, start, ranges: ranges.slice(start, end) })).toEqual(
        hits.slice(start, end),
      );
  }
}

describe("a search of segments", () => {
  it("finds what a walk over all pages finds, in one segment and in the order of the pages", async () => {
    await fc.assert(
      fc.asyncProperty(pages, queries, async (texts, asked) => {
        const blocks = blocksInMemory();
        const all = keyed(texts);
        await buildSegment(blocks, all, { name: "one", className: "public" });
        for (const clauses of asked) await compare(new OpenSegments(blocks, 1e6), ["one"], all, clauses);
      }),
      { numRuns: 60 },
    );
  });

  it("finds the same in several segments, and after merges that leave out pages", async () => {
    const plans = fc.record({
      owners: fc.array(fc.nat(2), { minLength: 12, maxLength: 12 }),
      removed: fc.uniqueArray(fc.nat(11), { maxLength: 3 }),
      occurrences: fc.constantFrom(1, 20, 1_000_000),
    });
    await fc.assert(
      fc.asyncProperty(pages, queries, plans, async (texts, asked, { owners, removed, occurrences }) => {
        const blocks = blocksInMemory();
        const all = keyed(texts);
        const bounds = { occurrences, terms: 1000 };
        const names = ["a", "b", "c"];
        for (const [owner, name] of names.entries()) {
          const own = all.filter((_, index) => owners[index] === owner);
          await buildSegment(blocks, own, { name, className: "public", bounds });
        }
        const segments = new OpenSegments(blocks, 1e6);
        for (const clauses of asked) await compare(segments, names, all, clauses);
        const keys = new Set(removed.flatMap((index) => all[index]?.key ?? []));
        await mergeSegments(blocks, "merged", names, keys);
        const left = all.filter(({ key }) => !keys.has(key));
        for (const clauses of asked) await compare(segments, ["merged"], left, clauses);
      }),
      { numRuns: 40 },
    );
  });
});
