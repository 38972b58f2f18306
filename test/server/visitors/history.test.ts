// What tells a viewer from a crawler: tiles that follow each other.

import { expect, test } from "vitest";
import { tilesOfLevel } from "../../../src/iiif/image/tiles.ts";
import {
  isEarned,
  isLikeProgram,
  newHistory,
  noteBig,
  noteInformation,
  noteTile,
} from "../../../src/server/visitors/history.ts";

const minute = 60_000;
const image = { width: 6000, height: 4000 };

/** The tiles of a level as they are seen. */
const level = (scale: number) =>
  [...tilesOfLevel(image, 512, scale)].map(({ region }) => ({ ...region, scale }));

test("a network that opens image information and two levels of tiles is taken for a viewer", () => {
  const history = newHistory(0);
  noteInformation(history, "a", 0);
  for (const tile of [...level(16), ...level(8)]) expect(noteTile(history, "a", tile, 1000)).toBe(true);
  expect(isEarned(history, 1000)).toBe(true);
  expect(isEarned(history, 31 * minute)).toBe(false);
});

test("without image information, as behind a cache, neighbours and parents are enough", () => {
  const history = newHistory(0);
  const [whole, ...others] = [...level(16), ...level(8), ...level(4).slice(0, 2)];
  if (!whole) throw new Error("no tile");
  expect(noteTile(history, "a", whole, 0)).toBe(false);
  for (const tile of others) expect(noteTile(history, "a", tile, 0)).toBe(true);
  expect(isEarned(history, 0)).toBe(true);
});

test("tiles of one level alone, or far from each other, earn nothing", () => {
  const grid = newHistory(0);
  noteInformation(grid, "a", 0);
  for (const tile of level(1)) noteTile(grid, "a", tile, 0);
  expect(isEarned(grid, 0)).toBe(false);

  const scattered = newHistory(0);
  const corners = [level(1)[0], level(1).at(-1), level(16)[0], level(1)[0], level(16)[0], level(1).at(-1)];
  for (const tile of corners) if (tile) expect(noteTile(scattered, "a", tile, 0)).toBe(false);
  expect(isEarned(scattered, 0)).toBe(false);
});

test("tiles of an image no longer follow those of more than ten minutes ago", () => {
  const history = newHistory(0);
  const [first, second] = level(4);
  if (!first || !second) throw new Error("no tiles");
  noteTile(history, "a", first, 0);
  expect(noteTile(history, "a", second, 9 * minute)).toBe(true);
  expect(noteTile(history, "a", first, 20 * minute)).toBe(false);
});

test("after sixty images in an hour, a network is no longer taken for a viewer until the next", () => {
  const history = newHistory(0);
  const open = (name: string, at: number) => {
    noteInformation(history, name, at);
    return [...level(16), ...level(8)].every((tile) => noteTile(history, name, tile, at));
  };
  for (let n = 0; n < 60; n++) expect(open(`image ${n}`, n)).toBe(true);
  expect(open("one more", 60)).toBe(false);
  expect(isEarned(history, 60)).toBe(false);
  expect(open("another", 60 * minute)).toBe(true);
  expect(isEarned(history, 60 * minute)).toBe(true);
});

test("a network that asks for large images alone is taken for a program, until it asks for a tile", () => {
  const history = newHistory(0);
  for (let n = 0; n < 4; n++) noteBig(history, n);
  expect(isLikeProgram(history)).toBe(false);
  noteBig(history, 4);
  expect(isLikeProgram(history)).toBe(true);
  const [tile] = level(16);
  if (tile) noteTile(history, "a", tile, 5);
  expect(isLikeProgram(history)).toBe(false);
});

test("what is kept of a network is bounded, however many images it names", () => {
  const history = newHistory(0);
  for (let n = 0; n < 1000; n++) noteInformation(history, `image ${n}`, n);
  expect(history.images).toHaveLength(4);
});
