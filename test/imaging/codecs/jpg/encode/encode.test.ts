import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { withDensity } from "../../../../../src/imaging/codecs/jpg/markers/density.ts";
import type { EncodeOptions } from "../../../../../src/imaging/codecs/plan.ts";
import type { PixelBuffer } from "../../../../../src/imaging/pipeline/pixels.ts";
import { fixture, testHost } from "../../../../host.ts";
import { isFrame, takeApart } from "../segments.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jpg");
const encoder = codecs.encoder("jpg");
const defaults: EncodeOptions = {
  format: "jpg",
  quality: 90,
  progressive: false,
  chroma: "420",
  encoder: "fast",
};
const encode = (pixels: PixelBuffer, options: Partial<EncodeOptions> = {}) =>
  encoder.encode(pixels, { ...defaults, ...options });

async function photograph(bands: 1 | 3): Promise<PixelBuffer> {
  const image = sharp(fixture("base.png")).removeAlpha();
  const { data, info } = await (bands === 1 ? image.toColourspace("b-w") : image)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const interpretation = bands === 1 ? "gray" : "rgb";
  return { width: info.width, height: info.height, bands, interpretation, data: new Uint8Array(data) };
}

function flat(width: number, height: number, colour: readonly number[]): PixelBuffer {
  const bands = colour.length;
  const data = new Uint8Array(width * height * bands).map((_, i) => colour[i % bands]!);
  return { width, height, bands, interpretation: bands === 1 ? "gray" : "rgb", data };
}

/** Peak signal to noise ratio in dB. */
function psnr(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / a.length));
}

const frameCode = (jpeg: Uint8Array) => takeApart(jpeg).segments.find((s) => isFrame(s.code))?.code;

const variants = (["fast", "small"] as const).flatMap((encoder) =>
  ([1, 3] as const).flatMap((bands) => [false, true].map((progressive) => ({ encoder, bands, progressive }))),
);

