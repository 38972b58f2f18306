// Our own WebAssembly modules keep their instances between masters. Whatever a file contains, its pixels do
// not depend on the master before it, and neither do those of the master after it: nothing is read or
// written outside of what is laid out for a file.
// @module-tag slow

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../host.ts";
import { chunk, ihdr, pngStart } from "../imaging/codecs/png/make-png.ts";
import { seeded } from "../seeded.ts";

type Codecs = ReturnType<typeof createCodecs>;

/** A digest of the pixels of a file, or the message of the error. */
async function outcome(codecs: Codecs, file: Uint8Array): Promise<string> {
  const bytes = memoryBytes(file);
  const codec = codecs.recognise(file.subarray(0, 64))!;
  try {
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: header.width, height: header.height };
    const { data } = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
    const pixels = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return createHash("sha256").update(pixels).digest("hex");
  } catch (error) {
    return String(error);
  }
}

/** A copy with up to eight other bytes somewhere behind the first 1,000. */
function damaged(file: Uint8Array, random: (below: number) => number): Uint8Array {
  const copy = Uint8Array.from(file);
  for (let i = random(8); i >= 0; i--) copy[1000 + random(file.length - 1000)] = random(256);
  return copy;
}

/** A PNG whose rows are random, filters included. */
function randomRows(random: (below: number) => number): Uint8Array {
  const [width, height] = [1 + random(90), 1 + random(90)];
  const row = () => [random(5), ...Array.from({ length: 3 * width }, () => random(256))];
  const rows = Uint8Array.from(Array.from({ length: height }, row).flat());
  const parts = [
    ihdr(width, height, 8, 2),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ];
  return new Uint8Array(Buffer.concat([pngStart, ...parts]));
}

const files = [
  "tif-lzw-pred2.tif",
  "tif-rgba8-lzw.tif",
  "tif-jpeg-ycbcr-tiled.tif",
  "tif-jp2k-tiled.tif",
  "jpg-baseline-420.jpg",
  "jpg-restart.jpg",
  "jp2-reversible.jp2",
  "jp2-irreversible.jp2",
  "htj2k-lossy.j2c",
];
const made: readonly (readonly [string, Uint8Array, (random: (below: number) => number) => Uint8Array])[] = [
  ...files.map((name) => {
    const file = fixture(name);
    return [name, file, (random: (below: number) => number) => damaged(file, random)] as const;
  }),
  ["a PNG of random rows", fixture("png-rgba8.png"), randomRows],
];

describe("files of random damage leave nothing behind, and find nothing of others", () => {
  test.each(made)("%s", async (name, intact, make) => {
    const random = seeded(name.length);
    const used = createCodecs(testHost);
    const usual = await outcome(createCodecs(testHost), intact);
    for (let i = 0; i < 6; i++) {
      const file = make(random);
      const alone = await outcome(createCodecs(testHost), file);
      expect([i, await outcome(used, intact)]).toEqual([i, usual]);
      expect([i, await outcome(used, file)]).toEqual([i, alone]);
    }
    expect(await outcome(used, intact)).toBe(usual);
  });
});
