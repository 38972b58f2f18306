// Searches in the text of a manifest: their order, their queue, and what they say of what they left out.

import { expect, test } from "vitest";
import { readSearchRequest } from "../../../../src/iiif/index.ts";
import type { TextFile } from "../../../../src/server/manifests/texts/text-files.ts";
import { TextIndex } from "../../../../src/server/manifests/texts/text-index.ts";
import { createTextSearch, type ReadText } from "../../../../src/server/manifests/texts/text-search.ts";
import type { Source } from "../../../../src/server/sources/source.ts";
import { encodePage } from "../../../../src/text/record/page-record.ts";
import { deferred } from "../../../deferred.ts";
import { pageOf } from "../../../text/index/pages.ts";
import { slotInMemory } from "./slot.ts";

const nowhere = { name: "a", fingerprint: "filesystem /a" } as Source;
const file = (name: string): TextFile => ({
  ...{ location: { source: nowhere, key: name }, name, validator: "1", page: 0 },
  ...{ form: "xml", isShared: false },
});

/** A search over pages of words by the names of their files, and their text in the order given. */
function searchOf(
  words: Readonly<Record<string, string>>,
  canvasOf?: ReadText["canvasOf"],
  languages: Readonly<Record<string, string>> = {},
) {
  const pageFor = ([{ name } = file("")]: readonly TextFile[]) => {
    const text = words[name];
    const language = languages[name];
    return text === undefined ? undefined : { ...pageOf(text), ...(language && { language }) };
  };
  const index = new TextIndex({
    slot: slotInMemory(),
    texts: {
      maxBytes: 1000,
      versionOf: async () => "1",
      readRecord: async (files) => {
        const page = pageFor(files);
        return { validators: ["1"], ...(page && { record: encodePage(page) }) };
      },
    },
  });
  const text: ReadText = {
    pages: Object.keys(words).map((name) => ({ key: name, accessClass: "public", files: [file(name)] })),
    canvasOf: async (key) => ({ canvas: { id: key, width: 100, height: 100 }, files: [file(key)] }),
    ...(canvasOf && { canvasOf }),
  };
  return { search: createTextSearch(index, { read: async (files) => pageFor(files) }), text };
}

const asked = (q: string) => readSearchRequest(new URLSearchParams({ q }), "search");

test("matches are in the order of the manifest, whatever the names of its images", async () => {
  const { search, text } = searchOf({ "9.jpg": "one", "10.jpg": "two one", "b.jpg": "one", "a.jpg": "one" });
  const { matches } = await search.find(text, asked("one"));
  expect(matches.map(({ canvas }) => canvas.id)).toEqual(["9.jpg", "10.jpg", "b.jpg", "a.jpg"]);
});

test("searches whose readers have left make room in the queue", async () => {
  const held = deferred();
  const canvas = { canvas: { id: "a.jpg", width: 100, height: 100 }, files: [file("a.jpg")] };
  const { search, text } = searchOf({ "a.jpg": "one" }, async () => {
    await held.promise;
    return canvas;
  });
  await search.prepare(text);
  const running = [1, 2].map(() => search.find(text, asked("one")));
  for (let round = 0; round < 2; round++) {
    const leaving = new AbortController();
    const waiting = Array.from({ length: 100 }, () => search.find(text, asked("one"), leaving.signal));
    const outcomes = Promise.all(waiting.map((each) => each.catch(({ kind }) => kind)));
    // They wait as soon as they have found their segments.
    await new Promise((resolve) => setTimeout(resolve));
    leaving.abort();
    expect(new Set(await outcomes)).toEqual(new Set(["cancelled"]));
  }
  const last = search.find(text, asked("one"));
  held.resolve();
  for (const one of [...running, last]) expect((await one).total).toBe(1);
});

test("the matches of a search are bounded, as viewers fetch all of them, and its note says so", async () => {
  const page = new Array<string>(2600).fill("one").join(" ");
  const { search, text } = searchOf({ "a.jpg": page, "b.jpg": page });
  const { total, note } = await search.find(text, asked("one"));
  expect(total).toBe(5000);
  expect(note).toBe("The first 5,000 of 5,200 hits are shown.");
  const last = new URLSearchParams({ q: "one", page: "5" });
  const { matches } = await search.find(text, readSearchRequest(last, "search"));
  expect(matches).toHaveLength(1000);
  expect(matches.at(-1)?.canvas.id).toBe("b.jpg");
  const beyond = search.find(text, readSearchRequest(new URLSearchParams({ q: "one", page: "6" }), "search"));
  await expect(beyond).rejects.toMatchObject({ code: "no_such_page" });
});

