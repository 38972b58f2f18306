import { beforeAll, describe, expect, it } from "vitest";
import { complete } from "../../../src/text/index/autocomplete.ts";
import { blockKey, headKey } from "../../../src/text/index/block-files.ts";
import { buildSegment, type IndexedPage } from "../../../src/text/index/build.ts";
import { decodeHead } from "../../../src/text/index/head.ts";
import { matchPage } from "../../../src/text/index/match.ts";
import { mergeSegments, removeSegment } from "../../../src/text/index/merge.ts";
import { OpenSegments } from "../../../src/text/index/open-segments.ts";
import { parseQuery } from "../../../src/text/index/query.ts";
import { type Found, type SearchOptions, search } from "../../../src/text/index/search.ts";
import { seeded } from "../../seeded.ts";
import { blocksInMemory, pageOf, pagesOf } from "./pages.ts";

type Memory = ReturnType<typeof blocksInMemory>;

const cacheBytes = 1 << 20;

const build = (blocks: Memory, pages: Iterable<IndexedPage>, name = "one") =>
  buildSegment(blocks, pages, { name, className: "public" });

function find(
  blocks: Memory,
  names: readonly string[],
  query: string,
  options?: SearchOptions,
): Promise<Found> {
  const all = names.map((name) => ({ name }));
  return search(new OpenSegments(blocks, cacheBytes), all, parseQuery(query), options);
}

async function pagesOfFound(found: Found): Promise<string[]> {
  const pages = await found.window(0, found.hits);
  if ("lost" in pages) throw new Error(`lost ${pages.lost}`);
  return pages.map(({ page }) => page);
}

/** Many pages of many words, so that each file of a segment has several blocks. */
function* manyPages(count: number): Generator<IndexedPage> {
  const random = seeded(5);
  for (let page = 0; page < count; page++) {
    const words = Array.from({ length: 60 }, () => {
      const rank = random(100);
      return rank < 40 ? "the" : rank < 60 ? `w${random(50)}` : `x${random(30_000)}-${random(10)}`;
    });
    yield { key: `${"long/".repeat(10)}${String(page).padStart(5, "0")}.tif`, text: pageOf(words.join(" ")) };
  }
}

describe("a segment", () => {
  it("has the same bytes under the same keys whenever it is built", async () => {
    const [one, other] = [blocksInMemory(), blocksInMemory()];
    await build(one, manyPages(150));
    await build(other, manyPages(150));
    expect([...other.values].sort()).toEqual([...one.values].sort());
  });

  it("has the same bytes from runs, of which nothing is left, if spellings are the same", async () => {
    const [one, other] = [blocksInMemory(), blocksInMemory()];
    await build(one, manyPages(150));
    const bounds = { occurrences: 1000, terms: 100_000 };
    await buildSegment(other, manyPages(150), { name: "one", className: "public", bounds });
    expect([...other.values].sort()).toEqual([...one.values].sort());
  });

  it("that is small is one value", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pagesOf(["old king cole"], ["was a merry old soul"]));
    expect([...blocks.values.keys()]).toEqual([headKey("one")]);
  });

  it("that is large has blocks of at most 64 KiB, and is searched as a small one is", async () => {
    const blocks = blocksInMemory();
    const pages = [...manyPages(1500)];
    const info = await build(blocks, pages);
    expect(info).toMatchObject({ name: "one", className: "public", pages: 1500, words: 90_000 });
    expect(Math.max(...[...blocks.values.values()].map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    const head = decodeHead(blocks.values.get(headKey("one"))!);
    for (const [kind, { checksums }] of Object.entries(head.files))
      expect(checksums.length, kind).toBeGreaterThan(kind === "pages" || kind === "words" ? 0 : 1);
    const hasWord = (word: string) => (page: IndexedPage) =>
      page.text.lines.some(({ words }) => words.some(({ text }) => text === word));
    for (const word of ["the", "w17", "w49"]) {
      const found = await find(blocks, ["one"], word);
      expect(found.pages, word).toBe(pages.filter(hasWord(word)).length);
      const both = await find(blocks, ["one"], `${word} w3`);
      expect(both.pages).toBe(pages.filter(hasWord(word)).filter(hasWord("w3")).length);
    }
    const middle = await (await find(blocks, ["one"], "the")).window(20_000, 10);
    expect(middle).toMatchObject([{ segment: "one" }]);
  });

  it("refuses pages out of order, and twice the same", async () => {
    const pages = pagesOf(["a"], ["b"]);
    await expect(build(blocksInMemory(), [pages[1]!, pages[0]!])).rejects.toThrow(RangeError);
    await expect(build(blocksInMemory(), [pages[0]!, pages[0]!])).rejects.toThrow(RangeError);
  });

  it("without pages or words is found to be empty", async () => {
    const blocks = blocksInMemory();
    await build(blocks, []);
    await build(blocks, pagesOf(["— …"], []), "punctuation");
    const found = await find(blocks, ["one", "punctuation"], "king");
    expect([found.pages, found.hits, found.lost]).toEqual([0, 0, []]);
  });

  it("is removed with all its blocks", async () => {
    const blocks = blocksInMemory();
    await build(blocks, manyPages(700));
    expect(blocks.values.size).toBeGreaterThan(5);
    await removeSegment(blocks, "one");
    expect(blocks.values.size).toBe(0);
  });
});

