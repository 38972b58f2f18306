// Samples of unusual depths and formats. Expected values are what `convert FILE -depth 16 rgba:-` of
// ImageMagick 6.9.11 and the same of GraphicsMagick 1.3.40 print for these files (the latter within a level
// of 8 bits), and for signed samples those of libvips 8.18.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../../host.ts";
import fc from "../../../../properties.ts";
import { seeded } from "../../../../seeded.ts";
import { type Field, plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array, window?: { readonly low: number; readonly high: number }) {
  const bytes = memoryBytes(data);
  const header = await codec.probe(bytes, 1);
  if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(bytes, { header, page: 1, region, scaleFactor: 1, ...(window && { window }) });
}

/** Rows of `bits` each, the high bits first, that end at whole bytes. */
function packed(bits: number, ...rows: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from(
    rows.flatMap((row) => {
      const text = row.map((value) => value.toString(2).padStart(bits, "0")).join("");
      return Array.from({ length: Math.ceil(text.length / 8) }, (_, i) =>
        Number.parseInt(text.slice(8 * i, 8 * i + 8).padEnd(8, "0"), 2),
      );
    }),
  );
}

const numbers = {
  8: (view: DataView, at: number, value: number) => view.setInt8(at, value),
  16: (view: DataView, at: number, value: number, little: boolean) => view.setInt16(at, value, little),
  32: (view: DataView, at: number, value: number, little: boolean) => view.setInt32(at, value, little),
} as const;
function integers(bits: 8 | 16 | 32, values: readonly number[], little = true): Uint8Array {
  const out = new Uint8Array((values.length * bits) / 8);
  const view = new DataView(out.buffer);
  values.forEach((value, i) => {
    numbers[bits](view, (i * bits) / 8, value, little);
  });
  return out;
}

/** Sign, exponent and fraction of a number of `bits`, as bytes of a little-endian file. */
function float(bits: 16 | 24 | 64, value: number): number[] {
  if (bits === 64) return [...new Uint8Array(Float64Array.of(value).buffer)];
  const [raw = 0] = new Uint32Array(Float32Array.of(value).buffer);
  const [exponentBits, fractionBits] = bits === 16 ? [5, 10] : [7, 16];
  const most = 2 ** exponentBits - 1;
  const exponent = (raw >>> 23) & 255;
  const own = exponent === 0 ? 0 : exponent === 255 ? most : exponent - 127 + (most >> 1);
  const whole =
    (raw >>> 31) * 2 ** (bits - 1) + own * 2 ** fractionBits + ((raw & 0x7fffff) >> (23 - fractionBits));
  return Array.from({ length: bits / 8 }, (_, i) => (whole >> (8 * i)) & 255);
}

const file = (
  [width, samples, bits, photometric]: readonly [number, number, number, number],
  block: Uint8Array,
  ...more: readonly Field[]
) => tiffFile([{ fields: plainFields(width, 1, samples, bits, photometric, ...more), blocks: [block] }]);

const gray = (bits: number, values: readonly number[], ...more: readonly Field[]) =>
  file([values.length, 1, bits, 1], packed(bits, values), ...more);

const steps = (bits: number) => Array.from({ length: 8 }, (_, i) => Math.floor((i * (2 ** bits - 1)) / 7));

