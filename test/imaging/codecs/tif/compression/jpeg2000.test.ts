import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../../host.ts";
import { seeded } from "../../../../seeded.ts";
import { psnr } from "../../counting.ts";
import { boxed, compressRaw } from "../../jp2/files.ts";
import { hasOpenJpegTools, opjCompress, opjDecompress } from "../../jp2/openjpeg.ts";
import { mutate } from "../../jpg/mutate.ts";
import { type Field, plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array, scaleFactor = 1) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor });
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tif-jp2-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Samples of a block, interleaved: ramps with a little noise. */
function ramps(width: number, height: number, bands: number, bits: number, seed = 1): number[] {
  const next = seeded(seed);
  const top = 2 ** bits - 1;
  return Array.from({ length: width * height * bands }, (_, i) => {
    const [pixel, band] = [Math.floor(i / bands), i % bands];
    const [x, y] = [(pixel % width) / width, Math.floor(pixel / width) / height];
    const level = [x, y, 1 - x, 1 - y][band % 4]! * 0.8;
    return Math.min(top, Math.round(level * top) + next(Math.max(1, top >> 4)));
  });
}

const compressionTag = 259;

/** A TIFF of one block, of compression 34712 unless a field says another. */
const single = (
  block: Uint8Array,
  [width, height]: readonly [number, number],
  samples: number,
  bits: number,
  photometric: number,
  ...more: Field[]
) => {
  const own = more.some(([tag]) => tag === compressionTag)
    ? more
    : [[compressionTag, 3, 34712] as const, ...more];
  return tiffFile([
    { fields: plainFields(width, height, samples, bits, photometric, ...own), blocks: [block] },
  ]);
};

/** Decodes a codestream with opj_decompress at 1/2^level: planes of bytes, in sequence. */
const decompress = (codestream: Uint8Array, level = 0) =>
  opjDecompress(codestream, ["-r", `${level}`], { to: "raw" });

const interleaved = (planes: Uint8Array, bands: number) =>
  planes.map((_, i) => planes[(i % bands) * (planes.length / bands) + Math.floor(i / bands)]!);

const size = [48, 40] as const;
const encode = (bands: number, bits: number, values: number[], options?: string[]) =>
  compressRaw({ width: size[0], height: size[1], bands, bits, values }, options);

test("a file that libvips wrote decodes to the original picture", async () => {
  const pixels = await decode(fixture("tif-jp2k-tiled.tif"));
  const base = await sharp(fixture("base.png")).removeAlpha().raw().toBuffer();
  expect([pixels.width, pixels.height, pixels.interpretation]).toEqual([600, 400, "rgb"]);
  expect(psnr(pixels.data, base)).toBeGreaterThan(40);
});

describe.skipIf(!hasOpenJpegTools)("JPEG 2000 in TIFF", () => {
  it.each([
    ["gray", 1, 1, []],
    ["WhiteIsZero", 1, 0, []],
    ["gray with alpha", 2, 1, [[338, 3, 2]]],
    ["RGB", 3, 2, []],
    ["RGB with alpha", 4, 2, [[338, 3, 2]]],
    ["CMYK", 4, 5, []],
  ] as [string, number, number, Field[]][])(
    "of %s has the original samples",
    async (_, bands, photometric, more) => {
      const values = ramps(...size, bands, 8);
      const pixels = await decode(single(encode(bands, 8, values), size, bands, 8, photometric, ...more));
      expect(pixels.bands).toBe(bands);
      expect([...pixels.data]).toEqual(photometric === 0 ? values.map((value) => 255 - value) : values);
    },
  );

  it.each([2, 4, 7, 10, 12, 15, 16])("of %i bits fills the range of 8 or 16", async (bits) => {
    const values = ramps(...size, 3, bits);
    const { data } = await decode(single(encode(3, bits, values), size, 3, bits, 2));
    const full = bits > 8 ? 65535 : 255;
    expect(data).toBeInstanceOf(bits > 8 ? Uint16Array : Uint8Array);
    expect([...data]).toEqual(values.map((value) => Math.round((value * full) / (2 ** bits - 1))));
  });

  it("in tiles and strips, with edges coded whole or cut, is assembled", async () => {
    const [width, height] = [75, 50];
    const all = ramps(width, height, 3, 8);
    const part = (x: number, y: number, w: number, h: number) =>
      compressRaw({
        width: w,
        height: h,
        bands: 3,
        bits: 8,
        values: Array.from({ length: w * h * 3 }, (_, i) => {
          const [column, row] = [Math.floor(i / 3) % w, Math.floor(i / 3 / w)];
          // samples beyond the picture do not matter
          return x + column < width && y + row < height
            ? all[((y + row) * width + x + column) * 3 + (i % 3)]!
            : 77;
        }),
      });
    const places = [0, 32].flatMap((y) => [0, 32, 64].map((x) => [x, y] as const));
    const tile: Field[] = [
      [259, 3, 33005],
      [322, 3, 32],
      [323, 3, 32],
    ];
    const fields = plainFields(width, height, 3, 8, 2, ...tile);
    const whole = tiffFile([{ fields, tiled: true, blocks: places.map(([x, y]) => part(x, y, 32, 32)) }]);
    const cut = places.map(([x, y]) => part(x, y, Math.min(32, width - x), Math.min(32, height - y)));
    const narrow = tiffFile([{ fields, tiled: true, blocks: cut }]);
    const strips = tiffFile([
      {
        fields: plainFields(width, height, 3, 8, 2, [259, 3, 33005], [278, 3, 20]),
        blocks: [0, 20, 40].map((y) => part(0, y, width, Math.min(20, height - y))),
      },
    ]);
    for (const file of [whole, narrow, strips]) expect([...(await decode(file)).data]).toEqual(all);
    const header = await codec.probe(memoryBytes(whole), 1);
    const region = { x: 30, y: 9, width: 40, height: 30 };
    const crop = await codec.decode(memoryBytes(whole), { header, page: 1, region, scaleFactor: 1 });
    expect([...crop.data.subarray(0, 120)]).toEqual(all.slice((9 * width + 30) * 3, (9 * width + 70) * 3));
  });

  it("in boxes has the colours of the directory, not those of the boxes", async () => {
    const values = ramps(...size, 3, 8);
    const block = boxed({ codestream: encode(3, 8, values), size: [...size, 3], enumerated: 18 });
    const { data, interpretation } = await decode(single(block, size, 3, 8, 2));
    expect(interpretation).toBe("rgb");
    expect([...data]).toEqual(values);
  });

  it("with loss, under a component transform, decodes like in opj_decompress", async () => {
    const codestream = encode(3, 8, ramps(...size, 3, 8), ["-I", "-mct", "1", "-r", "6", "-n", "3"]);
    const expected = interleaved(decompress(codestream), 3);
    const { data } = await decode(single(codestream, size, 3, 8, 2));
    expect(Math.max(...expected.map((value, i) => Math.abs(value - data[i]!)))).toBeLessThanOrEqual(1);
  });
});

