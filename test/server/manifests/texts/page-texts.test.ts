// The reader of the text of pages: each version of a file is read once, by all servers that share a slot.

import { expect, test } from "vitest";
import { createPageTexts } from "../../../../src/server/manifests/texts/page-texts.ts";
import type { TextFile } from "../../../../src/server/manifests/texts/text-files.ts";
import type { Source } from "../../../../src/server/sources/source.ts";
import { slotInMemory } from "./slot.ts";

/** A source of texts by name, of which `read` names those that were read. */
function sourceOf(texts: Record<string, string>) {
  const read: string[] = [];
  const source = {
    name: "a",
    fingerprint: "a",
    async open(key: string) {
      const text = texts[key];
      if (text === undefined) return undefined;
      const bytes = new TextEncoder().encode(text);
      return {
        validator: text,
        bytes: {
          size: bytes.length,
          async read(offset: number, length: number) {
            read.push(key);
            return bytes.slice(offset, offset + length);
          },
        },
        close: async () => {},
      };
    },
  } as unknown as Source;
  const file = (name: string): TextFile => ({
    location: { source, key: name },
    name,
    page: 0,
    form: "plain",
    isShared: false,
  });
  return { texts, read, file };
}

const wordsOf = (page: Awaited<ReturnType<ReturnType<typeof createPageTexts>["read"]>>) =>
  page?.lines.flatMap(({ words }) => words.map(({ text }) => text));

test("another server reads what the first one has read from the slot", async () => {
  const slot = slotInMemory();
  const { read, file, texts } = sourceOf({ "1.txt": "one two" });
  expect(wordsOf(await createPageTexts({}, slot).read([file("1.txt")]))).toEqual(["one", "two"]);
  expect(read).toEqual(["1.txt"]);
  const second = createPageTexts({}, slot);
  expect(wordsOf(await second.read([file("1.txt")]))).toEqual(["one", "two"]);
  expect(read).toEqual(["1.txt"]);
  texts["1.txt"] = "three";
  expect(wordsOf(await second.read([file("1.txt")]))).toEqual(["three"]);
  expect(read).toEqual(["1.txt", "1.txt"]);
});

test("a file is read again if its entry in the slot is lost or damaged", async () => {
  const slot = slotInMemory();
  const { read, file } = sourceOf({ "1.txt": "one two" });
  await createPageTexts({}, slot).read([file("1.txt")]);
  const [[key, whole]] = [...slot.values] as [[string, Uint8Array]];
  for (const value of [undefined, whole.slice(0, -1), new Uint8Array([9, 9, 9])]) {
    if (value) slot.values.set(key, value);
    else slot.values.delete(key);
    read.length = 0;
    expect(wordsOf(await createPageTexts({}, slot).read([file("1.txt")]))).toEqual(["one", "two"]);
    expect(read).toEqual(["1.txt"]);
    expect(slot.values.get(key)).toEqual(whole);
  }
});
