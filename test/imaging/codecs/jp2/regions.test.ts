// Regions by our own decoder: the same samples as the whole picture of another decoder has there
// (opj_decompress), over what opj_compress can write.
// @module-tag slow

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { scaleFactorsOf } from "../../../../src/imaging/codecs/codec.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { testHost } from "../../../host.ts";
import { everything, sampled } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { encodeCodestream } from "./files.ts";
import { hasOpenJpegTools, opjCompress, opjDecompress } from "./openjpeg.ts";

const codec = createCodecs(testHost).decoder("jp2");
/** The picture, the longest side of its regions and how many are read at each lower resolution. */
const { width, height, most, lower } = everything
  ? { width: 410, height: 290, most: 90, lower: 6 }
  : { width: 260, height: 180, most: 60, lower: 4 };

/** Sizes in the larger picture; half of them in the smaller one. */
const sizes = (...each: readonly number[]) =>
  each.map((size) => (everything ? size : Math.ceil(size / 2))).join();

/** Gradients with some noise: every tile differs from every other. */
function picture(): Uint8Array {
  const noise = seeded(7);
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (const value of [(x * 255) / width, (y * 255) / height, ((x + y) * 3) % 256])
        pixels[at++] = Math.min(255, Math.max(0, value + noise(24) - 12));
  return Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]);
}

/** The whole picture at 1/2^level, by opj_decompress. */
function reference(file: Uint8Array, from: "j2k" | "jp2", level: number) {
  const bytes = opjDecompress(file, ["-r", `${level}`], { from });
  const [header = "", across, down] =
    /^P6\s+(?:#.*\s+)?(\d+)\s+(\d+)\s+255\s/.exec(Buffer.from(bytes).toString("latin1", 0, 100)) ?? [];
  return { width: Number(across), height: Number(down), data: bytes.subarray(header.length) };
}

/** The largest difference between a region and the same part of the whole. */
function difference(made: PixelBuffer, whole: ReturnType<typeof reference>, x: number, y: number): number {
  let worst = 0;
  for (let row = 0; row < made.height; row++) {
    const from = ((y + row) * whole.width + x) * 3;
    const to = row * made.width * 3;
    for (let i = 0; i < made.width * 3; i++)
      worst = Math.max(worst, Math.abs(made.data[to + i]! - whole.data[from + i]!));
  }
  return worst;
}

describe.skipIf(!hasOpenJpegTools)("regions of a file are those that another decoder makes", () => {
  const coded = picture();
  /** Names of files and options of opj_compress. */
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ["lossless.j2k", ["-n", "6"]],
    ["lossy.j2k", ["-n", "6", "-r", "20", "-I"]],
    ["boxed.jp2", ["-t", sizes(256, 128), "-n", "4"]],
    ["tiled.j2k", ["-t", sizes(128, 128), "-n", "5"]],
    ["tiled-lossy.j2k", ["-t", sizes(128, 128), "-n", "5", "-r", "20", "-I"]],
    ["one-level.j2k", ["-t", sizes(100, 90), "-n", "2"]],
    ["no-levels.j2k", ["-n", "1"]],
    ["many-levels.j2k", ["-n", "8", "-I", "-r", "12"]],
    ["offset.j2k", ["-t", sizes(128, 128), "-n", "4", "-d", sizes(64, 32)]],
    ["odd-offset.j2k", ["-n", "4", "-d", "17,5"]],
    ["odd-offset-lossy.j2k", ["-n", "4", "-d", "17,5", "-I", "-r", "10"]],
    ["grid.j2k", ["-t", sizes(128, 128), "-n", "3", "-d", "48,40", "-T", "16,32"]],
    ["odd-tiles.j2k", ["-t", sizes(101, 77), "-n", "5", "-I", "-r", "8"]],
    ["parts.j2k", ["-t", sizes(128, 128), "-n", "4", "-p", "RLCP", "-TP", "R"]],
    ["parts-by-layer.j2k", ["-n", "4", "-p", "LRCP", "-TP", "L", "-r", "40,20,10"]],
    ["parts-by-component.j2k", ["-n", "4", "-p", "CPRL", "-TP", "C"]],
    ["plt.j2k", ["-t", sizes(128, 128), "-n", "4", "-p", "RPCL", "-PLT", "-TLM"]],
    ["marked.j2k", ["-t", sizes(128, 128), "-n", "4", "-p", "PCRL", "-SOP", "-EPH"]],
    ["marked-whole.j2k", ["-n", "6", "-p", "RLCP", "-SOP", "-EPH", "-PLT"]],
    ["layers.j2k", ["-t", sizes(192, 192), "-n", "4", "-r", "40,20,10", "-p", "CPRL"]],
    ["lossless-layers.j2k", ["-n", "6", "-r", "40,20,10,1"]],
    ["changes.j2k", ["-n", "5", "-r", "20,10", "-POC", "T1=0,0,1,3,3,CPRL/T1=0,0,2,5,3,RLCP"]],
    ["small-blocks.j2k", ["-n", "5", "-b", "4,4", "-I", "-r", "10"]],
    ["long-blocks.j2k", ["-n", "5", "-b", "64,16"]],
    ["narrow-blocks.j2k", ["-n", "3", "-b", "4,64"]],
    ["guard-bits.j2k", ["-n", "5", "-GuardBits", "4"]],
    ["plain.j2k", ["-n", "5", "-mct", "0"]],
    ["plain-lossy.j2k", ["-n", "5", "-mct", "0", "-I", "-r", "10"]],
    ["region-of-interest.j2k", ["-n", "5", "-ROI", "c=1,U=7"]],
    ["region-of-interest-lossy.j2k", ["-n", "5", "-ROI", "c=0,U=3", "-I", "-r", "6"]],
    ...["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"].flatMap((order) => [
      [`${order}.j2k`, ["-p", order, "-n", "5", "-c", "[64,64],[32,64],[128,16]", "-r", "30,15"]] as const,
      [
        `${order}-tiled.j2k`,
        ["-p", order, "-n", "4", "-t", sizes(300, 200), "-c", "[64,64]", "-I", "-r", "30,15"],
      ] as const,
    ]),
    ...[1, 2, 4, 8, 16, 32, 5, 13, 43, 63].flatMap((mode) => [
      [`mode-${mode}.j2k`, ["-M", String(mode), "-n", "5"]] as const,
      [`mode-${mode}-layers.j2k`, ["-M", String(mode), "-n", "5", "-r", "30,8", "-I"]] as const,
    ]),
  ];

  test.each(sampled("options of opj_compress", kinds, 24))("%s", async (name, options) => {
    const to = name.endsWith(".jp2") ? "jp2" : "j2k";
    const bytes = opjCompress(coded, options, { to });
    const header = await codec.probe(memoryBytes(bytes), 1);
    const tolerance = options.includes("-I") ? 1 : 0;
    const next = seeded(11);
    const between = (least: number, most: number) => least + next(most - least + 1);
    for (const factor of scaleFactorsOf(codec, header)) {
      const whole = reference(bytes, to, Math.log2(factor));
      for (let n = 0; n < (factor === 1 ? 6 : lower); n++) {
        // On the grid of the level, as callers ask; the first is the whole, the second reaches over its lower
        // right.
        const [x, y] = n === 0 ? [0, 0] : [between(0, whole.width - 1), between(0, whole.height - 1)];
        const [w, h] = n <= 1 ? [whole.width - x, whole.height - y] : [between(1, most), between(1, most)];
        const region = {
          x: x * factor,
          y: y * factor,
          width: Math.min(w * factor, header.width - x * factor),
          height: Math.min(h * factor, header.height - y * factor),
        };
        const made = await codec.decode(memoryBytes(bytes), { header, page: 1, region, scaleFactor: factor });
        const worst = difference(made, whole, x, y);
        expect({ factor, region, isAsExpected: worst <= tolerance, worst }).toMatchObject({
          isAsExpected: true,
        });
      }
    }
  });
});

