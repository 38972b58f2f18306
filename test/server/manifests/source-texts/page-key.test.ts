// Keys of pages in the index of a source: what they contain, and their order.

import { expect, test } from "vitest";
import {
  hasKey,
  keyOfPage,
  keysBelow,
  pageOfKey,
} from "../../../../src/server/manifests/source-texts/page-key.ts";
import fc from "../../../properties.ts";

const name = fc.stringMatching(/^[a-zA-Z0-9 ._éß-]{1,12}$/);
const folder = fc.array(name, { maxLength: 4 }).map((names) => names.join("/"));
const page = fc.record({
  prefix: fc.constantFrom("", "maps/", "v2-"),
  folder,
  name,
  page: fc.option(fc.integer({ min: 1, max: 99_999 }), { nil: undefined }),
});

test("a key contains its page", () => {
  fc.assert(
    fc.property(page, (one) => {
      const { page: number, ...rest } = one;
      expect(pageOfKey(keyOfPage(one))).toEqual(number === undefined ? rest : one);
    }),
  );
});

test("keys order folders before those in them, and numbers by their value", () => {
  const key = (path: string, number?: number) => {
    const at = path.lastIndexOf("/");
    return keyOfPage({
      prefix: "",
      folder: path.slice(0, Math.max(0, at)),
      name: path.slice(at + 1),
      page: number,
    });
  };
  const paths = [
    "1.jpg",
    "a/9.jpg",
    "a/010.jpg",
    "a/b/1.jpg",
    "a 2/1.jpg",
    "a-b/1.jpg",
    "b2/1.jpg",
    "b10/1.jpg",
  ];
  const keys = [...paths.map((path) => key(path)), key("b10/book.tif", 9), key("b10/book.tif", 10)];
  expect(keys.toSorted()).toEqual(keys);
});

test("the keys of a folder are those of its pages and of all below it", () => {
  fc.assert(
    fc.property(page, fc.tuple(folder, fc.constantFrom("", "maps/", "v2-")), (one, [within, prefix]) => {
      const [from, before] = keysBelow({ prefix, folder: within });
      const key = keyOfPage(one);
      const isBelow =
        one.prefix === prefix &&
        (within === "" || one.folder === within || one.folder.startsWith(`${within}/`));
      expect(key >= from && key < before).toBe(isBelow);
    }),
  );
});

test("a name with control characters has no key", () => {
  const plain = { prefix: "", folder: "a", name: "b" };
  expect(hasKey(plain)).toBe(true);
  expect(hasKey({ ...plain, name: "b\u0001" })).toBe(false);
  expect(hasKey({ ...plain, folder: "a\u0000" })).toBe(false);
  expect(hasKey({ ...plain, name: "b".repeat(5000) })).toBe(false);
});
