// Written pyramids, read by libvips and libtiff.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import type { Size } from "../../../../../src/base/index.ts";
import type { TakeRows } from "../../../../../src/imaging/codecs/codec.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { storedScales } from "../../../../../src/imaging/codecs/tif/directory/stages.ts";
import { writeTiffPyramid } from "../../../../../src/imaging/codecs/tif/write/pyramid.ts";
import { codedProfile } from "../../../../../src/imaging/colour/code-points.ts";
import { halving } from "../../../../../src/imaging/pipeline/kernel.ts";
import type { PixelBuffer } from "../../../../../src/imaging/pipeline/pixels.ts";
import { resize as resizeInDoubles } from "../../../../../src/imaging/pipeline/steps/resize.ts";
import { fixture, testHost } from "../../../../host.ts";
import { reference } from "../../reference.ts";
import { memorySink, resize, rowsOf, waves, written } from "./written.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("tif");
const deflate = { kind: "deflate", level: 1 } as const;
const jpeg = { kind: "jpeg", quality: 90, chroma: "420" } as const;
const has = (tool: string) =>
  spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0 || process.env.CI !== undefined;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-pyramid-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Half of an image in double precision. */
const half = (pixels: PixelBuffer) => {
  const axis = (length: number) => halving(0, Math.ceil(length / 2));
  return resizeInDoubles(pixels, axis(pixels.width), axis(pixels.height));
};

const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let largest = a.length === b.length ? 0 : Number.POSITIVE_INFINITY;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i]! - b[i]!));
  return largest;
};

/** Peak signal-to-noise ratio of 8-bit samples in dB. */
const psnr = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return 10 * Math.log10((255 ** 2 * a.length) / sum);
};

describe("without loss", () => {
  for (const bands of [1, 2, 3, 4])
    for (const depth of [8, 16] as const)
      test(`${bands} bands of ${depth} bit and their levels are what libvips reads`, async () => {
        const pixels = waves({ width: 333, height: 205 }, bands, depth);
        const file = await written(pixels, { compression: deflate, tileSide: 64 });
        let level = pixels;
        for (let page = 0; page < 4; page++) {
          const read = await reference(file, { page });
          expect([read.width, read.height, read.bands]).toEqual([level.width, level.height, bands]);
          if (page === 0) expect(largestDifference(read.data, level.data)).toBe(0);
          // Both round each level once.
          expect(largestDifference(read.data, level.data)).toBeLessThanOrEqual(depth === 8 ? 1 : 2);
          level = half({ ...level, data: read.data });
        }
        await expect(reference(file, { page: 4 })).rejects.toThrow();
      });

  test.skipIf(!has("convert"))("inks are what ImageMagick reads", async () => {
    const pixels = { ...waves({ width: 100, height: 70 }, 4, 8), interpretation: "cmyk" } as const;
    const file = await written(pixels, { compression: deflate });
    const args = ["tif:-[0]", "-depth", "8", "cmyk:-"];
    const { stdout } = spawnSync("convert", args, { input: file, maxBuffer: 2 ** 24 });
    expect(largestDifference(stdout, pixels.data)).toBe(0);
  });

  test("the file does not depend on how its rows are divided", async () => {
    const pixels = waves({ width: 700, height: 611 }, 3, 8);
    const [whole, ...others] = await Promise.all(
      [611, 1, 64, 257].map((step) => written(pixels, { compression: deflate }, { step })),
    );
    for (const other of others) expect(Buffer.compare(other, whole!)).toBe(0);
  });
});

