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
function searchOf(words: Readonly<Record<string, string>>, canvasOf?: ReadText["canvasOf"]) {
  const pageFor = ([{ name } = file("")]: readonly TextFile[]) => {
    const text = words[name];
    return text === undefined ? undefined : pageOf(text);
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
