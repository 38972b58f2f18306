// JPEG in TIFF: inks as stored, and kinds of JPEG that are refused.

import sharp, { type TiffOptions } from "sharp";
import { describe, expect, it, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../../host.ts";
import { randomness } from "../../jpg/make-matrix.ts";
import { isFrame, putTogether, takeApart } from "../../jpg/segments.ts";
import { plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

const inks = (file: Uint8Array) => sharp(file).pipelineColourspace("cmyk").toColourspace("cmyk");
const photo = inks(fixture("jpg-cmyk-adobe.jpg")).extract({ left: 30, top: 20, width: 131, height: 77 });

describe("CMYK in JPEG", () => {
  const layouts: readonly (readonly [string, TiffOptions])[] = [
    ["one strip, without an Adobe segment", {}],
    ["tiles, each with an Adobe segment", { tile: true, tileWidth: 64, tileHeight: 32 }],
  ];
  it.each(layouts)("in %s decodes like in libvips", async (_, layout) => {
    const data = await photo
      .clone()
      .tiff({ compression: "jpeg", quality: 85, ...layout })
      .toBuffer();
    expect(data.includes("Adobe")).toBe("tile" in layout);
    const pixels = await decode(data);
    expect([pixels.bands, pixels.interpretation]).toEqual([4, "cmyk"]);
    expect(Buffer.compare(pixels.data as Uint8Array, await inks(data).raw().toBuffer())).toBe(0);
  });

  it("with five samples is refused by its header", async () => {
    const fields = plainFields(8, 8, 5, 8, 5, [259, 3, 7], [338, 3, 2]);
    const header = await codec.probe(memoryBytes(tiffFile([{ fields, blocks: [new Uint8Array(8)] }])), 1);
    expect(header.unsupported).toContain("4 samples of CMYK in JPEG");
  });
});

test("RGB with alpha in JPEG decodes like in libvips", async () => {
  // The four components of inks, said to be RGB and one more.
  const data = await photo.clone().tiff({ compression: "jpeg", quality: 90 }).toBuffer();
  const photometric = data.indexOf(Buffer.from([6, 1, 3, 0, 1, 0, 0, 0, 5, 0]));
  data.writeUInt16LE(2, photometric + 8);
  const pixels = await decode(data);
  expect([pixels.bands, pixels.interpretation]).toEqual([4, "rgb"]);
  expect([...pixels.data]).toEqual([...(await sharp(data, { failOn: "none" }).raw().toBuffer())]);
});

describe("JPEG of a kind that is not read", () => {
  const kinds = [
    ["lossless JPEG", 0xc3, 8],
    ["hierarchical JPEG", 0xc5, 8],
    ["arithmetic-coded JPEG", 0xc9, 8],
    ["arithmetic-coded JPEG", 0xca, 8],
    ["JPEG-LS", 0xf7, 8],
    ["JPEG of 12 bits", 0xc1, 12],
  ] as const;
  it.each(kinds)("%s in a strip, frame marker %i, is unsupported, not damaged", async (what, code, bits) => {
    const { segments, rest } = takeApart(fixture("jpg-gray.jpg"));
    const frame = segments.find((segment) => isFrame(segment.code))!.body;
    const size = new DataView(frame.buffer, frame.byteOffset);
    const other = segments.map((segment) =>
      isFrame(segment.code) ? { code, body: frame.with(0, bits) as Uint8Array } : segment,
    );
    const fields = plainFields(size.getUint16(3), size.getUint16(1), 1, 8, 1, [259, 3, 7]);
    const data = tiffFile([{ fields, blocks: [putTogether(other, rest)] }]);
    await expect(decode(data)).rejects.toMatchObject({
      kind: "unsupported",
      code: "unsupported",
      message: expect.stringContaining(`received ${what};`),
    });
  });
});

test("a progressive tile of more pixels than its coefficients have room for is refused", async () => {
  const side = 4112;
  const jpeg = await sharp({ create: { width: side, height: side, channels: 3, background: "teal" } })
    .toColourspace("b-w")
    .jpeg({ progressive: true })
    .toBuffer();
  const fields = plainFields(side, side, 1, 8, 1, [259, 3, 7], [322, 3, side], [323, 3, side]);
  const data = tiffFile([{ fields, blocks: [jpeg], tiled: true }]);
  await expect(decode(data)).rejects.toMatchObject({
    kind: "unsupported",
    message: expect.stringContaining(`received ${side} by ${side};`),
  });
});

describe("a region of JPEG tiles", () => {
  const layouts: readonly (readonly [string, TiffOptions])[] = [
    ["4:2:0 in tiles", { quality: 80, tile: true, tileWidth: 64, tileHeight: 48 }],
    ["4:2:0 in strips", { quality: 80 }],
    ["RGB in tiles", { quality: 95, tile: true, tileWidth: 48, tileHeight: 64 }],
  ];
  it.each(layouts)("in %s has the pixels that libtiff decodes", async (_name, layout) => {
    const photo = sharp(fixture("tif-strip-none.tif")).extract({
      left: 60,
      top: 40,
      width: 333,
      height: 251,
    });
    const data = await photo.tiff({ compression: "jpeg", ...layout }).toBuffer();
    const bytes = memoryBytes(data);
    const header = await codec.probe(bytes, 1);
    const random = randomness(5);
    for (let i = 0; i < 20; i++) {
      const x = Math.floor(random() * 333);
      const y = Math.floor(random() * 251);
      const width = 1 + Math.floor(random() * (333 - x));
      const height = 1 + Math.floor(random() * (251 - y));
      const region = { x, y, width, height };
      const pixels = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
      const expected = sharp(data).extract({ left: x, top: y, width, height }).raw();
      expect(
        Buffer.compare(pixels.data as Uint8Array, await expected.toBuffer()),
        JSON.stringify(region),
      ).toBe(0);
    }
  });
});