describe("a segment that has lost a block", () => {
  const blocks = blocksInMemory();
  let whole: readonly string[] = [];
  const queries = ["the w3", '"the the"', "w1*", "x123", "w2"];

  const outcomes = async () => {
    const results: string[] = [];
    for (const query of queries) {
      const found = await find(blocks, ["one"], query);
      const window = await found.window(0, 20);
      results.push(JSON.stringify([found.lost, found.pages, found.hits, window]));
    }
    return results;
  };

  beforeAll(async () => {
    await build(blocks, manyPages(700));
    whole = await outcomes();
  });

  it("says so or has the right result, whichever block it is and however it is damaged", async () => {
    const keys = [...blocks.values.keys()];
    expect(keys.length).toBeGreaterThan(6);
    let noticed = 0;
    for (const key of keys) {
      const bytes = blocks.values.get(key)!;
      const changed = bytes.slice();
      changed[bytes.length >> 1]! ^= 1;
      for (const damaged of [undefined, changed, bytes.subarray(0, -1), new Uint8Array()]) {
        if (damaged) blocks.values.set(key, damaged);
        else blocks.values.delete(key);
        const results = await outcomes();
        const isLost = (result: string) => result.includes('["one"]') || result.includes('{"lost":"one"}');
        expect(results.filter((result, index) => !isLost(result) && result !== whole[index])).toEqual([]);
        if (results.some(isLost)) noticed++;
        const merged = await mergeSegments(blocks, "merged", ["one"]);
        expect(merged).toEqual({ lost: "one" });
        await removeSegment(blocks, "merged");
        blocks.values.set(key, bytes);
      }
    }
    expect(noticed).toBeGreaterThan(keys.length);
    expect(await outcomes()).toEqual(whole);
  });

  it("does not hide what other segments have", async () => {
    await build(blocks, pagesOf(["the king"]), "two");
    const found = await find(blocks, ["gone", "two"], "king");
    expect([found.pages, found.lost]).toEqual([1, ["gone"]]);
    expect(await complete(new OpenSegments(blocks, cacheBytes), ["gone", "two"], "ki", 5)).toEqual({
      lost: "gone",
    });
  });

  it("fails as the store fails", async () => {
    const failing = { ...blocks, read: () => Promise.reject(new Error("no connection")) };
    const searching = search(new OpenSegments(failing, cacheBytes), [{ name: "one" }], parseQuery("king"));
    await expect(searching).rejects.toThrow("no connection");
  });
});

