// The table of contents of a document: a tree of bookmarks (ISO 32000-1, 12.3.3).

import type { ObjectFile } from "./object-file.ts";
import { dictionary, ref, textString } from "./syntax.ts";

export interface OutlineItem {
  readonly title: string;
  /** Index from 0 of its page; absent for a heading without one. */
  readonly page?: number | undefined;
  readonly items: readonly OutlineItem[];
}

/**
 * Yields the objects of a tree with at least one item, the root under its number `root`. `pages`: numbers of
 * the objects of pages by index; items of pages that are not there have no destination.
 */
export function* outlineObjects(
  file: ObjectFile,
  root: number,
  items: readonly OutlineItem[],
  pages: readonly number[],
): Generator<Uint8Array> {
  const write = function* (
    parent: number,
    siblings: readonly OutlineItem[],
  ): Generator<Uint8Array, number[]> {
    const numbers = siblings.map(() => file.reserve());
    for (const [at, { title, page, items: inner }] of siblings.entries()) {
      const own = numbers[at] as number;
      const children: number[] = yield* write(own, inner);
      const target = page === undefined ? undefined : pages[page];
      yield file.object(
        own,
        dictionary({
          Title: textString(title),
          Parent: ref(parent),
          Prev: refOf(numbers[at - 1]),
          Next: refOf(numbers[at + 1]),
          ...rangeOf(children),
          // Negative: closed until a reader opens it.
          ...(children.length > 0 && { Count: String(-children.length) }),
          ...(target !== undefined && { Dest: `[${ref(target)} /Fit]` }),
        }),
      );
    }
    return numbers;
  };
  const first: number[] = yield* write(root, items);
  yield file.object(root, dictionary({ Type: "/Outlines", ...rangeOf(first), Count: String(first.length) }));
}

const refOf = (number: number | undefined) => (number === undefined ? undefined : ref(number));
const rangeOf = (numbers: readonly number[]) => ({ First: refOf(numbers[0]), Last: refOf(numbers.at(-1)) });