describe.skipIf(!hasOpenJpegTools)("luma and chroma in JPEG 2000 in TIFF", () => {
  const values = ramps(...size, 3, 8);
  /** ITU-T T.871, clause 7. */
  const rgb = ([y = 0, cb = 0, cr = 0]: number[]) =>
    [
      y + 1.402 * (cr - 128),
      y - (0.114 * 1.772 * (cb - 128) + 0.299 * 1.402 * (cr - 128)) / 0.587,
      y + 1.772 * (cb - 128),
    ].map((value) => Math.max(0, Math.min(255, Math.round(value))));
  const converted = Array.from({ length: values.length / 3 }, (_, i) =>
    rgb(values.slice(3 * i, 3 * i + 3)),
  ).flat();
  const plain = encode(3, 8, values);
  const transformed = encode(3, 8, values, ["-n", "3", "-mct", "1"]);
  const otherEncoder = Uint8Array.from(plain);
  otherEncoder.set(Buffer.from("Made by another"), Buffer.from(plain).indexOf("Created by Open"));

  it.each([
    ["33003, as Aperio has it", 33003, 2, plain, "converted"],
    ["33003 under a component transform, as Bio-Formats has it", 33003, 2, transformed, "as stored"],
    ["33004 of OpenJPEG, as libvips has it", 33004, 2, transformed, "converted"],
    ["33004 of another encoder", 33004, 2, otherEncoder, "as stored"],
    ["33005", 33005, 2, plain, "as stored"],
    ["34712", 34712, 2, plain, "as stored"],
    ["34712 with YCbCr as its photometric interpretation", 34712, 6, plain, "converted"],
    ["34712 with YCbCr as that, under a component transform", 34712, 6, transformed, "as stored"],
    ["33003 with YCbCr as its photometric interpretation", 33003, 6, plain, "converted"],
  ] as const)(
    "under %s are converted if they are declared so",
    async (_, compression, photometric, block, how) => {
      const { data, interpretation } = await decode(
        single(block, size, 3, 8, photometric, [259, 3, compression]),
      );
      expect(interpretation).toBe("rgb");
      expect([...data]).toEqual(how === "converted" ? converted : values);
    },
  );

  it.each([
    ["2x1", 33003, 6],
    ["2x2", 34712, 2],
  ] as const)(
    "of chroma in steps of %s have each sample for several pixels",
    async (step, compression, photometric) => {
      const [dx = 1, dy = 1] = step.split("x").map(Number);
      const [width, height] = size;
      const [w, h] = [width / dx, height / dy];
      const planes = [ramps(width, height, 1, 8), ramps(w, h, 1, 8, 2), ramps(w, h, 1, 8, 3)];
      const layout = `${width},${height},3,8,u@1x1:${step}:${step}`;
      const raw = Uint8Array.from(planes.flat());
      const block = opjCompress(raw, ["-F", layout, "-n", "3"], { from: "raw" });
      const { data } = await decode(single(block, size, 3, 8, photometric, [259, 3, compression]));
      const expected = Array.from({ length: width * height }, (_, i) => {
        const at = Math.floor(Math.floor(i / width) / dy) * w + Math.floor((i % width) / dx);
        return rgb([planes[0]![i]!, planes[1]![at]!, planes[2]![at]!]);
      }).flat();
      expect([...data]).toEqual(expected);
    },
  );
});

