import sharp, { type TiffOptions } from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { storedScales } from "../../../../../src/imaging/codecs/tif/directory/stages.ts";
import { fixture, testHost } from "../../../../host.ts";
import { plainFields, type TestPicture, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

/** Returns the pixels decoded by libvips, 8 or 16 bit, in the file's number of bands. */
async function reference(data: Uint8Array, bands: number, depth: 8 | 16) {
  const space = bands === 1 ? (depth === 16 ? "grey16" : "b-w") : depth === 16 ? "rgb16" : "srgb";
  const raw = await sharp(data)
    .toColourspace(space)
    .raw({ depth: depth === 16 ? "ushort" : "uchar" })
    .toBuffer();
  // It returns gray with alpha as three equal bands and alpha.
  return bands === 2 ? raw.filter((_, i) => i % 4 === 0 || i % 4 === 3) : raw;
}

/** Expects that the samples are equal, byte for byte. */
function expectSame(actual: Uint8Array | Uint16Array, expected: Uint8Array) {
  expect(actual.byteLength).toBe(expected.byteLength);
  const bytes = Buffer.from(actual.buffer, actual.byteOffset, actual.byteLength);
  expect(bytes.findIndex((byte, i) => byte !== expected[i])).toBe(-1);
}

const photo = sharp(fixture("tif-strip-none.tif")).extract({ left: 100, top: 50, width: 131, height: 77 });
const gray = photo.clone().toColourspace("b-w");
const gray16 = photo.clone().toColourspace("grey16");
const rgb16 = photo.clone().toColourspace("rgb16");
const grayAlpha = gray.clone().ensureAlpha(0.4);

const sources = { photo, gray, gray16, rgb16, grayAlpha } as const;
const writings: readonly (readonly [keyof typeof sources, TiffOptions])[] = [
  ...(["none", "lzw", "deflate", "packbits"] as const).flatMap((compression) =>
    (["photo", "gray", "gray16", "rgb16", "grayAlpha"] as const).flatMap((source) =>
      (["none", "horizontal"] as const).flatMap((predictor) => [
        [source, { compression, predictor }] as const,
        [source, { compression, predictor, tile: true, tileWidth: 64, tileHeight: 32 }] as const,
      ]),
    ),
  ),
  ...([1, 2, 4] as const).flatMap((bitdepth) =>
    (["none", "deflate", "packbits", "lzw"] as const).flatMap((compression) => [
      ["gray", { compression, bitdepth, predictor: "none" }] as const,
      [
        "gray",
        { compression, bitdepth, predictor: "none", tile: true, tileWidth: 48, tileHeight: 32 },
      ] as const,
    ]),
  ),
  ["gray", { bitdepth: 1, compression: "none", miniswhite: true }],
  ["gray", { compression: "none", miniswhite: true }],
  ["photo", { compression: "deflate", bigtiff: true }],
  ...([1, 80, 90, 100] as const).flatMap((quality) => [
    ["photo", { compression: "jpeg", quality }] as const,
    ["photo", { compression: "jpeg", quality, tile: true, tileWidth: 64, tileHeight: 64 }] as const,
    ["gray", { compression: "jpeg", quality }] as const,
  ]),
];

describe("kinds that libvips writes", () => {
  test.each(writings.map(([source, options]) => ({ source, options, name: JSON.stringify(options) })))(
    "$source, $name, equal its own reading",
    async ({ source, options }) => {
      const data = await sources[source].clone().tiff(options).toBuffer();
      const pixels = await decode(data);
      const depth = pixels.data instanceof Uint16Array ? 16 : 8;
      expect(depth).toBe(source.endsWith("16") ? 16 : 8);
      expectSame(pixels.data, await reference(data, pixels.bands, depth));
    },
  );
});

const W = 5;
const H = 4;
const ramp = (count: number, step = 7) => new Uint8Array(count).map((_, i) => (i * step) & 255);
const strip = (fields: TestPicture["fields"], ...blocks: Uint8Array[]) => [{ fields, blocks }];

describe("kinds built by hand", () => {
  const bigEndian = { bigEndian: true };
  test.each([
    [
      "16-bit gray in big-endian order",
      tiffFile(strip(plainFields(W, H, 1, 16, 1), ramp(W * H * 2)), bigEndian),
      16,
    ],
    [
      "16-bit RGB in big-endian order",
      tiffFile(strip(plainFields(W, H, 3, 16, 2), ramp(W * H * 6, 11)), bigEndian),
      16,
    ],
    ["16-bit WhiteIsZero", tiffFile(strip(plainFields(W, H, 1, 16, 0), ramp(W * H * 2, 13))), 16],
    [
      "RGB with straight alpha",
      tiffFile(strip(plainFields(W, H, 4, 8, 2, [338, 3, 2]), ramp(W * H * 4, 5))),
      8,
    ],
    [
      "planar 16-bit RGB in strips of two rows",
      tiffFile(
        strip(
          plainFields(W, H, 3, 16, 2, [284, 3, 2], [278, 4, 2]),
          ...Array.from({ length: 6 }, (_, i) => ramp(W * 2 * 2, 3 + i)),
        ),
      ),
      16,
    ],
    [
      "a palette of 4 bits",
      tiffFile(
        strip(
          plainFields(W, H, 1, 4, 3, [320, 3, ...Array.from({ length: 48 }, (_, i) => (i * 1361) & 0xffff)]),
          ramp(3 * H, 41),
        ),
      ),
      8,
    ],
  ] as const)("%s equal the reading of libvips", async (_name, data, depth) => {
    const pixels = await decode(data);
    expect(pixels.data instanceof Uint16Array ? 16 : 8).toBe(depth);
    expectSame(pixels.data, await reference(data, pixels.bands, depth));
  });

  test("associated alpha is divided out", async () => {
    const stored = Uint8Array.of(50, 100, 25, 128, 10, 20, 30, 255, 0, 0, 0, 0, 64, 63, 1, 64);
    const data = tiffFile(strip(plainFields(4, 1, 4, 8, 2, [338, 3, 1]), stored));
    // round(50 * 255 / 128) and so on; opaque and transparent pixels stay.
    expect([...(await decode(data)).data]).toEqual([
      100, 199, 50, 128, 10, 20, 30, 255, 0, 0, 0, 0, 255, 251, 4, 64,
    ]);
  });

  // One pixel of 1, 2, 3 and so on; alpha in the place of what says so, else no alpha.
  test.each([
    ["RGB with another sample in front of alpha", 2, [0, 2], [1, 2, 3, 5]],
    ["RGB with another sample behind alpha", 2, [2, 0], [1, 2, 3, 4]],
    ["RGB with two kinds of alpha", 2, [0, 2, 1], [1, 2, 3, 5]],
    ["RGB with two samples that say nothing", 2, [0, 0], [1, 2, 3]],
    ["RGB with more kinds than samples", 2, [0, 0, 2], [1, 2, 3], 5],
    ["associated alpha behind another sample", 2, [0, 1], [51, 102, 153, 5]],
    ["gray with another sample in front of alpha", 1, [0, 2], [1, 3]],
    ["CMYK with alpha", 5, [2], [1, 2, 3, 4, 5]],
    ["CMYK with associated alpha", 5, [1], [51, 102, 153, 204, 5]],
    ["CMYK with another sample in front of alpha", 5, [0, 2], [1, 2, 3, 4, 6]],
    ["CMYK with a sample that says nothing", 5, [0], [1, 2, 3, 4]],
    ["CIELab with another sample in front of alpha", 8, [0, 2], [1, 130, 131, 5]],
  ] as const)("%s, interleaved and planar", async (_name, photometric, extra, expected, count?: number) => {
    const colours = { 1: 1, 2: 3, 5: 4, 8: 3 }[photometric];
    const samples = count ?? colours + extra.length;
    const stored = new Uint8Array(samples).map((_, i) => i + 1);
    const fields = plainFields(1, 1, samples, 8, photometric, [338, 3, ...extra]);
    const planes = [...stored].map((value) => Uint8Array.of(value));
    for (const file of [
      tiffFile(strip(fields, stored)),
      tiffFile(strip([...fields, [284, 3, 2]], ...planes)),
    ]) {
      const pixels = await decode(file);
      expect([...pixels.data]).toEqual([...expected]);
      expect(pixels.bands).toBe(expected.length);
    }
  });

  test("bits filled from the low end are turned round", async () => {
    const fields = plainFields(8, 1, 1, 1, 1, [266, 3, 2]);
    const pixels = await decode(tiffFile(strip(fields, Uint8Array.of(0b00010011))));
    expect([...pixels.data]).toEqual([255, 255, 0, 0, 255, 0, 0, 0]);
  });

  test.each([
    [1, 8],
    [1, 16],
    [8, 8],
    [32773, 8],
  ] as const)(
    "bits filled from the low end, compression %i of %i bits, equal the reading of libvips",
    async (compression, bits) => {
      const pixels = ramp((W * H * bits) / 8, 11);
      const literal = Uint8Array.of(pixels.length - 1, ...pixels);
      const stored =
        compression === 8 ? await testHost.deflate(pixels, 6) : compression === 1 ? pixels : literal;
      const turned = stored.map((byte) =>
        Number.parseInt([...byte.toString(2).padStart(8, "0")].reverse().join(""), 2),
      );
      const data = tiffFile(strip(plainFields(W, H, 1, bits, 1, [259, 3, compression], [266, 3, 2]), turned));
      expectSame((await decode(data)).data, await reference(data, 1, bits));
    },
  );

  test("a JPEG keeps its bit order if FillOrder names another", async () => {
    const jpeg = new Uint8Array(await gray.clone().jpeg().toBuffer());
    const data = tiffFile(strip(plainFields(131, 77, 1, 8, 1, [259, 3, 7], [266, 3, 2]), jpeg));
    expectSame((await decode(data)).data, await reference(data, 1, 8));
  });

  test("deflate that is padded with zeros is read", async () => {
    const stored = ramp(W * H, 3);
    const stream = await testHost.deflate(stored, 6);
    const padded = new Uint8Array(stream.length + 2);
    padded.set(stream);
    const data = tiffFile(strip(plainFields(W, H, 1, 8, 1, [259, 3, 8]), padded));
    expect((await decode(data)).data).toEqual(stored);
  });

  test("a missing RowsPerStrip means one strip, and missing byte counts are worked out", async () => {
    const fields = plainFields(W, H, 1, 8, 1).filter(([tag]) => tag !== 278);
    const data = tiffFile(strip(fields, ramp(W * H)));
    const view = new DataView(data.buffer);
    const directory = view.getUint32(4, true);
    for (let i = 0; i < view.getUint16(directory, true); i++)
      if (view.getUint16(directory + 2 + i * 12, true) === 279)
        view.setUint16(directory + 2 + i * 12, 60_000, true);
    expect((await decode(data)).data).toEqual(ramp(W * H));
  });
});

describe("kinds that are refused by their header", () => {
  const plain = (...more: TestPicture["fields"]) =>
    tiffFile(strip(plainFields(W, H, 3, 8, 2, ...more), ramp(60)));
  test.each([
    ["lerc", plain([259, 3, 34887])],
    ["compression 777", plain([259, 3, 777])],
    ["ITULab", plain([262, 3, 10])],
    ["LogLuv", plain([262, 3, 32845])],
    ["photometric interpretation 99", plain([262, 3, 99])],
    ["sample format 6", plain([339, 3, 6, 6, 6])],
    ["24 bits", plain([258, 3, 24, 24, 24])],
    ["several", plain([258, 3, 8, 8, 4])],
    ["reversed bits", plain([266, 3, 2], [259, 3, 50_001])],
    [
      "inks of other names",
      tiffFile(
        strip(plainFields(W, H, 4, 8, 5, [332, 3, 2], [333, 1, ...Buffer.from("orange\0")]), ramp(80)),
      ),
    ],
    ["predictor 3", tiffFile(strip(plainFields(W, H, 1, 8, 1, [259, 3, 5], [317, 3, 9]), ramp(20)))],
  ])("%s", async (reason, data) => {
    const header = await codec.probe(memoryBytes(data), 1);
    expect([header.width, header.height]).toEqual([W, H]);
    expect(header.unsupported).toContain(reason === "predictor 3" ? "predictor 1, 2 or 3" : reason);
    await expect(decode(data)).rejects.toMatchObject({ kind: "unsupported" });
  });
});

describe("pages", () => {
  const page = (width: number, height: number, ...more: TestPicture["fields"]): TestPicture => ({
    fields: plainFields(width, height, 1, 8, 1, ...more),
    blocks: [ramp(width * height)],
  });
  const pagesOf = async (...pictures: TestPicture[]) =>
    (await codec.probe(memoryBytes(tiffFile(pictures)), 1)).pages;

  test("that are marked as reduced or as masks do not count", async () => {
    const reduced = [254, 4, 1] as const;
    const mask = [254, 4, 4] as const;
    expect(await pagesOf(page(8, 8), page(4, 4, reduced), page(8, 8, mask), page(6, 6))).toBe(2);
  });

  test("of equal size count, also when they are one pixel large", async () => {
    expect(await pagesOf(page(8, 8), page(8, 8))).toBe(2);
    expect(await pagesOf(page(1, 1), page(1, 1))).toBe(2);
  });

  test("that halve without a marker are levels, unless they are marked as pages", async () => {
    expect(await pagesOf(page(9, 8), page(4, 4), page(2, 2))).toBe(1);
    expect(await pagesOf(page(9, 8), page(4, 4, [254, 4, 2]), page(2, 2))).toBe(3);
    expect(await pagesOf(page(9, 8), page(4, 4), page(3, 3))).toBe(3);
  });

  test("have their own levels", async () => {
    const reduced = [254, 4, 1] as const;
    const data = memoryBytes(tiffFile([page(8, 8), page(4, 4, reduced), page(24, 24), page(8, 8, reduced)]));
    expect(storedScales(await codec.probe(data, 1))).toEqual([1, 2]);
    expect(storedScales(await codec.probe(data, 2))).toEqual([1, 3]);
  });
});