describe("as JPEG", () => {
  test.each([
    ["4:2:0", 3, "420"],
    ["4:4:4", 3, "444"],
    ["gray", 1, "420"],
  ] as const)("with %s each level is as near as what libvips writes", async (_, bands, chroma) => {
    const pixels = waves({ width: 531, height: 300 }, bands, 8);
    const plain = await written(pixels, { compression: deflate, tileSide: 128 });
    const file = await written(pixels, { compression: { ...jpeg, chroma }, tileSide: 128 });
    for (const page of [0, 1, 2, 3]) {
      const [expected, read] = [await reference(plain, { page }), await reference(file, { page })];
      expect([read.width, read.height, read.bands]).toEqual([expected.width, expected.height, bands]);
      const { width, height } = expected;
      const theirs = await sharp(expected.data, { raw: { width, height, channels: bands } })
        .toColourspace(bands === 1 ? "b-w" : "srgb")
        .jpeg({ quality: jpeg.quality, chromaSubsampling: chroma === "420" ? "4:2:0" : "4:4:4" })
        .toBuffer();
      const least = psnr((await reference(new Uint8Array(theirs))).data, expected.data) - 0.5;
      expect(psnr(read.data, expected.data)).toBeGreaterThan(least);
    }
  });

  test("it is what our reader reads", async () => {
    const file = await written(waves({ width: 531, height: 300 }, 3, 8), { compression: jpeg });
    const bytes = memoryBytes(file);
    const header = await codec.probe(bytes, 1);
    expect(header).toMatchObject({ variant: "jpeg pyramid", pages: 1, tile: { width: 256, height: 256 } });
    expect(storedScales(header)).toEqual([1, 2, 4]);
    for (const [page, scaleFactor] of [1, 2, 4].entries()) {
      const region = { x: 0, y: 0, width: 531, height: 300 };
      const own = await codec.decode(bytes, { header, page: 1, region, scaleFactor });
      const theirs = await reference(file, { page });
      expect(largestDifference(own.data, theirs.data)).toBeLessThanOrEqual(1);
    }
  });

  test("edges of tiles beyond the image do not show", async () => {
    // White to the last column, where any other colour in the rest of its block would ring.
    const pixels = {
      ...waves({ width: 130, height: 130 }, 3, 8),
      data: new Uint8Array(130 * 130 * 3).fill(255),
    };
    const file = await written(pixels, { compression: { ...jpeg, quality: 30 }, tileSide: 128 });
    expect(largestDifference((await reference(file)).data, pixels.data)).toBe(0);
  });
});

describe("its fields", () => {
  const size = { width: 300, height: 200 };
  const icc = codedProfile([12, 13], false);

  test.each(["classic", "big"] as const)(
    "of a %s file are what libvips reads of each level",
    async (variant) => {
      const options = {
        compression: jpeg,
        resolution: { x: 118.11, y: 59.055 },
        orientation: 6,
        icc,
        big: variant === "big",
      };
      const file = await written(waves(size, 3, 8), options);
      expect(file[2]).toBe(variant === "big" ? 43 : 42);
      for (const page of [0, 1]) {
        const read = await sharp(file, { page }).metadata();
        expect(read).toMatchObject({ density: Math.round(300 / 2 ** page), orientation: 6 });
        expect(new Uint8Array(read.icc!)).toEqual(icc);
      }
      expect((await codec.probe(memoryBytes(file), 1)).resolution?.y).toBeCloseTo(59.055, 3);
    },
  );

  test.skipIf(!has("tiffinfo"))(
    "are in order, and libtiff's tools copy all levels without a warning",
    async () => {
      for (const [name, options] of Object.entries({
        jpeg: { compression: jpeg, icc },
        deflate: { compression: deflate },
        big: { compression: jpeg, big: true },
      })) {
        const path = join(folder, `${name}.tif`);
        writeFileSync(path, await written(waves(size, 3, 8), options));
        const copied = spawnSync("tiffcp", ["-c", "none", path, `${path}.copy`], { encoding: "utf8" });
        expect([copied.status, copied.stderr]).toEqual([0, ""]);
        const { stdout, stderr } = spawnSync("tiffinfo", [path], { encoding: "utf8" });
        expect(stderr).toBe("");
        expect(stdout.match(/Subfile Type: .*/g)).toEqual([
          expect.stringContaining("(0 = 0x0)"),
          expect.stringContaining("reduced-resolution image"),
        ]);
        expect(stdout.match(/Image Width.*Length: \d+/g)).toEqual([
          "Image Width: 300 Image Length: 200",
          "Image Width: 150 Image Length: 100",
        ]);
      }
    },
  );

  test.skipIf(!has("openslide-show-properties"))("are a pyramid for OpenSlide", async () => {
    const path = join(folder, "openslide.tif");
    writeFileSync(path, await written(waves({ width: 700, height: 301 }, 3, 8), { compression: jpeg }));
    const properties = spawnSync("openslide-show-properties", [path], { encoding: "utf8" }).stdout;
    expect(properties.match(/level\[\d\]\.(width|height): '\d+'/g)).toEqual([
      "level[0].height: '301'",
      "level[0].width: '700'",
      "level[1].height: '151'",
      "level[1].width: '350'",
      "level[2].height: '76'",
      "level[2].width: '175'",
    ]);
  });

  test("have offsets of 8 bytes if the file passes 4 GiB", async () => {
    // The same 64 MiB again for each tile, of which nothing is stored.
    const block = new Uint8Array(2 ** 26);
    let last = new Uint8Array();
    let header = new Uint8Array();
    let length = 0;
    const sink = {
      append: async (bytes: Uint8Array) => {
        last = bytes === block ? new Uint8Array() : new Uint8Array(bytes);
        length += bytes.length;
      },
      replace: async (_: number, bytes: Uint8Array) => void (header = new Uint8Array(bytes)),
    };
    const host = { ...testHost, deflate: async () => block };
    // 60 and 71 tiles with those of the levels.
    for (const [height, isBig] of [
      [16 * 30, false],
      [16 * 34, true],
    ] as const) {
      length = 0;
      const pixels = waves({ width: 16, height }, 1, 8);
      const options = { compression: deflate, tileSide: 16 };
      await writeTiffPyramid(rowsOf(pixels, 16), pixels, sink, options, { host, resize });
      expect(length > 2 ** 32).toBe(isBig);
      const view = new DataView(header.buffer);
      expect(view.getUint16(2, true)).toBe(isBig ? 43 : 42);
      const first = isBig ? Number(view.getBigUint64(8, true)) : view.getUint32(4, true);
      expect(first).toBe(length - last.length);
      // Read back with the blocks left out.
      const source = {
        size: length,
        async read(offset: number, count: number) {
          if (offset >= first) return last.slice(offset - first, offset - first + count);
          return offset === 0 ? header.slice(0, count) : new Uint8Array(count);
        },
      };
      const { width, height: rows, variant } = await codec.probe(source, 1);
      expect([width, rows, variant]).toEqual([16, height, `${isBig ? "BigTIFF " : ""}deflate pyramid`]);
    }
  });
});

