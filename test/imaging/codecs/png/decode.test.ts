import { describe, expect, it } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { scaleFactorsOf } from "../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { type PixelBuffer, samplesLike } from "../../../../src/imaging/pipeline/pixels.ts";
import { resize } from "../../../../src/imaging/pipeline/steps/resize.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import fc from "../../../properties.ts";
import { reference } from "../reference.ts";
import { allKinds, makePng, samplesOf, sequence } from "./make-png.ts";

const codec = createCodecs(testHost).decoder("png");
const sound = expectedRows().filter(
  (row) => row.file!.endsWith(".png") && !/^(bad|bomb|mislabelled)/.test(row.file!),
);

async function decode(file: Uint8Array, region?: Rectangle, scaleFactor = 1): Promise<PixelBuffer> {
  const bytes = memoryBytes(file);
  const header = await codec.probe(bytes, 1);
  return codec.decode(bytes, { header, page: 1, region: region ?? whole(header), scaleFactor });
}

function whole({ width, height }: ImageHeader): Rectangle {
  return { x: 0, y: 0, width, height };
}

function expectSame(pixels: PixelBuffer, other: Omit<PixelBuffer, "interpretation">): void {
  expect([pixels.width, pixels.height, pixels.bands]).toEqual([other.width, other.height, other.bands]);
  expect(pixels.data.constructor).toBe(other.data.constructor);
  const differs = pixels.data.findIndex((sample, i) => sample !== other.data[i]);
  expect(differs).toBe(-1);
  expect(pixels.data.length).toBe(other.data.length);
}

/** Returns a region of an image, unchanged. */
function cropped(image: Omit<PixelBuffer, "interpretation">, { x, y, width, height }: Rectangle) {
  const { bands } = image;
  const length = width * bands;
  const data = samplesLike(image, length * height);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * image.width + x) * bands;
    data.set(image.data.subarray(from, from + length), row * length);
  }
  return { width, height, bands, data };
}

/** Returns the image at 1/factor: halved in doubles, again and again. */
function halved(image: PixelBuffer, factor: number): PixelBuffer {
  const axis = (length: number) => ({ size: Math.ceil(length / 2), origin: 0, scale: 2 });
  return factor === 1 ? image : halved(resize(image, axis(image.width), axis(image.height)), factor / 2);
}

/** Compares pixels with others of which samples may differ by `most` levels. */
function expectClose(pixels: PixelBuffer, other: PixelBuffer, most: number): void {
  expect([pixels.width, pixels.height, pixels.bands]).toEqual([other.width, other.height, other.bands]);
  let worst = 0;
  for (const [i, sample] of pixels.data.entries()) worst = Math.max(worst, Math.abs(sample - other.data[i]!));
  expect(worst).toBeLessThanOrEqual(most);
}

describe("the header of a PNG", () => {
  for (const row of sound)
    it(`of ${row.file} matches other tools`, async () => {
      const header = await codec.probe(memoryBytes(fixture(row.file!)), 1);
      expect(header).toMatchObject({
        width: Number(row.width),
        height: Number(row.height),
        bands: Number(row.bands),
        depth: row.format === "ushort" ? 16 : 8,
        orientation: Number(row.orientation || 1),
        pages: 1,
      });
      expect(header.colour?.from === "icc").toBe(row.icc === "yes");
    });

  it("has the resolution of pHYs in pixels per centimetre", async () => {
    const content = Buffer.alloc(9, 1);
    content.writeUInt32BE(11811, 0); // 300 dpi in pixels per metre
    content.writeUInt32BE(5906, 4);
    const file = makePng({
      width: 1,
      height: 1,
      depth: 8,
      type: 0,
      sample: () => 0,
      before: [["pHYs", content]],
    });
    expect((await codec.probe(memoryBytes(file), 1)).resolution).toEqual({ x: 118.11, y: 59.06 });
    content[8] = 0;
    const aspect = makePng({
      width: 1,
      height: 1,
      depth: 8,
      type: 0,
      sample: () => 0,
      before: [["pHYs", content]],
    });
    expect((await codec.probe(memoryBytes(aspect), 1)).resolution).toBeUndefined();
  });

  it("knows only page 1", async () => {
    await expect(codec.probe(memoryBytes(fixture("base.png")), 2)).rejects.toMatchObject({
      kind: "not-found",
      code: "page_not_found",
    });
  });
});

