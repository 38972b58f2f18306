// Files that ask for more work than their size is worth: they are refused before any of it is done.

import { expect, test } from "vitest";
import { jp2Codec } from "../../../src/codecs/jp2/codec.ts";
import { memoryBytes } from "../../../src/lib/byte-source.ts";
import { testHost } from "../../host.ts";
import { u16, u32 } from "./files.ts";

const segment = (marker: number, body: readonly number[]) => [
  ...u16(marker),
  ...u16(2 + body.length),
  ...body,
];

/** A gray codestream without resolution levels, up to its first tile-part. */
function header(side: number, layers: number, precinct: number, more: readonly number[] = []): number[] {
  const square = (value: number) => [...u32(value), ...u32(value)];
  return [
    ...u16(0xff4f),
    ...segment(0xff51, [0, 0, ...square(side), ...square(0), ...square(side), ...square(0), 0, 1, 7, 1, 1]),
    ...segment(0xff52, [1, 0, ...u16(layers), 0, 0, 4, 4, 0, 1, (precinct << 4) | precinct]),
    ...segment(0xff5c, [0x40, 0x40]),
    ...more,
  ];
}

/** A tile-part of the first tile with so many bytes of data, all zero: packets without any code-block. */
const tilePart = (length: number) => [
  ...segment(0xff90, [0, 0, ...u32(14 + length), 0, 0]),
  ...u16(0xff93),
  ...new Array<number>(length).fill(0),
];

async function decode(...parts: readonly (readonly number[])[]) {
  const bytes = memoryBytes(Uint8Array.from([...parts.flat(), 0xff, 0xd9]));
  const codec = jp2Codec(testHost);
  const found = await codec.probe(bytes, 1);
  const region = { x: 0, y: 0, width: found.width, height: found.height };
  return codec.decode(bytes, { header: found, page: 1, region, scaleFactor: 1 });
}

test("a picture of packets without code-blocks is gray", async () => {
  const { data } = await decode(header(64, 2, 5), tilePart(8));
  expect(new Set(data)).toEqual(new Set([128]));
});

test.each([
  ["precincts", header(370, 1, 0), tilePart(370 * 370)],
  ["packets", header(128, 130, 0), tilePart(128 * 128 * 130)],
])("more %s in a tile than it may have", async (_, ...file) => {
  await expect(decode(...file)).rejects.toMatchObject({
    kind: "unsupported",
    message: expect.stringMatching(/^Expected at most 131072 precincts and 2097152 packets/),
  });
});

const change = (endLayer: number) => [0, 0, ...u16(endLayer), 1, 1, 0];
const changes = (count: number) => segment(0xff5f, new Array(count).fill(change(1)).flat());

test("32 changes of progression are read, 33 are refused, in one segment or in several", async () => {
  const file = (...segments: readonly (readonly number[])[]) =>
    decode(header(64, 1, 5, segments.flat()), tilePart(4));
  await expect(file(changes(32))).resolves.toMatchObject({ width: 64 });
  for (const segments of [[changes(33)], [changes(32), changes(1)]])
    await expect(file(...segments)).rejects.toMatchObject({
      kind: "decode",
      message: expect.stringContaining("at most 32 changes of progression, received 33"),
    });
});

test("255 tile-parts of a tile are read, 256 are refused", async () => {
  const file = (count: number) =>
    decode(header(64, 1, 5), ...Array.from({ length: count - 1 }, () => tilePart(0)), tilePart(4));
  await expect(file(255)).resolves.toMatchObject({ width: 64 });
  await expect(file(256)).rejects.toMatchObject({
    kind: "decode",
    message: expect.stringContaining("at most 255 tile-parts of a tile"),
  });
});
