// Luma and chroma outside JPEG: data units of TIFF 6.0 section 21, compared with libtiff.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import type { Rectangle } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../../host.ts";
import { type Field, plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array, part?: Rectangle, scaleFactor = 1) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor });
}

/** A sample of luma (0) or chroma (1, 2), within 16 to 235 so that few colours leave the range. */
const sampleAt = (band: number, x: number, y: number) => 90 + ((x * (5 + band) + y * (3 + 2 * band)) % 70);

/**
 * Returns the data units of a block of luma whose corner is at `left` and `top`; chroma has its own, smaller
 * grid.
 */
function units(left: number, top: number, width: number, height: number, across: number, down: number) {
  const out: number[] = [];
  for (let y = top; y < top + height; y += down)
    for (let x = left; x < left + width; x += across) {
      for (let row = 0; row < down; row++)
        for (let column = 0; column < across; column++) out.push(sampleAt(0, x + column, y + row));
      out.push(sampleAt(1, x / across, y / down), sampleAt(2, x / across, y / down));
    }
  return Uint8Array.from(out);
}

/** PackBits of literal runs alone. */
function packed(data: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (let at = 0; at < data.length; at += 100) {
    const run = data.subarray(at, at + 100);
    out.push(run.length - 1, ...run);
  }
  return Uint8Array.from(out);
}

const width = 37;
const height = 23;

interface Kind {
  readonly across: number;
  readonly down: number;
  readonly compression?: 1 | 8 | 32773;
  readonly tiled?: boolean;
  readonly fields?: readonly Field[];
}

async function file({
  across,
  down,
  compression = 1,
  tiled = false,
  fields = [],
}: Kind): Promise<Uint8Array> {
  const corners = tiled
    ? [0, 16].flatMap((top) => [0, 16, 32].map((left) => [left, top, 16, 16] as const))
    : [0, 8, 16].map((top) => [0, top, width, Math.min(8, height - top)] as const);
  const blocks = corners.map(([left, top, columns, rows]) => units(left, top, columns, rows, across, down));
  const stored = await Promise.all(
    blocks.map((block) =>
      compression === 8 ? testHost.deflate(block, 6) : compression === 1 ? block : packed(block),
    ),
  );
  const layout: Field[] = tiled
    ? [
        [322, 4, 16],
        [323, 4, 16],
      ]
    : [[278, 4, 8]];
  const more: Field[] = [[259, 3, compression], [530, 3, across, down], ...layout, ...fields];
  return tiffFile([{ fields: plainFields(width, height, 3, 8, 6, ...more), blocks: stored, tiled }]);
}

const byLibtiff = (data: Uint8Array) =>
  sharp(data, { failOn: "none" }).toColourspace("srgb").removeAlpha().raw().toBuffer();

/** The colours of section 21, from codes that section 20 maps to 0 to 255 and -127 to 127. */
function computed(
  { across, down }: Pick<Kind, "across" | "down">,
  [red, green, blue]: readonly number[] = [0.299, 0.587, 0.114],
  reference: readonly number[] = [0, 255, 128, 255, 128, 255],
): number[] {
  const out: number[] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [luma, cb, cr] = [0, 1, 2].map((band) => {
        const code =
          band === 0 ? sampleAt(0, x, y) : sampleAt(band, Math.floor(x / across), Math.floor(y / down));
        const [black, white] = [reference[2 * band]!, reference[2 * band + 1]!];
        return ((code - black) * (band === 0 ? 255 : 127)) / (white - black);
      }) as [number, number, number];
      const r = cr * (2 - 2 * red!) + luma;
      const b = cb * (2 - 2 * blue!) + luma;
      const g = (luma - blue! * b - red! * r) / green!;
      out.push(...[r, g, b].map((value) => Math.round(Math.min(255, Math.max(0, value)))));
    }
  return out;
}

