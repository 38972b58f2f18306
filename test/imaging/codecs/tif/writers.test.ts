// Files of libtiff's tools, libvips and ImageMagick, in all ways of storage that they offer: without loss
// they have the samples that the tools were given, as JPEG those of libvips within 1 level.
// @module-tag slow

import sharp, { type TiffOptions } from "sharp";
import { expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { testHost } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { reference } from "../reference.ts";
import { plainFields, tiffFile } from "./tiff-file.ts";
import { waves } from "./write/written.ts";

const codec = createCodecs(testHost).decoder("tif");
const size = { width: 150, height: 110 };
const sources = [1, 3].flatMap((bands) =>
  ([8, 16] as const).map((depth) => {
    const pixels = waves(size, bands, depth);
    return { name: `${bands} x ${depth} bit`, pixels, input: uncompressed(pixels) };
  }),
);
const [from, to] = ["in.tif", "out.tif"];

/** Returns an uncompressed file in one strip. */
function uncompressed({ width, height, bands, data }: PixelBuffer): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const fields = plainFields(width, height, bands, 8 * data.BYTES_PER_ELEMENT, bands === 1 ? 1 : 2);
  return tiffFile([{ fields, blocks: [bytes] }]);
}

/** The file that a program makes; undefined if it fails. */
function madeBy(program: string, args: readonly string[], input: Uint8Array): Uint8Array | undefined {
  try {
    return converted(program, args, { input, from, to });
  } catch {
    return undefined;
  }
}

/** All combinations of one value of each list. */
const product = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])), [[]]);

/** Compares files with their sources, and returns what differs by more than their compression explains. */
function comparison() {
  const wrong: string[] = [];
  let compared = 0;
  return {
    async compare(name: string, data: Uint8Array, pixels: PixelBuffer, isLossy: boolean) {
      compared++;
      try {
        const bytes = memoryBytes(data);
        const header = await codec.probe(bytes, 1);
        const region = { x: 0, y: 0, ...size };
        const own = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
        const expected = isLossy ? await reference(data) : pixels;
        let largest = own.data.length === expected.data.length ? 0 : Number.POSITIVE_INFINITY;
        for (let i = 0; i < own.data.length; i++)
          largest = Math.max(largest, Math.abs(own.data[i]! - expected.data[i]!));
        if (largest > (isLossy ? 1 : 0)) wrong.push(`${name}: ${largest}`);
      } catch (error) {
        wrong.push(`${name}: ${error}`);
      }
    },
    expectAll(least: number) {
      expect(wrong).toEqual([]);
      // A tool without some compressions leaves them out.
      expect(compared).toBeGreaterThanOrEqual(least);
    },
  };
}

test.skipIf(!hasProgram("tiffcp"))("files of tiffcp have their samples", async () => {
  const { compare, expectAll } = comparison();
  const ways = product([
    ["none", "packbits", "lzw:1", "lzw:2", "zip:1", "zip:2", "lzma:2", "zstd:2", "jpeg", "jpeg:r"],
    ["-s -r 17", "-t -w 64 -l 48"],
    ["contig", "separate"],
  ]);
  for (const [n, { name, pixels, input }] of sources.entries())
    for (const [i, way] of ways.entries()) {
      const [compression, layout, planes] = way as [string, string, string];
      const order = (i + (i >> 1) + n) % 2 === 0 ? "-L" : "-B -8";
      const isJpeg = compression.startsWith("jpeg");
      // tiffcp writes 8-bit JPEG with all bands together, in strips and tiles of whole MCUs.
      if (isJpeg && (pixels.data instanceof Uint16Array || planes === "separate")) continue;
      const blocks = isJpeg ? layout.replace("17", "16") : layout;
      const args = ["-c", compression, ...blocks.split(" "), "-p", planes, ...order.split(" ")];
      const file = madeBy("tiffcp", [...args, from, to], input);
      if (file) await compare(`${name} ${args.join(" ")}`, file, pixels, isJpeg);
    }
  expectAll(100);
});

test("files of libvips have their samples", async () => {
  const { compare, expectAll } = comparison();
  const ways = product([
    ["none", "packbits", "lzw", "deflate", "jpeg", "webp"],
    ["none", "horizontal"],
    ["strips", "tiles", "pyramid"],
    ["classic", "big"],
  ]);
  for (const { name, pixels } of sources)
    for (const [compression, predictor, layout, variant] of ways as [string, string, string, string][]) {
      const isLossy = compression === "jpeg" || compression === "webp";
      const isWide = pixels.data instanceof Uint16Array;
      if (isLossy && (isWide || predictor !== "none" || (compression === "webp" && pixels.bands < 3)))
        continue;
      const space = pixels.bands === 1 ? (isWide ? "grey16" : "b-w") : isWide ? "rgb16" : "srgb";
      const options = {
        compression,
        predictor,
        bigtiff: variant === "big",
        tile: layout !== "strips",
        pyramid: layout === "pyramid",
        tileWidth: 64,
        tileHeight: 64,
      } as TiffOptions;
      const raw = { ...size, channels: pixels.bands as 1 | 3 };
      const file = await sharp(pixels.data, { raw }).toColourspace(space).tiff(options).toBuffer();
      const words = [name, compression, predictor, layout, variant].join(" ");
      await compare(words, new Uint8Array(file), pixels, isLossy);
    }
  expectAll(200);
});

test.skipIf(!hasProgram("convert"))("files of ImageMagick have their samples", async () => {
  const { compare, expectAll } = comparison();
  const ways = product([
    ["None", "RLE", "LZW", "Zip", "LZMA", "ZSTD", "JPEG"],
    ["", "-define tiff:predictor=2"],
    ["-define tiff:rows-per-strip=16", "-define tiff:tile-geometry=64x48"],
    ["none", "plane"],
  ]);
  for (const [n, { name, pixels, input }] of sources.entries())
    for (const [i, way] of ways.entries()) {
      const [compression, predictor, layout, interlace] = way as [string, string, string, string];
      const isJpeg = compression === "JPEG";
      if (isJpeg && (pixels.data instanceof Uint16Array || interlace === "plane")) continue;
      if (predictor !== "" && !["LZW", "Zip", "LZMA", "ZSTD"].includes(compression)) continue;
      const args = [
        ...["-compress", compression, ...predictor.split(" ").filter(Boolean), ...layout.split(" ")],
        ...["-interlace", interlace, "-endian", (i + n) % 2 === 0 ? "LSB" : "MSB"],
      ];
      const file = converted("convert", [from, ...args, to], { input, from, to });
      await compare(`${name} ${args.join(" ")}`, file, pixels, isJpeg);
    }
  expectAll(120);
});