describe("the pixels of a PNG", () => {
  for (const row of sound)
    it(`of ${row.file} match sharp`, async () => {
      const file = fixture(row.file!);
      expectSame(await decode(file), await reference(file));
    });

  for (const [type, depth] of allKinds)
    for (const interlaced of [false, true])
      for (const transparent of type < 4 ? [false, true] : [false])
        it(`of colour type ${type}, ${depth} bit${interlaced ? ", interlaced" : ""}${transparent ? ", with tRNS" : ""} are exact, whole, and cropped`, async () => {
          const next = sequence(type * 100 + depth);
          const [width, height] = [45, 37];
          const bands = samplesOf[type]!;
          const levels = 2 ** Math.min(depth, 3);
          const spread = (2 ** depth - 1) / (levels - 1);
          const values = Array.from({ length: width * height * bands }, () =>
            type === 3 ? (next() >>> 8) % 2 ** depth : Math.round(((next() >>> 8) % levels) * spread),
          );
          const file = makePng({
            width,
            height,
            depth,
            type,
            interlaced,
            sample: (x, y, band) => values[(y * width + x) * bands + band]!,
            filter: (n) => (n * 3 + 1) % 5,
            chunkSize: 97,
            before: [
              ...(type === 3
                ? ([["PLTE", new Uint8Array(3 * 2 ** depth).map(() => next() >>> 24)]] as const)
                : []),
              ...(transparent ? [["tRNS", transparency(type, depth, values)] as const] : []),
            ],
          });
          const all = await reference(file);
          expect(all.bands).toBe((type === 3 ? 3 : bands) + (transparent ? 1 : 0));
          expectSame(await decode(file), all);
          for (const part of [
            { x: 8, y: 16, width: 3, height: 2 },
            { x: 16, y: 8, width: width - 16, height: height - 8 },
          ])
            expectSame(await decode(file, part), cropped(all, part));
        });

  it("of any region equal the crop of the whole", async () => {
    for (const name of ["png-rgb8-interlaced.png", "png-gray1.png", "png-rgba16.png", "png-pal4.png"]) {
      const file = fixture(name);
      const all = await decode(file);
      await fc.assert(
        fc.asyncProperty(regionOf(all), async (region) => {
          expectSame(await decode(file, region), cropped(all, region));
        }),
        { numRuns: 12 },
      );
    }
  });

  it("are halved with Lanczos-3 at every offered scale, whole and in part", async () => {
    for (const name of ["png-rgba8.png", "png-rgb16.png"]) {
      const file = fixture(name);
      const header = await codec.probe(memoryBytes(file), 1);
      const all = await decode(file);
      const factors = scaleFactorsOf(codec, header);
      expect(factors.slice(0, 2)).toEqual([1, 2]);
      for (const factor of factors) {
        const level = await decode(file, whole(header), factor);
        // a level of rounding for each halving, with room for colours of low alpha
        if (level.bands === 3) expectClose(level, halved(all, factor), 2 * Math.log2(factor));
        const part = { x: 4 * factor, y: 8 * factor, width: 20 * factor, height: 10 * factor };
        const within = { x: 4, y: 8, width: 20, height: 10 };
        expectSame(await decode(file, part, factor), cropped(level, within));
      }
    }
  });

  it("of a narrow interlaced picture lack the passes that have no column", async () => {
    for (const [width, height] of [
      [1, 1],
      [1, 9],
      [3, 2],
      [9, 1],
    ] as const) {
      const sample = (x: number, y: number, band: number) => x * 20 + y * 7 + band;
      const file = makePng({
        width,
        height,
        depth: 8,
        type: 2,
        interlaced: true,
        sample,
        filter: (n) => n % 5,
      });
      expectSame(await decode(file), await reference(file));
    }
  });
});

describe("reading a PNG", () => {
  it("takes only the front of the file for a region in its top tenth", async () => {
    const file = fixture("png-rgb8-gama-linear.png");
    let taken = 0;
    let furthest = 0;
    const counting: ByteSource = {
      size: file.length,
      async read(offset, length) {
        const part = file.slice(offset, offset + length);
        taken += part.length;
        furthest = Math.max(furthest, offset + part.length);
        return part;
      },
    };
    const header = await codec.probe(counting, 1);
    expect(taken).toBeLessThanOrEqual(16 * 1024);
    const region = { x: 0, y: 0, width: 600, height: 40 };
    const pixels = await codec.decode(counting, { header, page: 1, region, scaleFactor: 1 });
    expectSame(pixels, cropped(await decode(file), region));
    expect(furthest).toBeLessThan(file.length / 2);
  });

  it("needs memory in proportion to the region and the width, not the picture", async () => {
    const header = {
      ...(await codec.probe(memoryBytes(fixture("base.png")), 1)),
      width: 10_000,
      height: 10_000,
    };
    const tile = { x: 0, y: 0, width: 512, height: 512 };
    const ask = (region: Rectangle, scaleFactor: number) =>
      codec.memory({ header, page: 1, region, scaleFactor }, 1e8);
    expect(ask(whole(header), 1)).toBeGreaterThanOrEqual(3e8);
    expect(ask(tile, 1)).toBeLessThan(2e7);
    // A read of an overview makes all of it: two copies of 1,250 x 1,250 pixels here, and rows of the file.
    expect(ask(whole(header), 16)).toBeLessThan(5e7);
    expect(ask(tile, 16)).toBe(ask(whole(header), 16));
  });
});

function regionOf({ width, height }: PixelBuffer): fc.Arbitrary<Rectangle> {
  return fc
    .tuple(fc.nat(width - 1), fc.nat(height - 1), fc.nat(width - 1), fc.nat(height - 1))
    .map(([x, y, w, h]) => ({ x, y, width: 1 + (w % (width - x)), height: 1 + (h % (height - y)) }));
}

/** For a palette some alphas; otherwise the first pixel's colour. */
function transparency(type: number, depth: number, values: readonly number[]): Uint8Array {
  if (type === 3) return new Uint8Array(2 ** depth - 1).map((_, i) => (i * 83) & 255);
  return Uint8Array.from(values.slice(0, samplesOf[type]!).flatMap((value) => [value >> 8, value & 255]));
}
