// The index of words over a slot that servers share: what is built, once, and again if the slot loses it.

import { expect, test } from "vitest";
import type { PageRecord } from "../../../../src/server/manifests/texts/page-texts.ts";
import type { TextFile } from "../../../../src/server/manifests/texts/text-files.ts";
import {
  type OrLost,
  TextIndex,
  type TextIndexParts,
  type TextPage,
} from "../../../../src/server/manifests/texts/text-index.ts";
import type { Source } from "../../../../src/server/sources/source.ts";
import { parseQuery, search } from "../../../../src/text/index.ts";
import { encodePage } from "../../../../src/text/record/page-record.ts";
import { deferred } from "../../../deferred.ts";
import { pageOf } from "../../../text/index/pages.ts";
import { slotInMemory } from "./slot.ts";

/** Files by name with their words; each reading of one is counted. */
function textsOf(words: Record<string, string>) {
  const read: string[] = [];
  const versions = new Map<string, string>();
  const readRecord = async (files: readonly TextFile[]): Promise<PageRecord> => {
    const [{ name }] = files as [TextFile];
    read.push(name);
    return { record: encodePage(pageOf(words[name]!)), validators: [versions.get(name) ?? "1"] };
  };
  const versionOf = async ({ name }: TextFile) => versions.get(name) ?? "1";
  return { words, read, versions, readRecord, versionOf, maxBytes: 1000 };
}

const nowhere = { name: "a", fingerprint: "filesystem /a" } as Source;

const page = (number: number, name: string, { accessClass = "public", validator = "1" } = {}): TextPage => ({
  key: String(number).padStart(7, "0"),
  accessClass,
  files: [
    { location: { source: nowhere, key: name }, name, validator, page: 0, form: "xml", isShared: false },
  ],
});

/** Keys of the pages that have a word. */
async function pagesWith(index: TextIndex, pages: readonly TextPage[], word: string) {
  return index.runOver(pages, async (names): Promise<OrLost<readonly string[]>> => {
    const found = await search(
      index.segments,
      names.map((name) => ({ name })),
      parseQuery(word),
    );
    if (found.lost.length > 0) return found;
    const hits = await found.window(0, 100);
    return "lost" in hits ? { lost: [hits.lost] } : { found: hits.map(({ page }) => page) };
  });
}

const indexOf = (parts: Pick<TextIndexParts, "slot" | "texts"> & Partial<TextIndexParts>) =>
  new TextIndex(parts);

test("a second server finds what the first one has built, and reads no file", async () => {
  const slot = slotInMemory();
  const [first, second] = [textsOf({ a: "one two" }), textsOf({})];
  const pages = [page(0, "a")];
  expect(await pagesWith(indexOf({ slot, texts: first }), pages, "two")).toEqual(["0000000"]);
  const stored = new Map(slot.values);
  expect(await pagesWith(indexOf({ slot, texts: second }), pages, "two")).toEqual(["0000000"]);
  expect([first.read, second.read]).toEqual([["a"], []]);
  expect(slot.values).toEqual(stored);
});

test("two servers write the same bytes under the same names", async () => {
  const [one, other] = [slotInMemory(), slotInMemory()];
  const words = { a: "one two three", b: "four one" };
  const pages = [page(0, "a"), page(1, "b", { accessClass: "staff" })];
  await pagesWith(indexOf({ slot: one, texts: textsOf(words) }), pages, "one");
  await pagesWith(indexOf({ slot: other, texts: textsOf(words) }), pages.toReversed(), "four");
  expect(one.values.size).toBeGreaterThan(1);
  expect(one.values).toEqual(other.values);
});

test("simultaneous searches build once", async () => {
  const texts = textsOf({ a: "one" });
  const index = indexOf({ slot: slotInMemory(), texts });
  const found = await Promise.all([1, 2, 3].map(() => pagesWith(index, [page(0, "a")], "one")));
  expect(found).toEqual([["0000000"], ["0000000"], ["0000000"]]);
  expect(texts.read).toEqual(["a"]);
});

test("any lost or damaged block is built again", async () => {
  const slot = slotInMemory();
  // Enough different words for blocks next to the head.
  const words = Array.from({ length: 12_000 }, (_, at) => `word${at % 6000}`).join(" ");
  const pages = [page(0, "a")];
  await pagesWith(indexOf({ slot, texts: textsOf({ a: words }) }), pages, "word5999");
  const stored = new Map(slot.values);
  expect(stored.size).toBeGreaterThan(1);
  for (const key of stored.keys())
    for (const change of [
      () => slot.values.delete(key),
      () => slot.values.set(key, new Uint8Array([1, 2, 3])),
    ]) {
      change();
      const texts = textsOf({ a: words });
      expect(await pagesWith(indexOf({ slot, texts }), pages, "word5999")).toEqual(["0000000"]);
      // A search reads a part of the blocks alone.
      if (texts.read.length > 0) expect(slot.values).toEqual(stored);
      for (const [name, value] of stored) slot.values.set(name, value);
    }
});

