// Regions of tiled files, which are decoded by their tiles alone: the same samples as the whole picture of
// another decoder has there (opj_decompress).

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaleFactorsOf } from "../../../src/codecs/codec.ts";
import { headerBytes } from "../../../src/codecs/header-bytes.ts";
import { jp2Codec } from "../../../src/codecs/jp2/codec.ts";
import { readCodestream } from "../../../src/codecs/jp2/codestream.ts";
import { cutTiles } from "../../../src/codecs/jp2/tiles.ts";
import { memoryBytes } from "../../../src/lib/byte-source.ts";
import { testHost } from "../../host.ts";
import { seeded } from "../../seeded.ts";
import { encodeCodestream } from "./files.ts";

/** In CI its absence fails the tests. */
const hasOpenJpeg =
  spawnSync("sh", ["-c", "command -v opj_compress && command -v opj_decompress"]).status === 0 ||
  process.env.CI !== undefined;

const codec = jp2Codec(testHost);
const [width, height] = [610, 430];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-tiles-"));
  // Gradients with some noise: every tile differs from every other.
  const noise = seeded(7);
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (const value of [(x * 255) / width, (y * 255) / height, ((x + y) * 3) % 256])
        pixels[at++] = Math.min(255, Math.max(0, value + noise(24) - 12));
  writeFileSync(
    join(folder, "picture.ppm"),
    Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A codestream of the picture, by options of opj_compress. */
function compress(name: string, options: readonly string[]): string {
  const file = join(folder, name);
  execFileSync("opj_compress", ["-i", join(folder, "picture.ppm"), "-o", file, ...options], {
    stdio: "ignore",
  });
  return file;
}

/** The whole picture at 1/2^level, by opj_decompress. */
function reference(file: string, level: number) {
  const out = `${file}.${level}.ppm`;
  execFileSync("opj_decompress", ["-i", file, "-o", out, "-r", String(level)], { stdio: "ignore" });
  const bytes = readFileSync(out);
  const [header = "", across, down] =
    /^P6\s+(?:#.*\s+)?(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString("latin1", 0, 100)) ?? [];
  return { width: Number(across), height: Number(down), data: bytes.subarray(header.length) };
}

describe.skipIf(!hasOpenJpeg)("regions of a tiled file are those of the whole", () => {
  test.each<[string, readonly string[]]>([
    ["lossless.j2k", ["-t", "128,128", "-n", "5"]],
    ["lossy.j2k", ["-t", "128,128", "-n", "5", "-r", "20", "-I"]],
    ["boxed.jp2", ["-t", "256,128", "-n", "4"]],
    ["one-level.j2k", ["-t", "100,90", "-n", "2"]],
    ["offset.j2k", ["-t", "128,128", "-n", "4", "-d", "64,32"]],
    ["grid.j2k", ["-t", "128,128", "-n", "3", "-d", "48,40", "-T", "16,32"]],
    ["parts.j2k", ["-t", "128,128", "-n", "4", "-p", "RLCP", "-TP", "R"]],
    ["plt.j2k", ["-t", "128,128", "-n", "4", "-p", "RPCL", "-PLT", "-TLM"]],
    ["marked.j2k", ["-t", "128,128", "-n", "4", "-p", "PCRL", "-SOP", "-EPH"]],
    ["layers.j2k", ["-t", "192,192", "-n", "4", "-r", "40,20,10", "-p", "CPRL"]],
  ])("%s", async (name, options) => {
    const file = compress(name, options);
    const bytes = readFileSync(file);
    const header = await codec.probe(memoryBytes(bytes), 1);
    const next = seeded(11);
    const between = (least: number, most: number) => least + next(most - least + 1);
    const factors = scaleFactorsOf(codec, header);
    for (const factor of factors.slice(0, 3)) {
      const whole = reference(file, Math.log2(factor));
      for (let n = 0; n < 6; n++) {
        // On the grid of the level, as callers ask; the last reach over the right and lower edges of it.
        const [x, y] = [between(0, whole.width - 2), between(0, whole.height - 2)];
        const [w, h] = n === 0 ? [whole.width - x, whole.height - y] : [between(1, 90), between(1, 90)];
        const region = {
          x: x * factor,
          y: y * factor,
          width: Math.min(w * factor, header.width - x * factor),
          height: Math.min(h * factor, header.height - y * factor),
        };
        const made = await codec.decode(memoryBytes(bytes), { header, page: 1, region, scaleFactor: factor });
        const expected = Buffer.alloc(made.width * made.height * 3);
        for (let row = 0; row < made.height; row++) {
          const from = ((y + row) * whole.width + x) * 3;
          whole.data.copy(expected, row * made.width * 3, from, from + made.width * 3);
        }
        expect([
          name,
          factor,
          region,
          Buffer.compare(Buffer.from(made.data as Uint8Array), expected),
        ]).toEqual([name, factor, region, 0]);
      }
    }
  });
});

test.each([8, 12])(
  "regions of a tiled file of high throughput, of %i bits, are those of its samples",
  async (bits) => {
    const noise = seeded(5);
    const values = Array.from({ length: 300 * 200 }, () => noise(2 ** bits));
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
      const expected = Array.from({ length: region.width * region.height }, (_, i) => {
        const value = values[(y + Math.floor(i / region.width)) * 300 + x + (i % region.width)] ?? 0;
        return bits === 8 ? value : Math.round((value * 65535) / 4095);
      });
      expect([region, [...data]]).toEqual([region, expected]);
    }
  },
);

describe.skipIf(!hasOpenJpeg)("what is cut out", () => {
  const codestreamOf = async (bytes: Uint8Array) => readCodestream(await headerBytes(memoryBytes(bytes)), 0);

  test("holds the tiles of the region alone, and nothing that counts others", async () => {
    const bytes = readFileSync(compress("cut.j2k", ["-t", "128,128", "-n", "4", "-PLT", "-TLM"]));
    const whole = await codestreamOf(bytes);
    const cut = cutTiles(bytes, whole, { x: 300, y: 140, width: 60, height: 60 }, 0);
    expect(cut?.bytes.length).toBeLessThan(bytes.length / 8);
    // By our own reader of headers: the tile in the third column of the second row.
    expect(await codestreamOf(cut!.bytes)).toMatchObject({
      tiles: 1,
      offsetX: 256,
      offsetY: 128,
      width: 128,
      height: 128,
    });
    const header = Buffer.from(cut!.bytes).toString("latin1").split("\xff\x90")[0];
    expect(bytes.toString("latin1").split("\xff\x90")[0]).toContain("\xff\x55");
    expect(header).not.toContain("\xff\x55");
    // By another decoder.
    const file = join(folder, "cut-out.j2k");
    writeFileSync(file, cut!.bytes);
    const { width, height, data } = reference(file, 0);
    expect([width, height]).toEqual([128, 128]);
    const all = reference(join(folder, "cut.j2k"), 0);
    for (let row = 0; row < 128; row++) {
      const from = ((128 + row) * all.width + 256) * 3;
      expect(data.subarray(row * 384, row * 384 + 384).equals(all.data.subarray(from, from + 384))).toBe(
        true,
      );
    }
  });

  test("is nothing if all tiles are needed, or their places do not fit the level", async () => {
    const bytes = readFileSync(compress("odd.j2k", ["-t", "100,90", "-n", "4"]));
    const whole = await codestreamOf(bytes);
    const corner = { x: 0, y: 0, width: 8, height: 8 };
    expect(cutTiles(bytes, whole, { x: 0, y: 0, width, height }, 0)).toBeUndefined();
    expect(cutTiles(bytes, whole, corner, 1)?.codestream.tiles).toBe(1);
    expect(cutTiles(bytes, whole, corner, 2)).toBeUndefined();
    expect(cutTiles(bytes, { ...whole, packedHeaders: true }, corner, 0)).toBeUndefined();
  });

  test("takes less memory than the whole picture", async () => {
    const bytes = readFileSync(compress("memory.j2k", ["-t", "128,128", "-n", "4"]));
    const header = await codec.probe(memoryBytes(bytes), 1);
    const part = { header, page: 1, region: { x: 0, y: 0, width: 100, height: 100 }, scaleFactor: 1 };
    const all = { ...part, region: { x: 0, y: 0, width, height } };
    expect(codec.decodedPixels!(part)).toBe(256 * 256);
    expect(codec.decodedPixels!(all)).toBe(width * height);
    expect(codec.memory(part, bytes.length)).toBeLessThan(codec.memory(all, bytes.length) - 100 * 1024);
  });
});
