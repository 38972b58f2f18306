// Files that ask for more work than their size is worth: they are refused before any of it is done.

import { expect, test } from "vitest";
import { u16 } from "./files.ts";
import { decode, header, segment, tilePart } from "./without-blocks.ts";

test("a picture of packets without code-blocks is gray", async () => {
  const { data } = await decode([header({ side: 64, layers: 2, precinct: 5 }), tilePart(8)]);
  expect(new Set(data)).toEqual(new Set([128]));
});

test.each([
  ["precincts", header({ side: 370, layers: 1, precinct: 0 }), tilePart(370 * 370)],
  ["packets", header({ side: 128, layers: 130, precinct: 0 }), tilePart(128 * 128 * 130)],
])("more %s in a tile than it may have", async (_, ...file) => {
  await expect(decode(file)).rejects.toMatchObject({
    kind: "unsupported",
    message: expect.stringMatching(/^Expected at most 131072 precincts and 2097152 packets/),
  });
});

const change = (endLayer: number) => [0, 0, ...u16(endLayer), 1, 1, 0];
const changes = (count: number) => segment(0xff5f, new Array(count).fill(change(1)).flat());

test("32 changes of progression are read, 33 are refused, in one segment or in several", async () => {
  const file = (...segments: readonly (readonly number[])[]) =>
    decode([header({ side: 64, layers: 1, precinct: 5, more: segments.flat() }), tilePart(4)]);
  await expect(file(changes(32))).resolves.toMatchObject({ width: 64 });
  for (const segments of [[changes(33)], [changes(32), changes(1)]])
    await expect(file(...segments)).rejects.toMatchObject({
      kind: "decode",
      message: expect.stringContaining("at most 32 changes of progression, received 33"),
    });
});

test("255 tile-parts of a tile are read, 256 are refused", async () => {
  const file = (count: number) =>
    decode([
      header({ side: 64, layers: 1, precinct: 5 }),
      ...Array.from({ length: count - 1 }, () => tilePart(0)),
      tilePart(4),
    ]);
  await expect(file(255)).resolves.toMatchObject({ width: 64 });
  await expect(file(256)).rejects.toMatchObject({
    kind: "decode",
    message: expect.stringContaining("at most 255 tile-parts of a tile"),
  });
});
