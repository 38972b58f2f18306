// Files that say less than TIFF 6.0 asks for, or say it in another field, and that libtiff reads.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { plainFields, type TestPicture, tiffFile } from "./tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

const ramp = (count: number, step = 7) => new Uint8Array(count).map((_, i) => (i * step) & 255);
const fieldsWithout = (tags: readonly number[], fields: TestPicture["fields"]) =>
  fields.filter(([tag]) => !tags.includes(tag));

describe("tiles that are listed as strips", () => {
  test.each([1, 3])("with %i samples equal the reading of libvips", async (samples) => {
    const fields = plainFields(37, 21, samples, 8, samples === 1 ? 1 : 2, [322, 4, 16], [323, 4, 16]);
    const blocks = Array.from({ length: 6 }, (_, i) => ramp(256 * samples, 3 + 2 * i));
    const data = tiffFile([{ fields: fieldsWithout([278], fields), blocks }]);
    const pixels = await decode(data);
    const reference = sharp(data).toColourspace(samples === 1 ? "b-w" : "srgb");
    expect([...pixels.data]).toEqual([...(await reference.raw().toBuffer())]);
  });

  test("are refused if fewer are listed than the picture needs", async () => {
    const fields = plainFields(37, 21, 1, 8, 1, [322, 4, 16], [323, 4, 16]);
    const data = tiffFile([{ fields, blocks: [ramp(256), ramp(256)] }]);
    await expect(decode(data)).rejects.toMatchObject({ kind: "decode" });
  });
});

describe("byte counts that are 0 or missing", () => {
  const width = 40;
  const rows = Array.from({ length: 3 }, (_, i) => ramp(width * 8, 3 + i));
  const whole = Uint8Array.from(rows.flatMap((part) => [...part]));

  test.each([
    [1, "uncompressed"],
    [8, "deflate"],
  ])("are computed in strips of compression %i (%s)", async (compression) => {
    const blocks =
      compression === 1 ? rows : await Promise.all(rows.map((part) => testHost.deflate(part, 6)));
    const fields = plainFields(width, 24, 1, 8, 1, [278, 4, 8], [259, 3, compression]);
    const missing = tiffFile([{ fields, blocks, uncounted: true }]);
    const zero = tiffFile([{ fields: [...fields, [279, 4, 0, 0, 0]], blocks }]);
    expect([...(await decode(missing)).data]).toEqual([...whole]);
    expect([...(await decode(zero)).data]).toEqual([...whole]);
  });

  test.each([0, 5, 900, 0xffff_fff0])("%i do not matter if one strip is uncompressed", async (count) => {
    const fields = plainFields(width, 24, 1, 8, 1, [279, 4, count]);
    const data = tiffFile([{ fields, blocks: [whole] }]);
    const reference = sharp(data, { failOn: "none" }).toColourspace("b-w");
    expect([...(await reference.raw().toBuffer())]).toEqual([...whole]);
    expect([...(await decode(data)).data]).toEqual([...whole]);
  });

  test("at an offset of 0 are refused", async () => {
    const fields = plainFields(width, 24, 1, 8, 1, [278, 4, 8], [259, 3, 8], [279, 4, 0, 0, 0]);
    const blocks = await Promise.all(rows.map((part) => testHost.deflate(part, 6)));
    const data = tiffFile([{ fields, blocks }]);
    const view = new DataView(data.buffer);
    const directory = view.getUint32(4, true);
    for (let i = 0; i < view.getUint16(directory, true); i++)
      if (view.getUint16(directory + 2 + i * 12, true) === 273)
        view.setUint32(view.getUint32(directory + 10 + i * 12, true) + 4, 0, true);
    await expect(decode(data)).rejects.toMatchObject({ kind: "decode" });
  });
});

test("more values of BitsPerSample and SampleFormat than samples are passed over", async () => {
  const block = ramp(9 * 5 * 3);
  const fields = plainFields(9, 5, 3, 8, 2, [258, 3, 8, 8, 8, 1], [339, 3, 1, 1, 1, 3]);
  expect([...(await decode(tiffFile([{ fields, blocks: [block] }]))).data]).toEqual([...block]);
});