test.each([8, 12])(
  "regions of a tiled file of high throughput, of %i bits, are those of its samples",
  async (bits) => {
    const noise = seeded(5);
    const values = new Uint16Array(300 * 200).map(() => noise(2 ** bits));
    const picture = { width: 300, height: 200, bands: 1, bits, values, highThroughput: true };
    const bytes = await encodeCodestream({ ...picture, tile: { width: 64, height: 64 } });
    const header = await codec.probe(memoryBytes(bytes), 1);
    expect(header.tile).toEqual({ width: 64, height: 64 });
    const next = seeded(9);
    for (let n = 0; n < 12; n++) {
      const [x, y] = [next(290), next(190)];
      const region = {
        x,
        y,
        width: 1 + next(Math.min(80, 300 - x)),
        height: 1 + next(Math.min(80, 200 - y)),
      };
      const { data } = await codec.decode(memoryBytes(bytes), { header, page: 1, region, scaleFactor: 1 });
      const expected = data.map((_, i) => {
        const value = values[(y + Math.floor(i / region.width)) * 300 + x + (i % region.width)]!;
        return bits === 8 ? value : Math.round((value * 65535) / 4095);
      });
      expect(data.length).toBe(region.width * region.height);
      expect([region, data]).toEqual([region, expected]);
    }
  },
);

test("a very wide picture, with adjacent strips, equals its samples", async () => {
  const [width, height, bands] = [20_000, 70, 3];
  const noise = seeded(6);
  const values = new Uint8Array(width * height * bands).map(() => noise(everything ? 256 : 8));
  const bytes = await encodeCodestream({ width, height, bands, bits: 8, values, highThroughput: false });
  const header = await codec.probe(memoryBytes(bytes), 1);
  const region = { x: 0, y: 0, width, height };
  const { data } = await codec.decode(memoryBytes(bytes), { header, page: 1, region, scaleFactor: 1 });
  expect(Buffer.compare(data as Uint8Array, values)).toBe(0);
});
