// @module-tag slow
// JPEG 2000 files that store, or announce, many small things: tiles, precincts, code-blocks, layers.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../src/imaging/codecs/index.ts";
import { testHost } from "../host.ts";
import { compressRaw, encodeCodestream, u16, u32 } from "../imaging/codecs/jp2/files.ts";
import { hasOpenJpegTools, opjDecompress } from "../imaging/codecs/jp2/openjpeg.ts";
import { costOf } from "./cost.ts";

const codec = createCodecs(testHost).decoder("jp2");

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Reads a part of a file, or all of it, at a scale. */
async function read(file: Uint8Array, part?: Part, scaleFactor = 1) {
  const bytes = memoryBytes(file);
  const header = await codec.probe(bytes, 1);
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(bytes, { header, page: 1, region, scaleFactor });
}

/** Samples of a picture, interleaved. */
const samples = (width: number, height: number, bands: number) =>
  Array.from({ length: width * height * bands }, (_, i) => {
    const pixel = Math.floor(i / bands);
    return (3 * (pixel % width) + 2 * Math.floor(pixel / width) + ((i * 7919) % 41)) & 255;
  });

test("tiles of 33 by 33 pixels cost little more than their samples", async () => {
  const [side, bands] = [660, 3];
  const file = await encodeCodestream({
    ...{ width: side, height: side, bands, bits: 8, values: samples(side, side, bands) },
    highThroughput: true,
    tile: { width: 33, height: 33 },
  });
  await read(file); // compiles
  const costs: number[] = [];
  for (let n = 0; n < 3; n++) costs.push((await costOf(() => read(file))).cpuMs);
  // 290 to 390 ms for 400 tiles on a busy machine; it was 730 to 1,000.
  expect(Math.min(...costs)).toBeLessThan(600);
});

describe("small tiles have the samples", () => {
  const [width, height] = [199, 133];
  const tiles = [
    [33, 33],
    [66, 17],
    [7, 31],
    [100, 1],
  ] as const;

  test.each([0, 1, 2, 3, 4, 5])("that were encoded, in HTJ2K with %i levels", async (levels) => {
    // Without levels, the encoder does not write a sample of 0: -128 takes a bit more than it has.
    const values = samples(width, height, 3).map((value) => Math.max(1, value));
    for (const [across, down] of tiles) {
      const file = await encodeCodestream({
        ...{ width, height, bands: 3, bits: 8, values, levels },
        highThroughput: true,
        tile: { width: across, height: down },
      });
      const { data } = await read(file);
      // Line n of all components is line n / 3 of component n mod 3: see encodeCodestream.
      const expected = Uint8Array.from(data, (_, i) => {
        const [c, pixel] = [i % 3, Math.floor(i / 3)];
        const line = c * height + Math.floor(pixel / width);
        return values[(Math.floor(line / 3) * width + (pixel % width)) * 3 + (line % 3)]!;
      });
      expect(Buffer.from(data).equals(expected)).toBe(true);
    }
  });

  /** The samples that opj_decompress reads, interleaved. */
  function decompressed(file: Uint8Array, bands: number): Uint8Array {
    const planes = opjDecompress(file, [], { to: "raw" });
    return planes.map((_, i) => planes[(i % bands) * width * height + Math.floor(i / bands)]!);
  }

  // At 199 pixels, the last tile of 33 and of 66 is one pixel wide. opj_compress writes other samples for it
  // from 4 levels on, and odd ones, for which the standard has no rule: they are halved as OpenJPEG does.
  const edgeTiles = [
    [33, 33],
    [66, 33],
  ] as const;
  // It ends with an error for irreversible tiles of one pixel.
  const wholeTiles = [
    [32, 32],
    [64, 64],
  ] as const;
  const kinds = [true, false].flatMap((irreversible) =>
    [0, 2, 5].flatMap((levels) =>
      [true, false].map((highThroughput) => ({ irreversible, levels, highThroughput })),
    ),
  );
  test.skipIf(!hasOpenJpegTools).each(kinds)(
    "that OpenJPEG decodes: $levels levels, high throughput $highThroughput, irreversible $irreversible",
    async ({ irreversible, levels, highThroughput }) => {
      const picture = { width, height, bands: 3, bits: 8, values: samples(width, height, 3) };
      for (const [across, down] of highThroughput ? tiles : irreversible ? wholeTiles : edgeTiles) {
        const options = ["-n", `${levels + 1}`, "-t", `${across},${down}`, ...(irreversible ? ["-I"] : [])];
        const tile = { width: across, height: down };
        const file = highThroughput
          ? await encodeCodestream({ ...picture, highThroughput, levels, irreversible, tile })
          : compressRaw(picture, options);
        const [{ data }, expected] = [await read(file), decompressed(file, 3)];
        expect(data.length).toBe(expected.length);
        const most = expected.reduce((max, value, i) => Math.max(max, Math.abs(value - data[i]!)), 0);
        // Sums of floating-point numbers depend on their order.
        expect(most).toBeLessThanOrEqual(irreversible ? 1 : 0);
      }
    },
  );
});