describe("encoding JPEG", () => {
  it.each(variants)(
    "writes a faithful picture: $encoder, $bands bands, progressive $progressive",
    async (variant) => {
      const pixels = await photograph(variant.bands);
      const jpeg = await encode(pixels, { ...variant, chroma: "444" });
      const image = variant.bands === 1 ? sharp(jpeg).toColourspace("b-w") : sharp(jpeg);
      const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height, info.channels]).toEqual([600, 400, variant.bands]);
      expect(psnr(data, pixels.data)).toBeGreaterThan(35);
      expect(frameCode(jpeg)).toBe(variant.progressive ? 0xc2 : 0xc0);
      expect((await sharp(jpeg).metadata()).isProgressive).toBe(variant.progressive);
    },
  );

  it.each(["fast", "small"] as const)("subsamples chroma as asked (%s)", async (encoder) => {
    const pixels = await photograph(3);
    for (const [chroma, name] of [
      ["420", "4:2:0"],
      ["444", "4:4:4"],
    ] as const) {
      const { chromaSubsampling } = await sharp(await encode(pixels, { encoder, chroma })).metadata();
      expect(chromaSubsampling).toBe(name);
    }
  });

  it.each(["fast", "small"] as const)("writes smaller files at lower quality (%s)", async (encoder) => {
    const pixels = await photograph(3);
    const sizes = [];
    for (const quality of [1, 50, 90, 100]) sizes.push((await encode(pixels, { encoder, quality })).length);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(sizes[0]!).toBeLessThan(sizes[3]! / 10);
  });

  it("makes Huffman tables for the picture up to the size of a small tile, and uses the typical ones above", async () => {
    const tables = async (side: number) => {
      const { segments } = takeApart(await encode(flat(side, side, [10, 200, 30])));
      return segments.filter((s) => s.code === 0xc4).reduce((sum, s) => sum + s.body.length, 0);
    };
    expect(await tables(256)).toBeLessThan(100);
    expect(await tables(257)).toBe(4 * 17 + 2 * (12 + 162)); // ITU T.81, K.3
  });

  it("writes smaller files with the small encoder", async () => {
    const pixels = await photograph(3);
    expect((await encode(pixels, { encoder: "small" })).length).toBeLessThan((await encode(pixels)).length);
  });

  const colours = [[0], [128], [255], [200, 30, 30], [0, 0, 0], [255, 255, 255], [12, 34, 200]];
  it.each(
    colours.flatMap((colour) => (["fast", "small"] as const).map((encoder) => [colour, encoder] as const)),
  )("keeps the flat colour %s within 1 level (%s)", async (colour, encoder) => {
    for (const [width, height] of [
      [1, 1],
      [17, 9],
      [64, 64],
    ] as const) {
      const jpeg = await encode(flat(width, height, colour), { encoder, quality: 95 });
      const image = colour.length === 1 ? sharp(jpeg).toColourspace("b-w") : sharp(jpeg);
      const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([width, height]);
      data.forEach((value, i) => {
        expect(Math.abs(value - colour[i % colour.length]!)).toBeLessThanOrEqual(1);
      });
    }
  });

  it.each(["fast", "small"] as const)("writes JFIF and no other metadata (%s)", async (encoder) => {
    const { segments } = takeApart(await encode(await photograph(3), { encoder }));
    expect(segments.filter((s) => s.code >= 0xe0).map((s) => s.code)).toEqual([0xe0]);
  });

  it.each([
    [300 / 2.54, 300],
    [118, 300],
    [96 / 2.54, 96],
  ])("stores %s pixels per centimetre (another reader says %s per inch)", async (perCentimetre, perInch) => {
    for (const encoder of ["fast", "small"] as const) {
      const jpeg = await encode(flat(8, 8, [9]), {
        encoder,
        resolution: { x: perCentimetre, y: perCentimetre },
      });
      expect((await sharp(jpeg).metadata()).density).toBe(perInch);
    }
  });

  it("reads back the density that it wrote, each axis independently", async () => {
    const resolution = { x: 40, y: 80 };
    const jpeg = await encode(flat(8, 8, [9]), { resolution });
    const header = await codec.probe({ read: async (at, n) => jpeg.slice(at, at + n) }, 1);
    expect(header.resolution).toEqual(resolution);
  });

  it("writes no unit if the resolution is absent or does not fit", async () => {
    const units = async (resolution?: { x: number; y: number }) =>
      (await encode(flat(8, 8, [9]), { resolution })).slice(13, 18);
    for (const x of [0, 0.1, 1e6, Number.NaN, Number.POSITIVE_INFINITY])
      expect([...(await units({ x, y: x }))]).toEqual([0, 0, 1, 0, 1]);
    expect([...(await units())]).toEqual([0, 0, 1, 0, 1]);
  });

  it.each(["fast", "small"] as const)(
    "writes pictures whose file is larger than their samples (%s)",
    async (encoder) => {
      for (const [width, height, bands] of [
        [1, 1, 1],
        [2, 45, 3],
        [1, 140, 1],
        [256, 200, 3],
        [256, 200, 1],
      ] as const) {
        let state = 1;
        const noise = new Uint8Array(width * height * bands).map(() => {
          state = (state * 48271) % 2147483647; // minimal standard generator
          return state >> 8;
        });
        const pixels: PixelBuffer = { ...flat(width, height, bands === 1 ? [0] : [0, 0, 0]), data: noise };
        for (const chroma of ["420", "444"] as const)
          for (const progressive of [false, true]) {
            const jpeg = await encode(pixels, { encoder, quality: 100, chroma, progressive });
            const { data } = await sharp(jpeg)
              .toColourspace(bands === 1 ? "b-w" : "srgb")
              .raw()
              .toBuffer({ resolveWithObject: true });
            expect(data.length).toBe(noise.length);
            if (chroma === "444" || bands === 1) expect(psnr(data, noise)).toBeGreaterThan(35);
          }
      }
    },
  );

  it("puts a JFIF segment before a file that has none", async () => {
    const bare = fixture("jpg-rgb-adobe0.jpg");
    const out = withDensity(bare, { x: 10, y: 20 });
    expect([...out.subarray(0, 20)]).toEqual([
      0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 2, 0, 10, 0, 20, 0, 0,
    ]);
    expect(out.subarray(20)).toEqual(bare.subarray(2));
  });

  it("refuses alpha, 16 bit, CMYK and sizes that do not match the samples", async () => {
    const sound = flat(4, 4, [1, 2, 3]);
    for (const pixels of [
      { ...sound, bands: 4, data: new Uint8Array(64) },
      { ...sound, data: new Uint16Array(48) },
      { ...sound, bands: 4, interpretation: "cmyk" as const, data: new Uint8Array(64) },
      { ...sound, width: 5 },
      { ...sound, width: 0, data: new Uint8Array(0) },
    ])
      await expect(encode(pixels)).rejects.toMatchObject({ kind: "encode", code: "not_encodable" });
  });
});