test("matches on images that cannot be read are not counted", async () => {
  const canvas = { canvas: { id: "a.jpg", width: 100, height: 100 }, files: [file("a.jpg")] };
  const canvasOf = async (key: string) => (key === "a.jpg" ? canvas : undefined);
  const { search, text } = searchOf({ "a.jpg": "one", "broken.jpg": "one one" }, canvasOf);
  const { total, matches } = await search.find(text, asked("one"));
  expect([total, matches.length]).toEqual([1, 1]);
});

test.each([
  ["one", undefined],
  ["one OR two", "AND, OR and NOT were searched as words: a page has to have all words of a search."],
  ["one -two", "A minus before a word excludes nothing."],
  ["one t*o ?wo", "Only * at the end of a word, outside of quotation marks, stands for letters."],
  ["o*", "A single letter with * was searched as a word."],
])("the note on %s says what was not understood", async (query, expected) => {
  const { search, text } = searchOf({ "a.jpg": "one or two" });
  expect((await search.find(text, asked(query))).note).toBe(expected);
});

test("the note says on how many pages no text could be read", async () => {
  const { search, text } = searchOf({ "a.jpg": "one" });
  const damaged = { key: "b.jpg", accessClass: "public", files: [file("b.jpg")] };
  const { total, note } = await search.find({ ...text, pages: [...text.pages, damaged] }, asked("one"));
  expect([total, note]).toEqual([1, "No text could be read in the files of 1 page."]);
});

/** The texts that a search finds in one page. */
async function foundIn(words: string, language: string | undefined, query: string) {
  const { search, text } = searchOf({ "a.jpg": words }, undefined, language ? { "a.jpg": language } : {});
  return (await search.find(text, asked(query))).matches.map((match) => match.text.exact);
}

// Forms of one word by the documents of the stemmers of Snowball.
test.each([
  ["en", "knack knackeries knacks knave knavish", "knack", ["knack", "knacks"]],
  ["de-Latf", "Kategorie Kater Katers Kathedrale", "Katers", ["Kater", "Katers"]],
  ["fr", "continu continua continuait contourne", "continué", ["continu", "continua", "continuait"]],
  ["es", "chicha chicharrones chico chicos", "chico", ["chico", "chicos"]],
])("forms of a word are found in the language %s of the page", async (language, words, query, expected) => {
  expect(await foundIn(words, language, query)).toEqual(expected);
});

test("forms of a word are not found in quotation marks, nor if nothing says the language", async () => {
  const words = "knack knacks";
  expect(await foundIn(words, "en", '"knacks"')).toEqual(["knacks"]);
  expect(await foundIn(words, undefined, "knacks")).toEqual(["knacks"]);
  // Nobody has a stemmer for it.
  expect(await foundIn(words, "tlh", "knacks")).toEqual(["knacks"]);
});

test("the language of a text is that of the largest number of its pages", async () => {
  const pages = ["1.jpg", "2.jpg", "3.jpg", "4.jpg"];
  const words = Object.fromEntries(pages.map((name) => [name, "knack knacks"]));
  const languages = { "1.jpg": "de", "2.jpg": "en", "4.jpg": "en" };
  const { search, text } = searchOf(words, undefined, languages);
  expect((await search.find(text, asked("knacks"))).total).toBe(8);
});

test.each([
  ["l'ea", [["l'eau", 2]]],
  [
    "une L'E",
    [
      ["une l'eau", 2],
      ["une l'est", 1],
    ],
  ],
  ["vis-à-v", [["vis-à-vis", 1]]],
  ["d'es", []],
])("words of several parts are completed as the pages have them: %s", async (query, expected) => {
  const { search, text } = searchOf({
    "a.jpg": "« l'eau, » eau d'or l'est",
    "b.jpg": "vis-à-vis (L'EAU) etage l-d'eau",
  });
  const terms = await search.complete(text, asked(query));
  expect(terms.map(({ value, total }) => [value, total])).toEqual(expected);
});
