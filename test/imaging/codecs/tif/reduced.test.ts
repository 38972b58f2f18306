// Scales that are not stored: averages of boxes of full-size pixels, whatever the blocks and the depth.
// @module-tag slow

import sharp, { type TiffOptions } from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import type { ImageHeader, Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { storedScales } from "../../../../src/imaging/codecs/tif/directory/stages.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { fixture, testHost } from "../../../host.ts";
import fc from "../../../properties.ts";
import { plainFields, tiffFile } from "./tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

const wholeOf = ({ width, height }: ImageHeader): Rectangle => ({ x: 0, y: 0, width, height });

async function opened(data: Uint8Array) {
  const bytes = memoryBytes(data);
  const header = await codec.probe(bytes, 1);
  return {
    header,
    decode: (region: Rectangle, scaleFactor: number) =>
      codec.decode(bytes, { header, page: 1, region, scaleFactor }),
  };
}

/**
 * The mean of each box of `factor` by `factor` pixels, halves up; colours weighted by alpha. Sums stay below
 * 2^48, so that doubles hold them and their quotients round down as whole numbers do.
 */
function averaged(pixels: PixelBuffer, factor: number, alpha: boolean): number[] {
  const { width, height, bands, data } = pixels;
  const out: number[] = [];
  for (let top = 0; top < height; top += factor)
    for (let left = 0; left < width; left += factor) {
      const sums = new Float64Array(bands);
      let weights = 0;
      let area = 0;
      for (let y = top; y < Math.min(height, top + factor); y++)
        for (let x = left; x < Math.min(width, left + factor); x++) {
          const at = (y * width + x) * bands;
          const weight = alpha ? data[at + bands - 1]! : 1;
          for (let b = 0; b < bands; b++) sums[b]! += (alpha && b === bands - 1 ? 1 : weight) * data[at + b]!;
          weights += weight;
          area++;
        }
      sums.forEach((sum, b) => {
        const count = alpha && b < bands - 1 ? weights : area;
        out.push(count === 0 ? 0 : Math.floor((2 * sum + count) / (2 * count)));
      });
    }
  return out;
}

const firstDifference = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  expect(a.length).toBe(b.length);
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return i;
  return -1;
};

async function expectAverages(
  data: Uint8Array,
  factors: readonly number[],
  parts: readonly Rectangle[] = [],
) {
  const { header, decode } = await opened(data);
  const alpha = header.interpretation !== "cmyk" && header.bands % 2 === 0;
  for (const region of [wholeOf(header), ...parts]) {
    const full = await decode(region, 1);
    for (const factor of factors) {
      if (region.x % factor !== 0 || region.y % factor !== 0) continue;
      const reduced = await decode(region, factor);
      expect([reduced.width, reduced.height]).toEqual([
        Math.ceil(region.width / factor),
        Math.ceil(region.height / factor),
      ]);
      const expected = averaged(full, factor, alpha);
      expect(firstDifference(reduced.data, expected), `1/${factor} of ${JSON.stringify(region)}`).toBe(-1);
    }
  }
}