describe("YCbCr outside JPEG", () => {
  const samplings = [
    [1, 1],
    [2, 1],
    [1, 2],
    [2, 2],
    [4, 1],
    [4, 2],
    [4, 4],
  ] as const;
  const kinds = samplings.flatMap(([across, down]) =>
    ([1, 8, 32773] as const).flatMap((compression) =>
      [false, true].map((tiled) => ({ across, down, compression, tiled })),
    ),
  );

  // libvips takes 1 by 1 for RGB, and reads uncompressed tiles of data units short.
  const readByLibvips = kinds.filter(
    ({ across, down, compression, tiled }) => across * down > 1 && !(compression === 1 && tiled),
  );

  test.each(kinds)(
    "$across by $down, compression $compression, tiled: $tiled, follows TIFF 6.0",
    async (kind) => {
      const pixels = await decode(await file(kind));
      expect([pixels.width, pixels.height, pixels.bands, pixels.interpretation]).toEqual([37, 23, 3, "rgb"]);
      expect([...pixels.data]).toEqual(computed(kind));
    },
  );

  test.each(readByLibvips)(
    "$across by $down, compression $compression, tiled: $tiled, is as libtiff reads it",
    async (kind) => {
      const data = await file(kind);
      const { data: pixels } = await decode(data);
      const expected = await byLibtiff(data);
      expect([...pixels].findIndex((value, i) => Math.abs(value - expected[i]!) > 1)).toBe(-1);
    },
  );

  test("regions and averages equal those of the whole picture", async () => {
    for (const kind of kinds) {
      const data = await file(kind);
      const whole = await decode(data);
      const region = { x: 8, y: 12, width: 21, height: 11 };
      const rows = Array.from({ length: region.height }, (_, row) => {
        const from = ((region.y + row) * width + region.x) * 3;
        return [...whole.data.subarray(from, from + region.width * 3)];
      });
      expect([...(await decode(data, region)).data]).toEqual(rows.flat());
      const half = await decode(data, undefined, 2);
      const box = [0, 3, width * 3, width * 3 + 3].map((at) => whole.data[at]!);
      expect(half.data[0]).toBe(Math.floor((box.reduce((sum, value) => sum + value) + 2) / 4));
    }
  });

  test("YCbCrCoefficients and ReferenceBlackWhite are honoured", async () => {
    const bt709 = [0.2126, 0.7152, 0.0722];
    const studio = [16, 235, 128, 240, 128, 240];
    const kind: Kind = {
      across: 2,
      down: 2,
      fields: [
        [529, 5, ...bt709],
        [532, 5, ...studio],
      ],
    };
    const data = await file(kind);
    const pixels = (await decode(data)).data;
    expect([...pixels]).toEqual(computed(kind, bt709, studio));
    // libtiff cuts luma and chroma to whole numbers before it adds them.
    const expected = await byLibtiff(data);
    expect([...pixels].findIndex((value, i) => Math.abs(value - expected[i]!) > 4)).toBe(-1);
  });

  test("planes of one size are read, and further samples are alpha", async () => {
    const planes = [0, 1, 2].map((band) =>
      new Uint8Array(40).map((_, i) => sampleAt(band, i % 8, Math.floor(i / 8))),
    );
    const fields = plainFields(8, 5, 3, 8, 6, [530, 3, 1, 1]);
    const apart = await decode(tiffFile([{ fields: [...fields, [284, 3, 2]], blocks: planes }]));
    const mixed = new Uint8Array(120).map((_, i) => planes[i % 3]![Math.floor(i / 3)]!);
    const together = await decode(tiffFile([{ fields, blocks: [mixed] }]));
    expect([...apart.data]).toEqual([...together.data]);
    const gray = plainFields(1, 1, 4, 8, 6, [530, 3, 1, 1], [338, 3, 2]);
    const one = await decode(tiffFile([{ fields: gray, blocks: [Uint8Array.of(99, 128, 128, 7)] }]));
    expect([...one.data]).toEqual([99, 99, 99, 7]);
  });
});

describe("YCbCr that is not read", () => {
  const block = [new Uint8Array(4096)];
  const one = (...more: Field[]) =>
    tiffFile([{ fields: plainFields(8, 8, 3, 8, 6, ...more), blocks: block }]);

  test.each([
    ["16 bits", tiffFile([{ fields: plainFields(8, 8, 3, 16, 6, [530, 3, 1, 1]), blocks: block }])],
    ["subsampled planes", one([530, 3, 2, 2], [284, 3, 2])],
    ["a predictor over data units", one([530, 3, 2, 1], [259, 3, 8], [317, 3, 2])],
    [
      "data units with alpha",
      tiffFile([{ fields: plainFields(8, 8, 4, 8, 6, [530, 3, 2, 2]), blocks: block }]),
    ],
  ])("for %s is refused by its header", async (_name, data) => {
    expect((await codec.probe(memoryBytes(data), 1)).unsupported).toContain("YCbCr");
    await expect(decode(data)).rejects.toMatchObject({ kind: "unsupported" });
  });

  test.each([
    ["a subsampling of 0", one([530, 3, 0, 0])],
    ["a subsampling of 3", one([530, 3, 3, 1])],
    ["a subsampling of 65535", one([530, 3, 65_535, 65_535])],
    ["one value of subsampling", one([530, 3, 2])],
    ["no part of green", one([530, 3, 1, 1], [529, 5, 0.5, 0, 0.5])],
    ["two coefficients", one([530, 3, 1, 1], [529, 5, 0.5, 0.5])],
    ["white that is black", one([530, 3, 1, 1], [532, 5, 16, 16, 128, 240, 128, 240])],
    ["too few data units", one([530, 3, 2, 2], [259, 3, 8])],
  ])("for %s is damaged", async (_name, data) => {
    await expect(decode(data)).rejects.toMatchObject({ kind: "decode" });
  });
});
