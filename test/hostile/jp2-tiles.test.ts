// JPEG 2000 files that store, or announce, many small things: tiles, precincts, code-blocks, layers.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCodecs } from "../../src/imaging/codecs/index.ts";
import { memoryBytes } from "../../src/imaging/lib/byte-source.ts";
import { testHost } from "../host.ts";
import { encodeCodestream, hasOpenJpegTools, u16, u32 } from "../imaging/codecs/jp2/files.ts";
import { costOf } from "./cost.ts";

const codec = createCodecs(testHost).byFormat("jp2");

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

describe("tiles of 33 by 33 pixels", () => {
  const [side, tile, bands] = [660, 33, 3];
  const values = Array.from({ length: side * side * bands }, (_, i) => {
    const pixel = Math.floor(i / bands);
    return (3 * (pixel % side) + 2 * Math.floor(pixel / side) + ((i * 7919) % 41)) & 255;
  });
  const encoded = () =>
    encodeCodestream({
      ...{ width: side, height: side, bands, bits: 8, values },
      highThroughput: true,
      tile: { width: tile, height: tile },
    });

  test("cost about as much as their samples", async () => {
    const file = await encoded();
    await read(file); // compiles
    const { cpuMs } = await costOf(() => read(file));
    // 0.3 ms for each of 400 tiles on a quiet machine; it was 2.4, and 5 on a busy one.
    expect(cpuMs).toBeLessThan(700);
  });

  test.skipIf(!hasOpenJpegTools)("have the samples that OpenJPEG decodes", async () => {
    const file = await encoded();
    const folder = mkdtempSync(join(tmpdir(), "smalti-tiles-"));
    try {
      writeFileSync(join(folder, "in.j2c"), file);
      execFileSync("opj_decompress", ["-i", join(folder, "in.j2c"), "-o", join(folder, "out.raw")], {
        stdio: "ignore",
      });
      const planes = readFileSync(join(folder, "out.raw"));
      const { data } = await read(file);
      const planar = Uint8Array.from(
        { length: data.length },
        (_, i) => data[(i % (side * side)) * bands + Math.floor(i / (side * side))]!,
      );
      expect(Buffer.from(planar).equals(planes)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
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
    // The first block is included at once, so that the others have to be looked at in each of the layers.
    const packet = [0xff, 0x7f, 0xff, 0x00, 0x80, 0x00];
    const layers = 20_000;
    const data = Uint8Array.from({ length: 6 * layers }, (_, i) => packet[i % 6]!);
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
    // 40,000 tiles: they took 30 s and 2 GB.
    expect(cpuMs).toBeLessThan(6000);
    expect(peakMiB).toBeLessThan(400);
  });
});