describe("reduced pictures", () => {
  test.each([
    "tif-bigtiff-bigendian-tiled.tif",
    "tif-cmyk-icc-lzw.tif",
    "tif-deflate-pred2.tif",
    "tif-g4-minwhite.tif",
    "tif-gray-float32.tif",
    "tif-gray8-minwhite.tif",
    "tif-lzw-pred2.tif",
    "tif-palette8-packbits.tif",
    "tif-planar-separate.tif",
    "tif-rgb16-deflate.tif",
    "tif-rgba8-lzw.tif",
    "tif-strip-none-bigendian.tif",
  ])("of %s are the averages of its pixels", async (file) => {
    const { header } = await opened(fixture(file));
    const { width, height } = header;
    await expectAverages(
      fixture(file),
      [2, 4, 16, 64],
      [
        { x: 64, y: 64, width: 128, height: 64 },
        { x: 192, y: 128, width: width - 192, height: height - 128 },
        { x: 34, y: 18, width: 66, height: 40 },
      ],
    );
  });

  const photo = sharp(fixture("tif-strip-none.tif")).extract({ left: 60, top: 40, width: 333, height: 251 });
  const tiled = { tile: true, tileWidth: 48, tileHeight: 80 } as const;
  const oneStrip = { tile: true, tileWidth: 1024, tileHeight: 1024 } as const;
  test.each(
    ([1, 2, 4, 8] as const).flatMap((bitdepth) =>
      (["none", "lzw", "deflate", "packbits"] as const).flatMap((compression) =>
        [{}, tiled, oneStrip].map((layout) => ({
          ...(bitdepth < 8 ? { bitdepth } : {}),
          compression,
          predictor: "none",
          ...layout,
        })),
      ),
    ) as TiffOptions[],
  )("of gray written by %j are the averages", async (options) => {
    const data = await photo.clone().toColourspace("b-w").tiff(options).toBuffer();
    await expectAverages(data, [2, 4, 8, 32, 128], [{ x: 32, y: 96, width: 301, height: 128 }]);
  });

  test("of bits in tiles of any width are the averages", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          width: fc.integer({ min: 16, max: 70 }),
          height: fc.integer({ min: 16, max: 40 }),
          tileWidth: fc.integer({ min: 1, max: 40 }),
          tileHeight: fc.integer({ min: 1, max: 24 }),
          factor: fc.constantFrom(2, 4, 8, 16),
          photometric: fc.constantFrom(0, 1, 3),
          column: fc.nat(30),
          row: fc.nat(20),
          seed: fc.integer({ min: 1, max: 1e6 }),
        }),
        async (p) => {
          const [across, down] = [Math.ceil(p.width / p.tileWidth), Math.ceil(p.height / p.tileHeight)];
          const colours = [320, 3, 65_535, 257 * 3, 257 * 80, 257 * 9, 0, 257 * 255] as const;
          const fields = plainFields(
            p.width,
            p.height,
            1,
            1,
            p.photometric,
            [322, 3, p.tileWidth],
            [323, 3, p.tileHeight],
            ...(p.photometric === 3 ? [colours] : []),
          );
          let state = p.seed;
          const blocks = Array.from({ length: across * down }, () =>
            new Uint8Array(Math.ceil(p.tileWidth / 8) * p.tileHeight).map(() => {
              state = (state * 48_271) % 2_147_483_647;
              return state >> 8;
            }),
          );
          const x = Math.min(Math.floor((p.width - 1) / p.factor), p.column) * p.factor;
          const y = Math.min(Math.floor((p.height - 1) / p.factor), p.row) * p.factor;
          const part = { x, y, width: p.width - x, height: p.height - y };
          await expectAverages(tiffFile([{ fields, blocks, tiled: true }]), [p.factor], [part]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("of colours that differ in opacity are weighted by it", async () => {
    // Associated alpha: half-transparent red, transparent, opaque blue, transparent.
    const row = [128, 0, 0, 128, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0];
    const pixels = Uint8Array.from([...row, ...row]);
    const data = tiffFile([{ fields: plainFields(4, 2, 4, 8, 2, [338, 3, 1]), blocks: [pixels] }]);
    const { header, decode } = await opened(data);
    const reduced = await decode(wholeOf(header), 2);
    expect([...reduced.data]).toEqual([255, 0, 0, 64, 0, 0, 255, 128]);
  });

  test("come from the smallest stored level that serves them", async () => {
    // The levels have other pixels than the full picture, which reveals the source of a response.
    const level = (side: number, value: number, ...more: (readonly [number, 4, number])[]) => ({
      fields: plainFields(side, side, 1, 8, 1, ...more),
      blocks: [new Uint8Array(side * side).fill(value)],
    });
    const { header, decode } = await opened(
      tiffFile([level(64, 10), level(32, 20, [254, 4, 1]), level(16, 30, [254, 4, 1])]),
    );
    const values = await Promise.all(
      [1, 2, 4, 8, 16, 64].map(async (s) => (await decode(wholeOf(header), s)).data[0]),
    );
    expect(values).toEqual([10, 20, 30, 30, 30, 30]);
    expect(storedScales(header)).toEqual([1, 2, 4]);
  });
});

describe("reduced JPEG", () => {
  const photo = sharp(fixture("tif-strip-none.tif"));
  test.each([
    ["tiles", 400, 304, { tile: true, tileWidth: 64, tileHeight: 64 }],
    ["tiles that reach beyond an odd edge", 333, 251, { tile: true, tileWidth: 64, tileHeight: 64 }],
    ["strips", 400, 304, {}],
  ] as const)("in %s is near the averages of its pixels", async (_name, width, height, layout) => {
    const data = await photo
      .clone()
      .resize(width, height, { fit: "fill" })
      .tiff({ compression: "jpeg", quality: 95, ...layout })
      .toBuffer();
    const { header, decode } = await opened(data);
    const full = await decode(wholeOf(header), 1);
    for (const factor of [2, 4, 8, 16]) {
      const reduced = await decode(wholeOf(header), factor);
      const expected = averaged(full, factor, false);
      expect(reduced.data).toHaveLength(expected.length);
      const differences = expected.map((value, i) => Math.abs(value - (reduced.data[i] as number)));
      const mean = differences.reduce((sum, d) => sum + d, 0) / differences.length;
      expect(mean, `1/${factor}`).toBeLessThan(1.5);
      expect(Math.max(...differences), `1/${factor}`).toBeLessThan(40);
    }
  });

  test("does not mix in samples beyond the edge of the picture", async () => {
    // Returns a white picture of 72 by 72 pixels in a tile of 80 by 80 whose rest is black.
    const jpeg = async (side: number) =>
      sharp({ create: { width: 80, height: 80, channels: 3, background: "black" } })
        .composite([
          {
            input: { create: { width: side, height: side, channels: 3, background: "white" } },
            left: 0,
            top: 0,
          },
        ])
        .toColourspace("b-w")
        .jpeg({ quality: 100 })
        .toBuffer();
    const tile = new Uint8Array(await jpeg(68));
    const fields = plainFields(68, 68, 1, 8, 1, [259, 3, 7], [322, 3, 80], [323, 3, 80]);
    const { header, decode } = await opened(tiffFile([{ fields, blocks: [tile], tiled: true }]));
    for (const factor of [2, 4, 8, 16, 64]) {
      const { data } = await decode(wholeOf(header), factor);
      expect(Math.min(...data), `1/${factor}`).toBeGreaterThan(245);
    }
  });
});

describe("the memory of a reduction", () => {
  test("is that of some rows and the result", async () => {
    const header = await codec.probe(memoryBytes(fixture("bomb-deflate-30000x30000-1bit.tif")), 1);
    const region = wholeOf(header);
    const memory = (scaleFactor: number) => codec.memory({ header, page: 1, region, scaleFactor }, 200_000);
    expect(memory(16)).toBeLessThan(32 << 20);
    expect(memory(2)).toBeGreaterThan(15_000 * 15_000);
    expect(memory(2)).toBeLessThan(15_000 * 15_000 + (32 << 20));
  });

  test("counts the stored bytes of a strip as tall as the picture, and all of it if it is JPEG", async () => {
    const picture = (compression: number) =>
      tiffFile([
        { fields: plainFields(8000, 8000, 3, 8, 2, [259, 3, compression]), blocks: [new Uint8Array(8)] },
      ]);
    const memory = async (compression: number, fileSize: number) => {
      const header = await codec.probe(memoryBytes(picture(compression)), 1);
      return codec.memory({ header, page: 1, region: wholeOf(header), scaleFactor: 8 }, fileSize);
    };
    expect(await memory(8, 1000)).toBeLessThan(40 << 20);
    expect(await memory(8, 50_000_000)).toBeGreaterThan(50_000_000);
    expect(await memory(1, 192_000_000)).toBeLessThan(40 << 20);
    expect(await memory(7, 1000)).toBeGreaterThan(8000 * 8000 * 3);
  });
});
