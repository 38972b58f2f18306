// Boxes as files give them: numbers of any form, polygons, boxes of lines that are shared out among words.

import type { Box } from "../page-text.ts";

/** Left, top, right and bottom in units of the page, not rounded, perhaps outside the page. */
export type Edges = readonly [left: number, top: number, right: number, bottom: number];

/** The greatest coordinate; a greater one is damage. */
const maxCoordinate = 2 ** 31 - 1;

/** Returns the number that a value begins with, such as 1.6478 of `1.6478e`; undefined if there is none. */
export function numberOf(value: string | undefined): number | undefined {
  const number = Number.parseFloat(value ?? "");
  return Math.abs(number) <= maxCoordinate ? number : undefined;
}

/** Returns a length in whole units, and 0 for none. */
export const lengthOf = (value: string | undefined): number => Math.max(0, Math.round(numberOf(value) ?? 0));

/** Returns the edges of a box by position and size; undefined if a value is missing. */
export function edgesOfBox(
  left: string | undefined,
  top: string | undefined,
  width: string | undefined,
  height: string | undefined,
): Edges | undefined {
  const [x, y, w, h] = [numberOf(left), numberOf(top), numberOf(width), numberOf(height)];
  if (x === undefined || y === undefined || w === undefined || h === undefined) return undefined;
  return w > 0 && h > 0 ? [x, y, x + w, y + h] : undefined;
}

/** Returns the bounding box of points written as `x,y x,y` or `x y x y`; undefined for fewer than two. */
export function edgesOfPoints(points: string | undefined): Edges | undefined {
  let edges: Edges | undefined;
  const numbers = points?.trim().split(/[\s,]+/) ?? [];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [x, y] = [numberOf(numbers[at]), numberOf(numbers[at + 1])];
    if (x !== undefined && y !== undefined) edges = unionOf(edges, [x, y, x, y]);
  }
  return edges && edges[2] > edges[0] && edges[3] > edges[1] ? edges : undefined;
}

/** Returns the smallest box around both. */
export function unionOf<T extends Edges | undefined>(first: Edges | undefined, second: T): Edges | T {
  if (!first) return second;
  if (!second) return first;
  return [
    Math.min(first[0], second[0]),
    Math.min(first[1], second[1]),
    Math.max(first[2], second[2]),
    Math.max(first[3], second[3]),
  ];
}

/**
 * Returns the box in whole units, inside a page of that size; a size of 0 is unknown. Undefined if nothing of
 * it lies on the page.
 */
export function boxOf(edges: Edges | undefined, width: number, height: number): Box | undefined {
  if (!edges) return undefined;
  const inside = (value: number, size: number) =>
    Math.min(Math.max(Math.round(value), 0), size || maxCoordinate);
  const [left, right] = [inside(edges[0], width), inside(edges[2], width)];
  const [top, bottom] = [inside(edges[1], height), inside(edges[3], height)];
  return right > left && bottom > top ? [left, top, right - left, bottom - top] : undefined;
}

const rightToLeft = /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;

/**
 * Shares out the box of a line among its words by their length, each with a space after it: from the left,
 * from the right if the text begins in a script that is written so, from the top if the box stands upright.
 */
export function shareOut([left, top, right, bottom]: Edges, words: readonly string[]): Edges[] {
  const total = words.reduce((sum, word) => sum + word.length + 1, -1);
  const isUpright = total > 2 && bottom - top > 2 * (right - left);
  const isFromRight = !isUpright && rightToLeft.test(words[0] ?? "");
  let start = 0;
  return words.map((word) => {
    const [from, to] = [start / total, (start + word.length) / total];
    start += word.length + 1;
    if (isUpright) return [left, top + from * (bottom - top), right, top + to * (bottom - top)];
    const [a, b] = isFromRight ? [1 - to, 1 - from] : [from, to];
    return [left + a * (right - left), top, left + b * (right - left), bottom];
  });
}
