// Zstandard in TIFF: what libtiff and the reference encoder write.

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../../host.ts";
import { reference } from "../../reference.ts";
import { type Field, plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");
const hasZstd = spawnSync("zstd", ["--version"]).status === 0;
const compress = (data: Uint8Array) =>
  new Uint8Array(spawnSync("zstd", ["-q", "-c", "-5"], { input: data, maxBuffer: 1 << 27 }).stdout);

async function decode(data: Uint8Array, y = 0) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y, width: header.width, height: header.height - y };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

it("reads the strips that libtiff writes, with differences between pixels, from any row on", async () => {
  const { data: expected } = await reference(fixture("base.png"));
  const file = fixture("tif-zstd.tif");
  expect(Buffer.compare((await decode(file)).data as Uint8Array, expected as Uint8Array)).toBe(0);
  const lower = (await decode(file, 333)).data as Uint8Array;
  expect(Buffer.compare(lower, expected.subarray(333 * 600 * 3) as Uint8Array)).toBe(0);
});

describe.skipIf(!hasZstd)("strips and tiles of the reference encoder", () => {
  const fields = (width: number, height: number, samples: number, bits: number, ...more: Field[]) =>
    plainFields(width, height, samples, bits, samples === 1 ? 1 : 2, [259, 3, 50000], ...more);
  const values = new Uint8Array(64 * 64 * 4).map((_, i) => (i * i) >> 7);

  it("are read in tiles of 16-bit samples", async () => {
    const tiling: Field[] = [
      [322, 3, 32],
      [323, 3, 32],
    ];
    const tiles = Array.from({ length: 4 }, (_, i) => values.slice(i * 2048, (i + 1) * 2048));
    const blocks = tiles.map(compress);
    const pixels = await decode(
      tiffFile([{ fields: fields(64, 64, 1, 16, ...tiling), blocks, tiled: true }]),
    );
    const at = (x: number, y: number) => (pixels.data as Uint16Array)[y * 64 + x];
    const stored = (x: number, y: number) =>
      new DataView(tiles[(y >> 5) * 2 + (x >> 5)]!.buffer).getUint16(((y & 31) * 32 + (x & 31)) * 2, true);
    for (let y = 0; y < 64; y += 7) for (let x = 0; x < 64; x += 5) expect(at(x, y)).toBe(stored(x, y));
  });

  it("are read in a plane for each sample", async () => {
    const planes = [0, 1, 2].map((i) => values.slice(i * 4096, (i + 1) * 4096));
    const blocks = planes.map(compress);
    const pixels = await decode(tiffFile([{ fields: fields(64, 64, 3, 8, [284, 3, 2]), blocks }]));
    for (const [band, plane] of planes.entries())
      expect((pixels.data as Uint8Array).filter((_, i) => i % 3 === band)).toEqual(plane);
  });

  it("are damaged if they end early or are something else", async () => {
    const whole = compress(values.subarray(0, 4096));
    for (const block of [
      whole.subarray(0, whole.length - 9),
      compress(values.subarray(0, 4000)),
      values.slice(8, 64),
    ])
      await expect(
        decode(tiffFile([{ fields: fields(64, 64, 1, 8), blocks: [block] }])),
      ).rejects.toMatchObject({ name: "ImagingError", kind: "decode" });
  });
});