describe.skipIf(!hasOpenJpegTools)("reduced JPEG 2000 in TIFF", () => {
  const values = ramps(...size, 3, 8);

  it.each([2, 4, 8])("at 1/%i is the level of the codestream", async (scale) => {
    const codestream = encode(3, 8, values, ["-n", "4", "-mct", "0"]);
    const pixels = await decode(single(codestream, size, 3, 8, 2), scale);
    expect([pixels.width, pixels.height]).toEqual([48 / scale, 40 / scale]);
    expect([...pixels.data]).toEqual([...interleaved(decompress(codestream, Math.log2(scale)), 3)]);
  });

  it("is made of averages if levels are missing", async () => {
    const file = single(encode(3, 8, values, ["-n", "1", "-mct", "0"]), size, 3, 8, 2);
    const { data } = await decode(file, 2);
    const at = (x: number, y: number, band: number) => values[(y * 48 + x) * 3 + band]!;
    const expected = Array.from({ length: 24 * 20 * 3 }, (_, i) => {
      const [x, y, b] = [2 * (Math.floor(i / 3) % 24), 2 * Math.floor(i / 72), i % 3];
      return Math.floor((at(x, y, b) + at(x + 1, y, b) + at(x, y + 1, b) + at(x + 1, y + 1, b)) / 4 + 0.5);
    });
    expect([...data]).toEqual(expected);
  });
});

describe.skipIf(!hasOpenJpegTools)("a JPEG 2000 block", () => {
  const sound = new Uint8Array(encode(3, 8, ramps(...size, 3, 8)));
  const damaged = { name: "ImagingError", kind: "decode" };

  it.each([
    ["narrower than its strip", sound, [49, 40], 3, 8],
    ["wider than its strip", sound, [47, 40], 3, 8],
    ["of fewer rows than its strip", sound, [48, 41], 3, 8],
    ["of more rows than its strip", sound, [48, 39], 3, 8],
    ["of fewer components than samples", encode(1, 8, ramps(...size, 1, 8)), size, 3, 8],
    ["of more components than samples", sound, size, 1, 8],
    ["of another depth", encode(3, 7, ramps(...size, 3, 7)), size, 3, 8],
    ["that is cut off", sound.subarray(0, sound.length - 200), size, 3, 8],
    ["that is no codestream", new Uint8Array(300), size, 3, 8],
  ] as const)("%s is damaged", async (_, block, [width, height], samples, bits) => {
    const file = single(block, [width, height], samples, bits, samples === 1 ? 1 : 2);
    await expect(decode(file)).rejects.toMatchObject(damaged);
  });

  it("of signed samples is refused by name", async () => {
    const [width, height] = size;
    const values = ramps(...size, 1, 8).map((value) => value - 128);
    const block = compressRaw({ width, height, bands: 1, bits: 8, values, signed: true });
    await expect(decode(single(block, size, 1, 8, 1))).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining("received signed ones"),
    });
  });

  it.each([
    ["32-bit BlackIsZero", 1, 32, 1, []],
    ["8-bit palette", 1, 8, 3, [[320, 3, ...Array.from({ length: 768 }, () => 0)]]],
    ["8-bit CIELab", 3, 8, 8, []],
    ["planes", 3, 8, 2, [[284, 3, 2]]],
    ["floating-point RGB", 3, 16, 2, [[339, 3, 3, 3, 3]]],
  ] as [string, number, number, number, Field[]][])(
    "of %s is refused by the header",
    async (what, samples, bits, photometric, more) => {
      const header = await codec.probe(
        memoryBytes(single(sound, size, samples, bits, photometric, ...more)),
        1,
      );
      expect(header.unsupported).toContain(`in interleaved JPEG 2000, received ${what};`);
    },
  );

  it("with changed bytes decodes to pixels or an ImagingError, and sound files are read afterwards", async () => {
    const next = seeded(9);
    for (let i = 0; i < 150; i++) {
      const block = mutate(sound, 0, () => next(1 << 24) / (1 << 24));
      try {
        expect((await decode(single(block, size, 3, 8, 2))).data).toHaveLength(48 * 40 * 3);
      } catch (error) {
        expect(error).toBeInstanceOf(ImagingError);
        expect(["decode", "unsupported"]).toContain((error as ImagingError).kind);
      }
    }
    expect([...(await decode(single(sound, size, 3, 8, 2))).data]).toEqual(ramps(...size, 3, 8));
  });
});