describe("bytes of others under the keys of a segment", () => {
  it("are a lost segment or a result, never a failure or a long wait, even with the right checksums", async () => {
    const { crc32 } = await import("../../../src/base/index.ts");
    const blocks = blocksInMemory();
    const pages = Array.from({ length: 40 }, (_, index) => [`the king ${index} well-known naïve 東京 king`]);
    await build(blocks, pagesOf(...pages));
    const head = blocks.values.get(headKey("one"))!;
    const random = seeded(11);
    for (let round = 0; round < 150; round++) {
      const changed = head.slice(0, -4);
      for (let count = 0; count <= random(3); count++) changed[random(changed.length)] = random(256);
      const whole = new Uint8Array(head.length);
      whole.set(changed);
      new DataView(whole.buffer).setUint32(changed.length, crc32(changed), true);
      blocks.values.set(headKey("one"), whole);
      for (const query of ["king", '"the king"', "well* king", "東京"]) {
        const found = await find(blocks, ["one"], query);
        expect(found.pages).toBeLessThanOrEqual(10_000);
        await found.window(0, 100);
      }
      await complete(new OpenSegments(blocks, cacheBytes), ["one"], "k", 10);
      await mergeSegments(blocks, "merged", ["one"]).catch((error) =>
        expect(error).toBeInstanceOf(RangeError),
      );
    }
  });
});

describe("a search", () => {
  const pages = pagesOf(["King of kings"], ["the king, the KING"], ["a queen"], ["kingdom of the King"]);

  it("returns pages in the order of their keys, also of segments whose keys alternate", async () => {
    const blocks = blocksInMemory();
    await build(blocks, [pages[1]!, pages[3]!], "a");
    await build(blocks, [pages[0]!, pages[2]!], "b");
    expect(await pagesOfFound(await find(blocks, ["a", "b"], "king"))).toEqual(["001", "002", "004"]);
  });

  it("says that there are more pages than it counts", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pages);
    const found = await find(blocks, ["one"], "king", { maxPages: 2 });
    expect([found.pages, found.hits, found.isCapped]).toEqual([2, 3, true]);
    const all = await find(blocks, ["one"], "king", { maxPages: 3 });
    expect([all.pages, all.hits, all.isCapped]).toEqual([3, 4, false]);
  });

  it("returns a window that begins and ends within a page", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pages);
    const found = await find(blocks, ["one"], "king");
    const window = await found.window(1, 1);
    expect(window).toMatchObject([{ page: "002", segment: "one", start: 0, ranges: [[1, 1]] }]);
    expect(await found.window(2, 5)).toMatchObject([
      { page: "002", start: 1, ranges: [[3, 3]] },
      { page: "004", start: 0, ranges: [[3, 3]] },
    ]);
    expect(await found.window(4, 5)).toEqual([]);
  });

  it("counts only pages that may be read, and never says that others have more", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pages);
    const many = pagesOf(Array.from({ length: 100 }, (_, index) => `secret${index} hidden`)).map(
      (page) => page,
    );
    await build(blocks, many, "gated");
    const allowed = new Set(["002"]);
    const mayRead = async (key: string) => allowed.has(key);
    const look = (query: string, name: string, options?: SearchOptions) =>
      search(new OpenSegments(blocks, cacheBytes), [{ name, mayRead }], parseQuery(query), options);
    const found = await look("king", "one", { maxPages: 1 });
    expect([found.pages, found.hits, found.isCapped]).toEqual([1, 2, false]);
    const prefix = await look("secret*", "gated");
    expect([prefix.pages, prefix.hits, prefix.isCapped, prefix.cutWords]).toEqual([0, 0, false, []]);
  });

  it("takes fewer terms of each of several prefixes, which share their number", async () => {
    const blocks = blocksInMemory();
    const words = (beginning: string) => Array.from({ length: 40 }, (_, at) => `${beginning}${at}`).join(" ");
    await build(blocks, pagesOf([words("king")], [words("queen")]));
    expect((await find(blocks, ["one"], "king*")).hits).toBe(40);
    const both = await find(blocks, ["one"], "king* queen*");
    expect(both.cutWords).toEqual(["king", "queen"]);
  });

  it("takes the most frequent terms of a prefix, and says that there are more", async () => {
    const blocks = blocksInMemory();
    const rare = Array.from({ length: 70 }, (_, index) => `king${index}`).join(" ");
    await build(blocks, pagesOf([rare], ["kings"], ["kings"], ["kingfisher kingfisher kingfisher"]));
    const found = await find(blocks, ["one"], "king*");
    expect(found.cutWords).toEqual(["king"]);
    expect(found.pages).toBe(4);
    expect(found.hits).toBe(62 + 2 + 3);
    const all = await found.window(0, 100);
    if ("lost" in all) throw new Error(all.lost);
    expect(matchPage(pageOf(rare), all[0]!.query)).toHaveLength(62);
  });

  it("finds forms of a word by their stem, but not of a word in quotation marks", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pages);
    const stem = (word: string) => word.replace(/s$/, "");
    expect((await find(blocks, ["one"], "kings", { stem })).hits).toBe(5);
    expect((await find(blocks, ["one"], '"kings"', { stem })).hits).toBe(1);
    expect((await find(blocks, ["one"], "kings")).hits).toBe(1);
  });

  it("of nothing but punctuation finds nothing", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pages);
    expect(await find(blocks, ["one"], "— *")).toMatchObject({ pages: 0, hits: 0, lost: [] });
  });
});