describe("rows of a decoded image", () => {
  test.each(["tif-jpeg-ycbcr-tiled.tif", "tif-rgb16-deflate.tif", "base.png", "jpg-gray.jpg"])(
    "of %s become a file with the same pixels",
    async (name) => {
      const data = fixture(name);
      const bytes = memoryBytes(data);
      const recognised = codecs.recognise(data.subarray(0, 64))!;
      const header = await recognised.probe(bytes, 1);
      const { width, height } = header;
      const region = { x: 0, y: 0, width, height };
      const whole = { header, page: 1, region, scaleFactor: 1 };
      const rows = recognised.rows!;
      const decodeRows = async (take: TakeRows) =>
        void (await rows.decode(bytes, whole, rows.apart(whole) ?? height, take));
      const sink = memorySink();
      await writeTiffPyramid(decodeRows, header, sink, { compression: deflate }, { host: testHost, resize });
      const file = sink.file();
      const expected = await recognised.decode(bytes, whole);
      const read = await reference(file);
      expect(largestDifference(read.data, expected.data)).toBe(0);
      expect((await codec.probe(memoryBytes(file), 1)).variant).toBe("deflate pyramid");
    },
  );

  test("are refused if the compression does not take them", async () => {
    const options = { compression: jpeg };
    for (const [bands, depth] of [
      [3, 16],
      [4, 8],
      [2, 8],
    ] as const)
      await expect(written(waves({ width: 20, height: 20 }, bands, depth), options)).rejects.toMatchObject({
        kind: "encode",
        code: "not_encodable",
      });
    const lab = { ...waves({ width: 20, height: 20 }, 3, 8), interpretation: "lab" } as const;
    await expect(written(lab, { compression: deflate })).rejects.toMatchObject({ code: "not_encodable" });
  });

  test("have to be complete", async () => {
    const pixels = waves({ width: 20, height: 20 }, 3, 8);
    const size: Size = { width: 20, height: 21 };
    const sink = memorySink();
    const write = writeTiffPyramid(
      rowsOf(pixels, 7),
      size,
      sink,
      { compression: jpeg },
      { host: testHost, resize },
    );
    await expect(write).rejects.toMatchObject({ kind: "decode" });
  });

  test("stop at an error of the sink", async () => {
    const pixels = waves({ width: 600, height: 600 }, 3, 8);
    let appended = 0;
    const sink = {
      append: async () => {
        if (++appended === 3) throw new Error("disk full");
      },
      replace: async () => {},
    };
    const options = { compression: deflate };
    const write = writeTiffPyramid(rowsOf(pixels, 64), pixels, sink, options, { host: testHost, resize });
    await expect(write).rejects.toThrow("disk full");
    expect(appended).toBe(3);
  });
});