describe("integers that fill no byte", () => {
  test.each([
    [3, 8, [0, 36, 73, 109, 146, 182, 219, 255]],
    [5, 8, [0, 33, 66, 107, 140, 181, 214, 255]],
    [6, 8, [0, 36, 73, 109, 146, 182, 219, 255]],
    [7, 8, [0, 36, 72, 108, 145, 181, 217, 255]],
    [9, 16, [0, 9362, 18724, 28086, 37449, 46811, 56173, 65535]],
    [10, 16, [0, 9353, 18706, 28059, 37412, 46765, 56118, 65535]],
    [11, 16, [0, 9348, 18697, 28077, 37426, 46806, 56155, 65535]],
    [12, 16, [0, 9362, 18724, 28086, 37449, 46811, 56173, 65535]],
    [13, 16, [0, 9361, 18722, 28083, 37444, 46805, 56166, 65535]],
    [14, 16, [0, 9360, 18721, 28085, 37446, 46810, 56171, 65535]],
  ] as const)("of %i bits are scaled to %i", async (bits, depth, expected) => {
    const { data } = await decode(gray(bits, steps(bits)));
    expect(data instanceof Uint16Array ? 16 : 8).toBe(depth);
    expect([...data]).toEqual([...expected]);
    const inverted = await decode(gray(bits, steps(bits), [262, 3, 0]));
    expect([...inverted.data]).toEqual(expected.map((value) => (depth === 16 ? 65535 : 255) - value));
  });

  test.each([
    [4, [0, 5, 15, 15, 10, 5], [0, 85, 255, 255, 170, 85]],
    [2, [0, 1, 2, 3, 2, 1], [0, 85, 170, 255, 170, 85]],
    [12, [0, 2047, 4095, 4095, 0, 1023], [0, 32759, 65535, 65535, 0, 16372]],
    [14, [0, 8191, 16383, 16383, 0, 4095], [0, 32765, 65535, 65535, 0, 16381]],
  ] as const)(
    "of %i bits are RGB, interleaved and planar, in either byte order",
    async (bits, values, expected) => {
      const interleaved = [{ fields: plainFields(2, 1, 3, bits, 2), blocks: [packed(bits, values)] }];
      const plane = (band: number) => packed(bits, [values[band]!, values[band + 3]!]);
      const planar = [
        { fields: plainFields(2, 1, 3, bits, 2, [284, 3, 2]), blocks: [plane(0), plane(1), plane(2)] },
      ];
      for (const pictures of [interleaved, planar])
        for (const bigEndian of [false, true])
          expect([...(await decode(tiffFile(pictures, { bigEndian }))).data]).toEqual([...expected]);
    },
  );

  test("of 4 bits may have alpha, straight or associated", async () => {
    const values = [0, 0, 5, 15, 10, 8, 15, 4];
    const withAlpha = (kind: number) => file([4, 2, 4, 1], packed(4, values), [338, 3, kind]);
    const straight = [0, 0, 85, 255, 170, 136, 255, 68];
    expect([...(await decode(withAlpha(2))).data]).toEqual(straight);
    expect([...(await decode(withAlpha(0))).data]).toEqual(straight);
    expect([...(await decode(withAlpha(1))).data]).toEqual([0, 0, 85, 255, 255, 136, 255, 68]);
    const rgba = file([2, 4, 4, 2], packed(4, [0, 5, 15, 15, 15, 10, 5, 8]), [338, 3, 2]);
    expect([...(await decode(rgba)).data]).toEqual([0, 85, 255, 255, 255, 170, 85, 136]);
  });

  test("of 12 bits are the same by region and in averages, from tiles", async () => {
    const random = seeded(12);
    const rows = Array.from({ length: 48 }, () => Array.from({ length: 48 }, () => random(4096)));
    const tiles = [0, 16, 32].flatMap((y) =>
      [0, 16, 32].map((x) => packed(12, ...rows.slice(y, y + 16).map((row) => row.slice(x, x + 16)))),
    );
    const fields = plainFields(40, 40, 1, 12, 1, [322, 3, 16], [323, 3, 16]);
    const bytes = memoryBytes(tiffFile([{ fields, blocks: tiles, tiled: true }]));
    const header = await codec.probe(bytes, 1);
    const level = (value: number) => Math.round((value * 65535) / 4095);
    const region = { x: 6, y: 10, width: 30, height: 20 };
    const part = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
    expect([...part.data]).toEqual(
      rows.slice(10, 30).flatMap((row) => row.slice(6, 36).map((value) => level(value))),
    );
    const half = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 2 });
    const box = [rows[10]![6]!, rows[10]![7]!, rows[11]![6]!, rows[11]![7]!].map(level);
    expect(Math.abs(half.data[0]! - box.reduce((sum, value) => sum + value, 0) / 4)).toBeLessThanOrEqual(0.5);
  });
});