test("pages of another class, version or position are in another segment", async () => {
  const slot = slotInMemory();
  const texts = textsOf({ a: "one", b: "two" });
  const index = indexOf({ slot, texts });
  const mixed = [page(0, "a"), page(1, "b", { accessClass: "staff" })];
  expect(await pagesWith(index, mixed, "two")).toEqual(["0000001"]);
  expect(await pagesWith(index, mixed.slice(0, 1), "two")).toEqual([]);
  expect(texts.read.toSorted()).toEqual(["a", "b"]);
  texts.words.a = "three";
  texts.versions.set("a", "2");
  expect(await pagesWith(index, [page(0, "a", { validator: "2" })], "three")).toEqual(["0000000"]);
  expect(await pagesWith(index, [page(5, "a", { validator: "2" })], "three")).toEqual(["0000005"]);
});

test("a file that has changed since its listing is found as it is, and not stored as what was listed", async () => {
  const slot = slotInMemory();
  const texts = textsOf({ a: "new" });
  texts.versions.set("a", "2");
  expect(await pagesWith(indexOf({ slot, texts }), [page(0, "a", { validator: "1" })], "new")).toEqual([
    "0000000",
  ]);
  const older = textsOf({ a: "old" });
  const index = indexOf({ slot, texts: older });
  expect(await pagesWith(index, [page(0, "a", { validator: "1" })], "new")).toEqual([]);
  expect(await pagesWith(index, [page(0, "a", { validator: "2" })], "new")).toEqual(["0000000"]);
  expect(older.read).toEqual(["a"]);
});

test("a search that waits too long gets an error that asks to repeat it, and the repetition finds what was built", async () => {
  const texts = textsOf({ a: "one", b: "one" });
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const readRecord = async (files: readonly TextFile[]) => {
    await waiting;
    return texts.readRecord(files);
  };
  const slot = slotInMemory();
  const pages = [page(0, "a"), page(1, "b", { accessClass: "staff" })];
  const late = indexOf({ slot, texts: { ...texts, readRecord }, waitMs: 1 });
  await expect(pagesWith(late, pages, "one")).rejects.toMatchObject({
    kind: "busy",
    code: "being_indexed",
    retryAfter: 10,
  });
  release();
  await expect.poll(() => texts.read).toEqual(["a", "b"]);
  await expect.poll(() => slot.values.size).toBe(2);
  const found = await pagesWith(indexOf({ slot, texts: textsOf({}) }), pages, "one");
  expect(found).toEqual(["0000000", "0000001"]);
});

test("a search whose reader has left ends, but not the building that it has begun", async () => {
  const texts = textsOf({ a: "one" });
  const held = deferred();
  const slot = slotInMemory();
  const readRecord = async (files: readonly TextFile[]) => {
    await held.promise;
    return texts.readRecord(files);
  };
  const index = indexOf({ slot, texts: { ...texts, readRecord } });
  const leaving = new AbortController();
  let ran = false;
  const task = async (): Promise<OrLost<boolean>> => ({ found: (ran = true) });
  const result = index.runOver([page(0, "a")], task, leaving.signal);
  leaving.abort();
  await expect(result).rejects.toMatchObject({ kind: "cancelled" });
  held.resolve();
  await expect.poll(() => slot.values.size).toBe(1);
  expect(ran).toBe(false);
  await expect(index.runOver([page(0, "a")], task, leaving.signal)).rejects.toMatchObject({
    kind: "cancelled",
  });
});

/** Pages of one word each, whose keys are in their order. */
const pagesFrom = (first: number, end: number, name = "p") =>
  Array.from({ length: end - first }, (_, at) => page(first + at, `${name}${first + at}`));

const wordsOf = (pages: readonly TextPage[]) =>
  Object.fromEntries(pages.map(({ files: [file] }, at) => [file!.name, `usual word${at}`]));

const namesOf = (index: TextIndex, pages: readonly TextPage[]) =>
  index.runOver(pages, async (names): Promise<OrLost<readonly string[]>> => ({ found: names }));

test("a page that is inserted or removed builds the segment again that it is in, and no other", async () => {
  const all = pagesFrom(0, 1001);
  const texts = textsOf(wordsOf(all));
  const index = indexOf({ slot: slotInMemory(), texts });
  const before = await namesOf(index, all.slice(1));
  expect(before.length).toBeGreaterThan(3);
  for (const some of [all, all.filter((_, at) => at !== 500)]) {
    texts.read.length = 0;
    const after = await namesOf(index, some);
    expect(after.filter((name) => !before.includes(name)).length).toBeLessThanOrEqual(2);
    expect(texts.read.length).toBeGreaterThan(0);
    expect(texts.read.length).toBeLessThanOrEqual(480);
  }
});

