import { describe, expect, it } from "vitest";
import { scaleFactorsOf } from "../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { pngCodec } from "../../../../src/imaging/codecs/png/codec.ts";
import { type ByteSource, memoryBytes } from "../../../../src/imaging/lib/byte-source.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import fc from "../../../properties.ts";
import { reference } from "../reference.ts";
import { allKinds, makePng, samplesOf, sequence } from "./make-png.ts";

const codec = pngCodec(testHost);
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

/** The plain way to the same result: crop, then average every box. */
function reduced(image: Omit<PixelBuffer, "interpretation">, region: Rectangle, factor: number) {
  const { bands } = image;
  const alpha = bands === 2 || bands === 4;
  const colours = alpha ? bands - 1 : bands;
  const [width, height] = [Math.ceil(region.width / factor), Math.ceil(region.height / factor)];
  const data =
    image.data instanceof Uint16Array
      ? new Uint16Array(width * height * bands)
      : new Uint8Array(width * height * bands);
  for (let v = 0; v < height; v++)
    for (let u = 0; u < width; u++) {
      const box: number[][] = [];
      for (let y = v * factor; y < Math.min((v + 1) * factor, region.height); y++)
        for (let x = u * factor; x < Math.min((u + 1) * factor, region.width); x++) {
          const at = ((region.y + y) * image.width + region.x + x) * bands;
          box.push([...image.data.subarray(at, at + bands)]);
        }
      const weights = box.map((pixel) => (alpha && factor > 1 ? pixel[colours]! : 1));
      const weight = weights.reduce((a, b) => a + b);
      const to = (v * width + u) * bands;
      for (let band = 0; band < colours; band++) {
        const sum = box.reduce((total, pixel, i) => total + pixel[band]! * weights[i]!, 0);
        data[to + band] = weight === 0 ? 0 : Math.round(sum / weight);
      }
      if (alpha)
        data[to + colours] = Math.round(
          box.reduce((total, pixel) => total + pixel[colours]!, 0) / box.length,
        );
    }
  return { width, height, bands, data };
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
        it(`of colour type ${type}, ${depth} bit${interlaced ? ", interlaced" : ""}${transparent ? ", with tRNS" : ""} are exact, whole, cropped and reduced`, async () => {
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
                ? ([["PLTE", Uint8Array.from({ length: 3 * 2 ** depth }, () => next() >>> 24)]] as const)
                : []),
              ...(transparent ? [["tRNS", transparency(type, depth, values)] as const] : []),
            ],
          });
          const all = await reference(file);
          expect(all.bands).toBe((type === 3 ? 3 : bands) + (transparent ? 1 : 0));
          expectSame(await decode(file), all);
          for (const factor of [1, 2, 4, 8]) {
            const region = { x: 8, y: 16, width: factor * 3, height: factor * 2 };
            const edge = { x: 16, y: 8, width: width - 16, height: height - 8 };
            for (const part of [region, edge, whole(all as unknown as ImageHeader)])
              if (part.x + part.width <= width && part.y + part.height <= height)
                expectSame(await decode(file, part, factor), reduced(all, part, factor));
          }
        });

  it("of any region equal the crop of the whole", async () => {
    for (const name of ["png-rgb8-interlaced.png", "png-gray1.png", "png-rgba16.png", "png-pal4.png"]) {
      const file = fixture(name);
      const all = await decode(file);
      await fc.assert(
        fc.asyncProperty(regionOf(all), async (region) => {
          expectSame(await decode(file, region), reduced(all, region, 1));
        }),
        { numRuns: 12 },
      );
    }
  });

  it("hold at every offered scale, to a single pixel", async () => {
    for (const name of ["png-rgba8.png", "png-rgb16.png"]) {
      const file = fixture(name);
      const header = await codec.probe(memoryBytes(file), 1);
      const all = await decode(file);
      const factors = scaleFactorsOf(codec, header);
      expect(factors.slice(0, 4)).toEqual([1, 2, 4, 8]);
      for (const factor of factors)
        expectSame(await decode(file, whole(header), factor), reduced(all, whole(header), factor));
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
    expectSame(pixels, reduced(await decode(file), region, 1));
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
    expect(ask(whole(header), 16)).toBeLessThan(2e7);
  });
});

function regionOf({ width, height }: PixelBuffer): fc.Arbitrary<Rectangle> {
  return fc
    .tuple(fc.nat(width - 1), fc.nat(height - 1), fc.nat(width - 1), fc.nat(height - 1))
    .map(([x, y, w, h]) => ({ x, y, width: 1 + (w % (width - x)), height: 1 + (h % (height - y)) }));
}

/** For a palette some alphas; otherwise the first pixel's colour. */
function transparency(type: number, depth: number, values: readonly number[]): Uint8Array {
  if (type === 3) return Uint8Array.from({ length: 2 ** depth - 1 }, (_, i) => (i * 83) & 255);
  return Uint8Array.from(values.slice(0, samplesOf[type]!).flatMap((value) => [value >> 8, value & 255]));
}