const segment = (kind: number, body: readonly number[]) => [0xff, kind, ...u16(body.length + 2), ...body];

interface Coded {
  readonly side: number;
  readonly tile?: number;
  readonly levels?: number;
  readonly layers?: number;
  /** Exponent of the sides of code-blocks, from 2. */
  readonly block?: number;
  /** Exponent of the sides of precincts; the largest if absent. */
  readonly precinct?: number;
  /** The data of each tile. */
  readonly data: readonly number[] | Uint8Array;
}

/** A gray codestream of the given packets (ITU-T T.800 Annex A). */
function codestream({ side, tile = side, levels = 0, layers = 1, block = 6, precinct, data }: Coded) {
  const sizes = [side, side, 0, 0, tile, tile, 0, 0].flatMap(u32);
  const precincts = precinct === undefined ? [] : new Array(levels + 1).fill(17 * precinct);
  const coding = [Number(precinct !== undefined), 0, ...u16(layers), 0, levels, block - 2, block - 2, 0, 1];
  const across = Math.ceil(side / tile);
  const parts = Array.from({ length: across * across }, (_, index) => [
    Uint8Array.from([0xff, 0x90, 0, 10, ...u16(index), ...u32(14 + data.length), 0, 1, 0xff, 0x93]),
    Uint8Array.from(data),
  ]).flat();
  const main = [
    ...[0xff, 0x4f],
    ...segment(0x51, [0, 0, ...sizes, 0, 1, 7, 1, 1]),
    ...segment(0x52, [...coding, ...precincts]),
    ...segment(0x5c, [0x40, ...new Array(3 * levels + 1).fill(8 << 3)]),
  ];
  return new Uint8Array(Buffer.concat([Uint8Array.from(main), ...parts, Uint8Array.of(0xff, 0xd9)]));
}

/** A packet without data, and one that begins with the given bits. */
const empty = 0x00;
const corner = { x: 30_000, y: 30_000, width: 512, height: 512 };
const gray = new Set([128]);

describe("a file of a few bytes that announces", () => {
  test.each([
    ["60 million code-blocks of 4 by 4 samples", { side: 31_000, block: 2, data: [empty] }],
    ["the same at six resolutions", { side: 31_000, block: 2, levels: 5, data: new Array(6).fill(empty) }],
  ])("%s without data is gray, and costs its region", async (_, coded) => {
    const { result, cpuMs, peakMiB } = await costOf(() => read(codestream(coded), corner));
    expect(new Set(result.data)).toEqual(gray);
    expect(cpuMs).toBeLessThan(600);
    expect(peakMiB).toBeLessThan(150);
  });

  test("60 million code-blocks with data is refused", async () => {
    const file = codestream({ side: 31_000, block: 2, data: [0xff, 0x7f, 0xff, 0x7f] });
    await expect(read(file, corner)).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringMatching(/at most 1048576 code-blocks .* received one of 60062500; convert/),
    });
  });

  test("packets that exclude a million code-blocks by one bit each costs one step for each packet", async () => {
    // A bit for "not empty", and one for the root of the tag tree: no block before the next layer.
    const layers = 60_000;
    const file = codestream({ side: 4096, block: 2, layers, data: new Uint8Array(layers).fill(0x80) });
    const { result, cpuMs } = await costOf(() => read(file, { x: 0, y: 0, width: 64, height: 64 }));
    expect(new Set(result.data)).toEqual(gray);
    expect(cpuMs).toBeLessThan(1500);
  });

  test("packets that go through a million code-blocks for a few bits each is refused", async () => {
    // The first packet includes the first block, so the others are looked at again in each of the layers.
    const packet = [0xff, 0x7f, 0xff, 0x00, 0x80, 0x00];
    const layers = 20_000;
    const data = new Uint8Array(6 * layers).map((_, i) => packet[i % 6]!);
    const file = codestream({ side: 4096, block: 2, layers, data });
    const { cpuMs } = await costOf(() => expect(read(file, corner)).rejects.toThrow());
    expect(cpuMs).toBeLessThan(1500);
  });
});

describe("a megabyte of", () => {
  test.each([
    ["tiles without data", { side: 5000, tile: 25, levels: 1, data: [empty, empty] }],
    ["tiles of a pixel", { side: 200, tile: 1, data: [empty] }],
  ])("%s is gray", async (_, coded) => {
    const { result, cpuMs, peakMiB } = await costOf(() => read(codestream(coded)));
    expect(new Set(result.data)).toEqual(gray);
    // 40,000 tiles: 3 to 4 s on a busy machine; they took 15 and 20, and 420 and 870 MiB.
    expect(cpuMs).toBeLessThan(12_000);
    expect(peakMiB).toBeLessThan(400);
  });
});