test("inks of InkSet 2 without names are CMYK", async () => {
  const block = ramp(9 * 5 * 4);
  const data = tiffFile([{ fields: plainFields(9, 5, 4, 8, 5, [332, 3, 2]), blocks: [block] }]);
  expect(await decode(data)).toMatchObject({ bands: 4, interpretation: "cmyk", data: block });
});

describe("a palette of 16-bit indices", () => {
  const [width, height] = [24, 10];
  const indices = new Uint16Array(width * height).map((_, i) => (i * 2731) & 0xffff);
  const channels = [0, 1, 2].map((band) =>
    Array.from({ length: 65536 }, (_, i) => (i * (band + 1)) & 0xffff),
  );
  const data = tiffFile([
    {
      fields: plainFields(width, height, 1, 16, 3, [320, 3, ...channels.flat()]),
      blocks: [new Uint8Array(indices.buffer)],
    },
  ]);
  const colours = [...indices].map((index) => channels.map((channel) => (channel[index] as number) >> 8));

  test("is looked up in its 65536 colours", async () => {
    const pixels = await decode(data);
    expect(pixels).toMatchObject({ bands: 3, interpretation: "rgb" });
    expect([...pixels.data]).toEqual(colours.flat());
  });

  test("is reduced by its colours, not by its indices", async () => {
    const header = await codec.probe(memoryBytes(data), 1);
    const region = { x: 0, y: 0, width, height };
    const pixels = await codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 2 });
    const means = Array.from({ length: (width / 2) * (height / 2) * 3 }, (_, i) => {
      const [x, y, band] = [Math.floor(i / 3) % (width / 2), Math.floor(i / 3 / (width / 2)), i % 3];
      const at = 2 * (y * width + x);
      return [at, at + 1, at + width, at + width + 1].reduce((sum, p) => sum + colours[p]![band]!, 0) / 4;
    });
    for (const [i, mean] of means.entries())
      expect(Math.abs(pixels.data[i]! - mean)).toBeLessThanOrEqual(0.5);
  });
});

describe("a missing PhotometricInterpretation", () => {
  const file = (fields: TestPicture["fields"], block: Uint8Array) =>
    tiffFile([{ fields: fieldsWithout([262], fields), blocks: [block] }]);

  test.each([
    [1, [], "gray", 1],
    [2, [], "gray", 2],
    [3, [], "rgb", 3],
    [4, [], "rgb", 4],
    [4, [[332, 3, 1]], "cmyk", 4],
    [5, [[332, 3, 1]], "cmyk", 4],
    [
      4,
      [
        [332, 3, 1],
        [338, 3, 0],
      ],
      "rgb",
      4,
    ],
    [4, [[332, 3, 2]], "rgb", 4],
  ] as const)("with %i samples and %j means %s of %i bands", async (samples, more, interpretation, bands) => {
    const data = file(plainFields(4, 4, samples, 8, 0, ...more), ramp(16 * samples));
    const pixels = await decode(data);
    expect([pixels.interpretation, pixels.bands]).toEqual([interpretation, bands]);
    expect([...pixels.data.slice(0, bands)]).toEqual([...ramp(bands)]);
  });

  test("with CCITT means that 0 is white, as in libtiff", async () => {
    const raw = new Uint8Array(64 * 8).map((_, i) => (i % 64 < 20 ? 0 : 255));
    const written = await sharp(raw, { raw: { width: 64, height: 8, channels: 1 } })
      .toColourspace("b-w")
      .tiff({ compression: "ccittfax4", bitdepth: 1, miniswhite: true })
      .toBuffer();
    const data = Uint8Array.from(written);
    const view = new DataView(data.buffer);
    const directory = view.getUint32(4, true);
    for (let i = 0; i < view.getUint16(directory, true); i++)
      if (view.getUint16(directory + 2 + i * 12, true) === 262)
        view.setUint16(directory + 2 + i * 12, 60_000, true);
    expect([...(await decode(data)).data]).toEqual([...raw]);
  });
});