describe("integers of 32 bits", () => {
  test("are scaled from their full range", async () => {
    const stored = integers(32, steps(32));
    const expected = [0, 9362, 18724, 28086, 37449, 46811, 56173, 65535];
    expect([...(await decode(file([8, 1, 32, 1], stored))).data]).toEqual(expected);
  });

  test("may be shown between percentiles of their values", async () => {
    const stored = integers(32, [1000, 1010, 1020, 1030, 1040]);
    const { data } = await decode(file([5, 1, 32, 1], stored), { low: 0, high: 100 });
    expect([...data]).toEqual([0, 16384, 32768, 49151, 65535]);
  });
});

describe("signed integers", () => {
  const values = {
    8: [-128, -64, -1, 0, 1, 32, 64, 127],
    16: [-32768, -16384, -1, 0, 1, 8192, 16384, 32767],
  };
  test.each([8, 16] as const)("of %i bits are black below zero, as in libvips", async (bits) => {
    const tiff = file([8, 1, bits, 1], integers(bits, values[bits]), [339, 3, 2]);
    const { data } = await decode(tiff);
    expect([...data]).toEqual(values[bits].map((value) => Math.max(0, value)));
    const raw = await sharp(tiff)
      .toColourspace(bits === 16 ? "grey16" : "b-w")
      .raw({ depth: bits === 16 ? "ushort" : "uchar" })
      .toBuffer();
    expect(Buffer.from(data.buffer, data.byteOffset, data.byteLength)).toEqual(raw);
  });

  test("of 32 bits have the scale of unsigned ones, in either byte order", async () => {
    const stored = [-2147483648, -1, 0, 536870912, 1073741824, 2147483647];
    for (const bigEndian of [false, true]) {
      const fields = plainFields(6, 1, 1, 32, 1, [339, 3, 2]);
      const { data } = await decode(
        tiffFile([{ fields, blocks: [integers(32, stored, !bigEndian)] }], { bigEndian }),
      );
      expect([...data]).toEqual([0, 0, 0, 8192, 16384, 32767]);
    }
  });

  test("may be shown between percentiles of their values, those below zero too", async () => {
    const tiff = file([5, 1, 16, 1], integers(16, [-200, -100, 0, 100, 200]), [339, 3, 2]);
    expect([...(await decode(tiff, { low: 0, high: 100 })).data]).toEqual([0, 16384, 32768, 49151, 65535]);
  });
});

describe("floating point", () => {
  test.each([16, 24, 64] as const)("of %i bits is 0 to 65535, and black for NaN", async (bits) => {
    const values = [-0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** -14];
    const stored = Uint8Array.from(values.flatMap((value) => float(bits, value)));
    const fields = (more: readonly Field[]) => plainFields(10, 1, 1, bits, 1, [339, 3, 3], ...more);
    const expected = [0, 0, 16384, 32768, 49151, 65535, 65535, 0, 65535, 4];
    expect([...(await decode(tiffFile([{ fields: fields([]), blocks: [stored] }]))).data]).toEqual(expected);
    const size = bits / 8;
    const big = stored.map((_, i) => stored[i - (i % size) + size - 1 - (i % size)]!);
    const bigEndian = tiffFile([{ fields: fields([]), blocks: [big] }], { bigEndian: true });
    expect([...(await decode(bigEndian)).data]).toEqual(expected);
    // predictor 3: planes of bytes, the most significant first, as differences
    const planes = new Uint8Array(stored.length).map((_, i) => big[(i % 10) * size + Math.floor(i / 10)]!);
    const differences = planes.map((byte, i) => byte - (planes[i - 1] ?? 0));
    const third = fields([
      [259, 3, 8],
      [317, 3, 3],
    ]);
    const deflated = await testHost.deflate(differences, 6);
    expect([...(await decode(tiffFile([{ fields: third, blocks: [deflated] }]))).data]).toEqual(expected);
  });

  test("of 64 bits may have predictor 2", async () => {
    const values = [0, 0.25, 0.5, 1];
    const whole = new BigUint64Array(Float64Array.from(values).buffer);
    const differences = whole.map((value, i) => value - (whole[i - 1] ?? 0n));
    const deflated = await testHost.deflate(new Uint8Array(differences.buffer), 6);
    const fields = plainFields(4, 1, 1, 64, 1, [339, 3, 3], [259, 3, 8], [317, 3, 2]);
    expect([...(await decode(tiffFile([{ fields, blocks: [deflated] }]))).data]).toEqual([
      0, 16384, 32768, 65535,
    ]);
  });
});

