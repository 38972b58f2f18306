// cICP chunks of PNG (third edition, 11.3.2.6), and RGB profiles of gray images, through the whole
// application. The colours of code points are those that Chromium 156 shows.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chunk } from "../../../../src/imaging/codecs/png/encode.ts";
import { grayProfile, rgbProfile } from "../../../../src/imaging/colour/write.ts";
import { fixture } from "../../../host.ts";
import { bySrgb, hasLittleCms } from "../../../imaging/colour/littlecms.ts";
import { type ToLab, tableProfile } from "../../../imaging/colour/profiles.ts";
import { hasExifTool } from "../../../imaging/metadata/exiftool.ts";
import { type Served, served } from "../../../served.ts";
import { pixelsOf } from "../derivatives.ts";

let folder: string;
let app: Served;
let preserving: Served;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "code-points-"));
  const sources = `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`;
  app = await served(sources);
  preserving = await served(`image: { metadata: preserve, color: respect-icc }\n${sources}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Chunk = readonly [type: string, content: Uint8Array];

/** A PNG of one row of 8 bit: gray, gray with alpha or RGB, by the number of bands. */
function pngOf(pixels: readonly (readonly number[])[], chunks: readonly Chunk[]): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(pixels.length, 0);
  head.writeUInt32BE(1, 4);
  head.set([8, { 1: 0, 2: 4, 3: 2 }[pixels[0]!.length as 1 | 2 | 3], 0, 0, 0], 8);
  const all: readonly Chunk[] = [
    ["IHDR", head],
    ...chunks,
    ["IDAT", deflateSync(Buffer.from([0, ...pixels.flat()]))],
    ["IEND", new Uint8Array()],
  ];
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([signature, ...all.flatMap(([type, content]) => chunk(type, content))]);
}

const cicp = (...codes: number[]): Chunk => ["cICP", Uint8Array.from(codes)];
const linearGamma: Chunk = ["gAMA", Buffer.from([0, 1, 0x86, 0xa0])];
const icc = (profile: Uint8Array): Chunk => [
  "iCCP",
  Buffer.concat([Buffer.from("icc\0\0"), deflateSync(profile)]),
];

let rows = 0;

/** Returns the pixels of a response to a file, one list of samples for each. */
async function shown(file: Uint8Array, from = app, name = `row-${(rows += 1)}.png`): Promise<number[][]> {
  writeFileSync(join(folder, name), file);
  const { data, bands } = await pixelsOf(from, `/iiif/3/${name}/full/max/0/default.png`);
  return Array.from({ length: data.length / bands }, (_, i) => [
    ...data.subarray(i * bands, (i + 1) * bands),
  ]);
}

const ramp = Array.from({ length: 18 }, (_, i) => i * 15);
const rampOf = (bands: number) => ramp.map((value) => Array.from({ length: bands }, () => value));
const encoded = (light: number) =>
  255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * Math.min(1, light) ** (1 / 2.4) - 0.055);
const throughCurve = (curve: (value: number) => number) => ramp.map((value) => encoded(curve(value / 255)));
const farthest = (found: readonly number[], expected: readonly number[]) =>
  Math.max(...found.map((value, i) => Math.abs(value - expected[i]!)));

const power = (exponent: number) => (value: number) => value ** exponent;
/** TransferCharacteristics to light, as displays show them: BT.1886 for the family of BT.709. */
const curves: readonly (readonly [code: number, curve: (value: number) => number])[] = [
  [1, power(2.4)],
  [4, power(2.2)],
  [5, power(2.8)],
  [6, power(2.4)],
  [7, (v) => (v < 4 * 0.0228 ? v / 4 : ((v + 0.1115) / 1.1115) ** (1 / 0.45))],
  [8, power(1)],
  [11, power(2.4)],
  [14, power(2.4)],
  [15, power(2.4)],
  [17, (v) => (52.37 / 48) * v ** 2.6],
];

/** Linear colours under ColourPrimaries, as Chromium shows them. */
const colours = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [200, 100, 50],
  [50, 200, 100],
  [128, 128, 128],
];
const inChromium: Readonly<Record<number, readonly number[]>> = {
  1: [255, 0, 0, 0, 255, 0, 0, 0, 255, 229, 168, 122, 122, 229, 168, 188, 188, 188],
  4: [255, 0, 0, 0, 250, 0, 0, 75, 255, 254, 163, 115, 0, 227, 166, 188, 188, 188],
  5: [255, 0, 0, 0, 255, 28, 0, 0, 254, 231, 168, 123, 115, 229, 169, 188, 188, 188],
  6: [248, 36, 0, 63, 251, 0, 26, 35, 255, 226, 169, 122, 131, 227, 168, 188, 188, 188],
  7: [248, 36, 0, 63, 251, 0, 26, 35, 255, 226, 169, 122, 131, 227, 168, 188, 188, 188],
  8: [255, 0, 0, 0, 255, 0, 0, 0, 255, 246, 165, 115, 0, 234, 164, 188, 188, 188],
  9: [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 159, 113, 0, 239, 161, 188, 188, 188],
  10: [255, 0, 71, 0, 255, 0, 0, 56, 255, 255, 0, 121, 0, 255, 148, 188, 188, 188],
  11: [255, 0, 0, 0, 255, 0, 0, 0, 255, 237, 165, 115, 91, 232, 163, 188, 188, 188],
  12: [255, 0, 0, 0, 255, 0, 0, 0, 255, 240, 165, 114, 71, 232, 163, 188, 188, 188],
  22: [255, 38, 0, 0, 249, 0, 4, 51, 255, 230, 168, 122, 118, 226, 168, 188, 188, 188],
};

describe("a PNG with cICP", () => {
  test.each(curves)("of transfer %i is shown through its curve, in RGB and gray", async (code, curve) => {
    const expected = throughCurve(curve);
    for (const bands of [1, 3]) {
      const found = await shown(pngOf(rampOf(bands), [linearGamma, cicp(1, code, 0, 1)]));
      for (let band = 0; band < bands; band++)
        expect(
          farthest(
            found.map((pixel) => pixel[band]!),
            expected,
          ),
          `${bands} bands`,
        ).toBeLessThanOrEqual(1);
    }
  });

  test.each(Object.entries(inChromium))(
    "of primaries %s has the colours of Chromium",
    async (code, expected) => {
      const found = await shown(pngOf(colours, [cicp(Number(code), 8, 0, 1)]));
      // the darkest levels of linear samples are two apart in Chromium's arithmetic
      expect(farthest(found.flat(), expected)).toBeLessThanOrEqual(2);
    },
  );

  test("is shown by it, not by gAMA and iCCP: a picture from the field", async () => {
    const file = fixture("field/cicp-bt709-gama1.png");
    const found = await shown(file);
    const { data } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    // libvips ignores both chunks, so these are the samples of the file
    const expected = [...data].map((value) => encoded((value / 255) ** 2.4));
    const off = found.flat().map((value, i) => Math.abs(value - expected[i]!));
    expect(off.reduce((sum, value) => sum + value, 0) / off.length).toBeLessThan(0.5);
  });

  test.each([
    ["unspecified values", [2, 2, 0, 1]],
    ["reserved values", [3, 200, 0, 1]],
    ["a matrix, which RGB has not", [1, 8, 1, 1]],
    ["a narrow range", [1, 8, 0, 0]],
  ])("of %s is left as it is, without gAMA", async (name, codes) => {
    const file = `other-${name.replace(/\W/g, "")}.png`;
    expect(await shown(pngOf(rampOf(3), [linearGamma, cicp(...codes)]), app, file)).toEqual(rampOf(3));
  });

  test("of high dynamic range is shown up to 88 cd/m2 as bright as on a display of 203", async () => {
    // ITU-R BT.2408, table 1: PQ of 38 % is 26 cd/m2, the gray card, and of 58 % the reference white;
    // of HLG, they are 38 % and 75 %, and the peak is 1,000 cd/m2.
    const levels = [0, 97, 148, 192, 255].map((level) => [level, level, level]);
    const asDisplay = (light: number) => encoded(light / 203);
    const pq = await shown(pngOf(levels, [cicp(9, 16, 0, 1)]));
    expect(pq[0]![0]).toBe(0);
    expect(Math.abs(pq[1]![0]! - asDisplay(26))).toBeLessThanOrEqual(1);
    expect(pq[2]![0]).toBeGreaterThan(asDisplay(140));
    expect(pq[2]![0]).toBeLessThan(asDisplay(203));
    expect(pq[3]![0]).toBe(255); // 1,000 cd/m2
    const hlg = await shown(pngOf(levels, [cicp(9, 18, 0, 1)]), app, "hlg.png");
    expect(Math.abs(hlg[1]![0]! - asDisplay(26))).toBeLessThanOrEqual(2);
    expect(Math.abs(hlg[3]![0]! - pq[2]![0]!)).toBeLessThanOrEqual(2); // both are the reference white
    expect(hlg[4]![0]).toBe(255);
  });

  test("of three bytes is none, so that gAMA counts", async () => {
    const found = await shown(pngOf(rampOf(1), [linearGamma, cicp(1, 8, 0)]));
    expect(farthest(found.flat(), throughCurve(power(1)))).toBeLessThanOrEqual(1);
  });

  test("is embedded as a profile if colours are preserved", async () => {
    const name = "kept.png";
    expect(await shown(pngOf(colours, [cicp(9, 8, 0, 1)]), preserving, name)).toEqual(colours);
    const response = await preserving.get(`/iiif/3/${name}/full/max/0/default.png`);
    const back = await sharp(new Uint8Array(await response.arrayBuffer())).metadata();
    expect(back.icc?.subarray(16, 20).toString()).toBe("RGB ");
  });
});

/** The first row of the field's gray picture, 0 to 252 by fours, as Chromium shows it. */
const fieldRamp = [
  0, 2, 6, 13, 20, 26, 32, 37, 43, 48, 53, 58, 63, 68, 72, 77, 81, 86, 90, 94, 99, 103, 107, 111, 115, 119,
  123, 127, 131, 135, 139, 143, 146, 150, 154, 158, 161, 165, 168, 172, 176, 179, 183, 186, 190, 193, 197,
  200, 203, 207, 210, 214, 217, 220, 223, 227, 230, 233, 237, 240, 243, 246, 249, 253,
];

/** Neutral device colours of it are reddish. */
const tinted: ToLab = ([red = 0, green = 0, blue = 0]) => [
  30 * red + 60 * green + 10 * blue,
  30 * red * (1 - red),
  20 * green * (1 - green),
];

describe("a gray image with a profile of RGB", () => {
  const gamma18 = () =>
    rgbProfile(
      "1.8",
      { white: [0.3127, 0.329], red: [0.625, 0.34], green: [0.28, 0.595], blue: [0.155, 0.07] },
      [1.8],
    );
  const expected = throughCurve(power(1.8));

  test("is shown through it as equal red, green and blue, with and without alpha", async () => {
    const files: Readonly<Record<string, Uint8Array>> = {
      "gray.png": pngOf(rampOf(1), [icc(gamma18())]),
      "alpha.png": pngOf(
        ramp.map((value) => [value, 255]),
        [icc(gamma18())],
      ),
    };
    for (const [name, file] of Object.entries(files)) {
      const found = await shown(file, app, name);
      expect(
        farthest(
          found.map(([value]) => value!),
          expected,
        ),
        name,
      ).toBeLessThanOrEqual(1);
    }
  });

  test.skipIf(!hasExifTool)("is so in JPEG and TIFF", async () => {
    const profile = join(folder, "18.icc");
    writeFileSync(profile, gamma18());
    const data = new Uint8Array(18 * 8 * 8).map((_, i) => ramp[Math.floor((i % (18 * 8)) / 8)]!);
    const gray = sharp(data, { raw: { width: 18 * 8, height: 8, channels: 1 } }).toColourspace("b-w");
    const files = {
      "gray.jpg": await gray.clone().jpeg({ quality: 100 }).toBuffer(),
      "gray.tif": await gray.clone().tiff({ compression: "deflate" }).toBuffer(),
    };
    for (const [name, file] of Object.entries(files)) {
      const plain = join(folder, `plain-${name}`);
      writeFileSync(plain, file);
      execFileSync("exiftool", ["-q", `-icc_profile<=${profile}`, "-o", join(folder, name), plain]);
      const found = await pixelsOf(app, `/iiif/3/${name}/full/max/0/default.png`);
      expect(found.bands, name).toBe(1);
      const middles = ramp.map((_, i) => found.data[i * 8 + 4]!);
      expect(farthest(middles, expected), name).toBeLessThanOrEqual(2);
    }
  });

  test("is so in a file from the field: a ramp of 64 levels", async () => {
    const file = fixture("field/gray-with-rgb-profile-gamma18.png");
    const found = await shown(file, app, "field.png");
    const first = found.slice(0, 64).map(([value]) => value!);
    expect(new Set(found.map((pixel) => pixel.length))).toEqual(new Set([1]));
    expect(farthest(first, fieldRamp)).toBeLessThanOrEqual(1);
  });

  test.skipIf(!hasLittleCms)("of tables has the gray of LittleCMS", async () => {
    const table = tableProfile({ space: "RGB ", type: "mft2", nodes: 17, gamma: 1.2, toLab: tinted });
    const found = await shown(pngOf(rampOf(1), [icc(table)]), app, "table.png");
    const colours = bySrgb(
      table,
      "rgb",
      ramp.map((value) => [value / 255, value / 255, value / 255]),
    );
    const luma = colours.map(([r = 0, g = 0, b = 0]) => 0.299 * r + 0.587 * g + 0.114 * b);
    expect(farthest(found.flat(), luma)).toBeLessThanOrEqual(1);
  });

  test("does not change how another image of the same profile is shown", async () => {
    const profile = gamma18();
    await shown(pngOf(rampOf(1), [icc(profile)]), app, "first.png");
    const found = await shown(
      pngOf(
        [
          [255, 0, 0],
          [90, 90, 90],
        ],
        [icc(profile)],
      ),
      app,
      "second.png",
    );
    expect(found).toHaveLength(2);
    expect(new Set(found.map((pixel) => pixel.length))).toEqual(new Set([3]));
    expect(Math.abs(found[1]![0]! - expected[6]!)).toBeLessThanOrEqual(1);
  });

  test("is converted even if colours are preserved, since no gray response can hold such a profile", async () => {
    const found = await shown(pngOf(rampOf(1), [icc(gamma18())]), preserving, "preserved.png");
    expect(farthest(found.flat(), expected)).toBeLessThanOrEqual(1);
    const response = await preserving.get("/iiif/3/preserved.png/full/max/0/default.png");
    expect((await sharp(new Uint8Array(await response.arrayBuffer())).metadata()).icc).toBeUndefined();
  });

  test("of gray keeps its own curve", async () => {
    const found = await shown(pngOf(rampOf(1), [icc(grayProfile("1.8", [1.8]))]), app, "own.png");
    expect(farthest(found.flat(), expected)).toBeLessThanOrEqual(1);
  });
});