describe("a merge", () => {
  it("refuses segments of different access classes", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pagesOf(["a"]));
    await buildSegment(blocks, pagesOf(["b"]), { name: "two", className: "staff" });
    await expect(mergeSegments(blocks, "both", ["one", "two"])).rejects.toThrow(RangeError);
  });

  it("takes of two pages with one key that of the last segment", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pagesOf(["old king"], ["same"]), "old");
    await build(blocks, pagesOf(["new king"]), "new");
    await mergeSegments(blocks, "both", ["old", "new"]);
    expect(await pagesOfFound(await find(blocks, ["both"], "new"))).toEqual(["001"]);
    expect((await find(blocks, ["both"], "old")).pages).toBe(0);
    expect((await find(blocks, ["both"], "same")).pages).toBe(1);
  });

  it("has the same bytes as a segment of all pages", async () => {
    const [merged, whole] = [blocksInMemory(), blocksInMemory()];
    const pages = [...manyPages(400)];
    await build(merged, pages.slice(0, 150), "a");
    await build(merged, pages.slice(150, 200), "b");
    await build(merged, pages.slice(200), "c");
    await mergeSegments(merged, "one", ["a", "b", "c"]);
    for (const name of ["a", "b", "c"]) await removeSegment(merged, name);
    await build(whole, pages);
    expect([...merged.values].sort()).toEqual([...whole.values].sort());
  });
});

describe("completion", () => {
  it("has the most frequent words first, in their most frequent spelling", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pagesOf(["König KÖNIG König konig"], ["Könige kind Kind Kind"], ["ein Kö-|nig"]));
    await build(blocks, pagesOf(["könige könige Könige könige könige"]), "two");
    const segments = new OpenSegments(blocks, cacheBytes);
    expect(await complete(segments, ["one", "two"], "der kö", 2)).toEqual({
      completions: [
        { text: "der könige", total: 6 },
        { text: "der König", total: 5 },
      ],
      isCut: true,
    });
    expect(await complete(segments, ["one"], "KI", 5)).toEqual({
      completions: [{ text: "Kind", total: 3 }],
      isCut: false,
    });
  });

  it("of a text that ends with a space or a mark has none", async () => {
    const blocks = blocksInMemory();
    await build(blocks, pagesOf(["king"]));
    for (const text of ["", "king ", "…"])
      expect(await complete(new OpenSegments(blocks, cacheBytes), ["one"], text, 5)).toEqual({
        completions: [],
        isCut: false,
      });
  });
});

describe("the cache of blocks", () => {
  it("is bounded, and reads a block once for all who wait for it", async () => {
    const blocks = blocksInMemory();
    await build(blocks, manyPages(700));
    let reads = 0;
    const counted = { ...blocks, read: (key: string) => blocks.read(key).finally(() => reads++) };
    const segments = new OpenSegments(counted, 200_000);
    const looks = ["the", "w1", "w2", '"the w3"'].map((text) =>
      search(segments, [{ name: "one" }], parseQuery(text)),
    );
    await Promise.all(looks);
    expect(segments.bytes).toBeLessThanOrEqual(200_000);
    const large = new OpenSegments(counted, 1e8);
    await Promise.all([1, 2, 3].map(() => search(large, [{ name: "one" }], parseQuery("w1"))));
    reads = 0;
    await search(large, [{ name: "one" }], parseQuery("w1"));
    expect(reads).toBe(0);
    expect(blockKey("one", "terms", 0)).toMatch(/^words-\d+\.\d+\/one\/terms-0$/);
  });
});