test("segments have the same names whatever was searched before", async () => {
  const all = pagesFrom(0, 12);
  const used = indexOf({ slot: slotInMemory(), texts: textsOf(wordsOf(all)) });
  for (const end of [10, 12, 10, 11]) {
    const some = all.slice(0, end);
    const fresh = indexOf({ slot: slotInMemory(), texts: textsOf(wordsOf(all)) });
    expect(await namesOf(used, some)).toEqual(await namesOf(fresh, some));
    expect(await pagesWith(used, some, "usual")).toHaveLength(end);
  }
});

test("texts take turns, so that a short one does not wait for all of a long one", async () => {
  const long = pagesFrom(0, 1000);
  const texts = textsOf({ ...wordsOf(long), short: "one" });
  const index = indexOf({ slot: slotInMemory(), texts });
  const all = pagesWith(index, long, "usual");
  await expect.poll(() => texts.read.length).toBeGreaterThan(0);
  expect(await pagesWith(index, [page(0, "short")], "one")).toEqual(["0000000"]);
  expect(texts.read.length).toBeLessThan(1000);
  expect(await all).toHaveLength(100);
});

test("a text may have more segments than texts may wait", async () => {
  const pages = pagesFrom(0, 600).map((one, at) => ({ ...one, accessClass: `class ${at}` }));
  const index = indexOf({ slot: slotInMemory(), texts: textsOf(wordsOf(pages)) });
  expect(await namesOf(index, pages)).toHaveLength(600);
  expect(await pagesWith(index, pages, "word599")).toEqual(["0000599"]);
});

test("a part whose text is too large is divided, and not read again", async () => {
  const pages = pagesFrom(0, 8);
  const texts = textsOf(wordsOf(pages));
  const slot = slotInMemory();
  // Each record has more than 25 bytes.
  const index = indexOf({ slot, texts, maxRecordBytes: 100 });
  expect(await pagesWith(index, pages, "usual")).toHaveLength(8);
  expect((await namesOf(index, pages)).length).toBeGreaterThan(1);
  texts.read.length = 0;
  expect(await pagesWith(index, pages, "word7")).toEqual(["0000007"]);
  expect(texts.read).toEqual([]);
  // One page is never too large.
  const small = indexOf({ slot: slotInMemory(), texts, maxRecordBytes: 1 });
  expect(await namesOf(small, pages)).toHaveLength(8);
});

test("more pages than one segment holds are found in their order", async () => {
  const names = Array.from({ length: 450 }, (_, at) => `p${at}`);
  const texts = textsOf(
    Object.fromEntries(names.map((name, at) => [name, at % 100 === 7 ? "rare" : "usual"])),
  );
  const pages = names.map((name, at) => page(at, name, { accessClass: at % 2 === 0 ? "public" : "staff" }));
  const index = indexOf({ slot: slotInMemory(), texts });
  const found = await pagesWith(index, pages, "rare");
  expect(found.map(Number)).toEqual([7, 107, 207, 307, 407]);
  expect(texts.read).toHaveLength(450);
  await pagesWith(index, pages, "usual");
  expect(texts.read).toHaveLength(450);
});

test("files without a listing are opened for their versions, and indexed once for each", async () => {
  const slot = slotInMemory();
  const texts = textsOf({ a: "one two" });
  const [{ files, ...rest }] = [page(0, "a")];
  const unlisted = [{ ...rest, files: files.map(({ validator: _, ...file }) => file) }];
  expect(await pagesWith(indexOf({ slot, texts }), unlisted, "two")).toEqual(["0000000"]);
  expect(await pagesWith(indexOf({ slot, texts }), unlisted, "one")).toEqual(["0000000"]);
  expect(texts.read).toEqual(["a"]);
  texts.versions.set("a", "2");
  texts.words.a = "three";
  expect(await pagesWith(indexOf({ slot, texts }), unlisted, "three")).toEqual(["0000000"]);
});

test("a server that reads larger files does not take what another one has left out", async () => {
  const slot = slotInMemory();
  const small = { ...textsOf({}), maxBytes: 10, readRecord: async () => ({ validators: ["1"] }) };
  const pages = [page(0, "a")];
  expect(await pagesWith(indexOf({ slot, texts: small }), pages, "two")).toEqual([]);
  const large = { ...textsOf({ a: "one two" }), maxBytes: 1000 };
  expect(await pagesWith(indexOf({ slot, texts: large }), pages, "two")).toEqual(["0000000"]);
});