describe("a palette with alpha", () => {
  const map = [
    ...Array.from({ length: 256 }, (_, i) => (i * 4369) % 65536),
    ...Array.from({ length: 256 }, (_, i) => i * 257),
    ...Array.from({ length: 256 }, (_, i) => 65535 - i * 257),
  ];
  const stored = Uint8Array.of(1, 0, 2, 255, 100, 128, 255, 64);
  const colours = [17, 1, 254, 0, 34, 2, 253, 255, 170, 100, 155, 128, 255, 255, 0, 64];
  const palette = (kind: number, ...more: readonly Field[]) =>
    file([4, 2, 8, 3], stored, [320, 3, ...map], [338, 3, kind], ...more);

  test.each([0, 1, 2])("of kind %i equals the reading of libvips", async (kind) => {
    const pixels = await decode(palette(kind));
    expect(pixels.bands).toBe(4);
    if (kind !== 1) expect([...pixels.data]).toEqual(colours);
    const raw = await sharp(palette(kind)).raw().toBuffer();
    // Colours of transparent pixels do not count.
    const seen = (data: ArrayLike<number>) => Array.from(data).slice(4);
    const apart = seen(pixels.data).map((sample, i) => Math.abs(sample - seen(raw)[i]!));
    expect(Math.max(...apart)).toBeLessThanOrEqual(1);
  });

  test("is the same in planes", async () => {
    const planes = [0, 1].map((plane) => stored.filter((_, i) => i % 2 === plane));
    const fields = plainFields(4, 1, 2, 8, 3, [320, 3, ...map], [338, 3, 2], [284, 3, 2]);
    expect([...(await decode(tiffFile([{ fields, blocks: planes }]))).data]).toEqual(colours);
  });
});

describe("kinds that no two decoders read alike are refused by name", () => {
  test.each([
    ["24 bits", file([1, 3, 24, 2], new Uint8Array(9))],
    ["64 bits", file([1, 1, 64, 1], new Uint8Array(8))],
    ["signed BlackIsZero with alpha", file([1, 2, 8, 1], new Uint8Array(2), [339, 3, 2, 2], [338, 3, 2])],
    ["signed CIELab", file([1, 3, 8, 8], new Uint8Array(3), [339, 3, 2, 2, 2])],
    ["sample format 5", file([1, 1, 32, 1], new Uint8Array(4), [339, 3, 5])],
    ["predictor 2 of 12 bits", gray(12, [1, 2], [259, 3, 5], [317, 3, 2])],
    ["4 bits", file([1, 2, 4, 3], new Uint8Array(1), [320, 3, ...new Array(48).fill(0)], [338, 3, 2])],
    ["12 bits", file([1, 4, 12, 5], new Uint8Array(6))],
  ])("%s", async (reason, tiff) => {
    expect((await codec.probe(memoryBytes(tiff), 1)).unsupported).toContain(reason);
  });
});

test("a file of any depth and format ends in pixels or in an error of the service", async () => {
  const kind = fc.record({
    bits: fc.constantFrom(1, 2, 3, 5, 8, 10, 12, 14, 16, 24, 32, 64),
    format: fc.constantFrom(1, 2, 3),
    samples: fc.integer({ min: 1, max: 4 }),
    photometric: fc.constantFrom(0, 1, 2, 3, 5),
    planar: fc.constantFrom(1, 2),
    length: fc.nat(400),
  });
  await fc.assert(
    fc.asyncProperty(kind, async ({ bits, format, samples, photometric, planar, length }) => {
      const random = seeded(length);
      const block = new Uint8Array(length).map(() => random(256));
      const fields = plainFields(
        9,
        5,
        samples,
        bits,
        photometric,
        [284, 3, planar],
        [339, 3, ...Array.from({ length: samples }, () => format)],
      );
      const blocks = Array.from({ length: planar === 2 ? samples : 1 }, () => block);
      try {
        await decode(tiffFile([{ fields, blocks }]));
      } catch (error) {
        expect(error).toBeInstanceOf(ImagingError);
      }
    }),
    { numRuns: 200 },
  );
});
