// Colours through the whole application: marks without a profile, inks and CIELAB, seams, and profiles that
// are not used.
// @module-tag slow

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { crc32 } from "../../../../src/base/bytes/crc32.ts";
import { pngEmbedder } from "../../../../src/imaging/codecs/png/metadata.ts";
import { fixture, testHost } from "../../../host.ts";
import { reference } from "../../../imaging/codecs/reference.ts";
import { plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { chart, cmykPatches, patchesOf, rgbPatches } from "../../../imaging/colour/charts.ts";
import { deltaE2000, labOf, labOfSrgb, srgbDifference } from "../../../imaging/colour/delta-e.ts";
import { bySrgb, hasLittleCms, jpegBySrgb } from "../../../imaging/colour/littlecms.ts";
import { chemicalProof, installed } from "../../../imaging/colour/profiles.ts";
import { blockOf } from "../../../imaging/metadata/exiftool.ts";
import { type Served, served } from "../../../served.ts";
import { cut, difference, pixelsOf } from "../derivatives.ts";

let folder: string;
let app: Served;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "colours-"));
  app = await served(`sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, file: Uint8Array) => writeFileSync(join(folder, name), file);
const png = (name: string) => pixelsOf(app, `/iiif/3/${name}/full/max/0/default.png`);

/** Returns the patches of the response to a chart. */
async function answered(name: string, file: Uint8Array): Promise<number[][]> {
  put(name, file);
  const response = await app.get(`/iiif/3/${name}/full/max/0/default.png`);
  expect(response.status).toBe(200);
  return patchesOf(new Uint8Array(await response.arrayBuffer()));
}

function expectNear(
  found: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
  levels = 0.7,
) {
  const far = found.flatMap((colour, i) =>
    colour.every((value, band) => Math.abs(value - expected[i]![band]!) <= levels) ||
    srgbDifference(colour, expected[i]!) <= 0.5
      ? []
      : [{ patch: i, received: colour, expected: expected[i] }],
  );
  expect(far).toEqual([]);
}

/** A PNG of the chart with chunks in front of its picture. */
function pngWith(...chunks: readonly (readonly [type: string, content: Uint8Array])[]): Uint8Array {
  const { width, height, data } = chart(rgbPatches);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.concat(
    Array.from({ length: height }, (_, y) =>
      Buffer.concat([Buffer.alloc(1), data.subarray(y * width * 3, (y + 1) * width * 3)]),
    ),
  );
  const all = [["IHDR", header], ...chunks, ["IDAT", deflateSync(rows)], ["IEND", new Uint8Array()]] as const;
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
      ...all.map(([type, content]) => {
        const body = Buffer.concat([Buffer.from(type), content]);
        const framed = Buffer.alloc(body.length + 8);
        framed.writeUInt32BE(content.length, 0);
        framed.set(body, 4);
        framed.writeUInt32BE(crc32(body), body.length + 4);
        return framed;
      }),
    ]),
  );
}

const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => void bytes.writeUInt32BE(value, i * 4));
  return bytes;
};
const srgbChromaticities = numbers(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000);
const encoded = (light: number) =>
  255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);

/** Returns an EXIF block with a colour space, and an interoperability index if given (EXIF 2.32, 4.6). */
function exifBlock(space: number, index?: string): Uint8Array {
  const bytes = Buffer.alloc(8 + 18 + 2 + 24 + 4 + 18);
  bytes.set([0x4d, 0x4d, 0, 42, 0, 0, 0, 8]);
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    bytes.writeUInt16BE(tag, at);
    bytes.writeUInt16BE(type, at + 2);
    bytes.writeUInt32BE(count, at + 4);
    bytes.writeUInt32BE(value, at + 8);
  };
  bytes.writeUInt16BE(1, 8);
  entry(10, 0x8769, 4, 1, 26);
  bytes.writeUInt16BE(index ? 2 : 1, 26);
  entry(28, 0xa001, 3, 1, space * 65536);
  if (index) {
    entry(40, 0xa005, 4, 1, 56);
    bytes.writeUInt16BE(1, 56);
    entry(58, 0x0001, 2, 4, 0);
    bytes.write(`${index}\0`, 66, "latin1");
  }
  return new Uint8Array(bytes);
}

describe("a PNG without a profile", () => {
  test("of gamma 1 is encoded for sRGB", async () => {
    const expected = rgbPatches.map((colour) => colour.map((value) => encoded(value / 255)));
    expectNear(await answered("linear.png", pngWith(["gAMA", numbers(100_000)])), expected, 0.51);
    expectNear(
      await answered("linear2.png", pngWith(["gAMA", numbers(100_000)], ["cHRM", srgbChromaticities])),
      expected,
      0.51,
    );
  });

  test.each([
    ["gAMA 45455, by which sRGB is written", [["gAMA", numbers(45455)]]],
    [
      "that and the primaries of sRGB",
      [
        ["gAMA", numbers(45455)],
        ["cHRM", srgbChromaticities],
      ],
    ],
    [
      "an sRGB chunk, whatever gAMA says",
      [
        ["sRGB", Uint8Array.of(0)],
        ["gAMA", numbers(100_000)],
      ],
    ],
    ["a gamma of nothing", [["gAMA", numbers(0)]]],
    ["primaries without a gamma", [["cHRM", numbers(31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)]]],
  ] as const)("with %s stays unchanged", async (name, chunks) => {
    expect(await answered(`${name.length}.png`, pngWith(...chunks))).toEqual(rgbPatches);
  });

  const icc = (profile: Uint8Array) =>
    ["iCCP", Buffer.concat([Buffer.from("icc\0\0"), deflateSync(profile)])] as const;
  const colours = rgbPatches.map((colour) => colour.map((value) => value / 255));

  test.skipIf(!hasLittleCms)(
    "whose cICP names Display P3 is converted from it, whatever else it contains",
    async () => {
      const expected = bySrgb(
        blockOf(fixture("jpg-icc-displayp3.jpg"), "in.jpg", "-icc_profile"),
        "rgb",
        colours,
      );
      const p3 = ["cICP", Uint8Array.of(12, 13, 0, 1)] as const;
      expectNear(await answered("p3.png", pngWith(p3)), expected);
      expectNear(await answered("p3-icc.png", pngWith(p3, icc(installed("sRGB.icc")))), expected);
    },
  );

  test.skipIf(!hasLittleCms)(
    "with preserved colours embeds the profile of its cICP, not another",
    async () => {
      const keeping = await served(
        `image: { metadata: preserve }\nsources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`,
      );
      put("kept.png", pngWith(["cICP", Uint8Array.of(12, 13, 0, 1)], icc(installed("sRGB.icc"))));
      const response = await keeping.get("/iiif/3/kept.png/full/max/0/default.png");
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(await patchesOf(bytes)).toEqual(rgbPatches);
      const carried = blockOf(bytes, "kept.png", "-icc_profile");
      const p3 = blockOf(fixture("jpg-icc-displayp3.jpg"), "in.jpg", "-icc_profile");
      expectNear(bySrgb(carried, "rgb", colours), bySrgb(p3, "rgb", colours));
    },
  );

  test.skipIf(!hasLittleCms)(
    "whose cICP names sRGB stays unchanged, and one with an unknown cICP uses the next chunk",
    async () => {
      const adobe = installed("compatibleWithAdobeRGB1998.icc");
      const coded = (...codes: number[]) => pngWith(["cICP", Uint8Array.of(...codes)], icc(adobe));
      expect(await answered("coded.png", coded(1, 13, 0, 1))).toEqual(rgbPatches);
      expectNear(await answered("unknown.png", coded(2, 2, 0, 1)), bySrgb(adobe, "rgb", colours));
      expectNear(await answered("short.png", coded(1, 13)), bySrgb(adobe, "rgb", colours));
    },
  );

  test.skipIf(!hasLittleCms)("with the primaries and gamma of Adobe RGB is converted from it", async () => {
    const adobe = numbers(31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000);
    const found = await answered("adobe.png", pngWith(["gAMA", numbers(45471)], ["cHRM", adobe]));
    expectNear(found, bySrgb(installed("compatibleWithAdobeRGB1998.icc"), "rgb", colours), 1);
  });
});

describe.skipIf(!hasLittleCms)("EXIF", () => {
  const colours = rgbPatches.map((colour) => colour.map((value) => value / 255));
  const adobe = () => bySrgb(installed("compatibleWithAdobeRGB1998.icc"), "rgb", colours);
  test.each([
    ["uncalibrated with index R03", exifBlock(0xffff, "R03"), true],
    ["colour space 2", exifBlock(2), true],
    ["colour space 1", exifBlock(1, "R98"), false],
    ["uncalibrated without an index", exifBlock(0xffff), false],
  ])("of %s counts as Adobe RGB or not", async (name, block, isAdobe) => {
    const found = await answered(`exif-${name.replace(/\W/g, "")}.png`, pngWith(["eXIf", block]));
    if (isAdobe) expectNear(found, adobe(), 1);
    else expect(found).toEqual(rgbPatches);
  });

  test("counts in a JPEG too, and an embedded profile before it", async () => {
    const { width, height, data } = chart(rgbPatches);
    const raw = { raw: { width, height, channels: 3 } } as const;
    const jpeg = new Uint8Array(
      await sharp(data, raw).jpeg({ quality: 100, chromaSubsampling: "4:4:4" }).toBuffer(),
    );
    const block = exifBlock(0xffff, "R03");
    const segment = Buffer.concat([
      Buffer.from([0xff, 0xe1, 0, block.length + 8]),
      Buffer.from("Exif\0\0"),
      block,
    ]);
    const marked = new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]));
    expectNear(await answered("exif.jpg", marked), adobe(), 2);
    const srgb = pngWith(
      ["eXIf", block],
      ["iCCP", Buffer.concat([Buffer.from("sRGB\0\0"), deflateSync(installed("sRGB.icc"))])],
    );
    expect(await answered("exif-icc.png", srgb)).toEqual(rgbPatches);
  });
});

describe("CIELAB in TIFF", () => {
  const colours = [
    [100, 0, 0],
    [0, 0, 0],
    [50, 0, 0],
    [54, 81, 70],
    [88, -79, 81],
    [30, 68, -112],
    [62, 9, 24],
    [40, -20, 10],
  ] as const;
  const [W, H] = [colours.length, 1];
  /** Stored numbers of a colour: TIFF 6.0 section 23, Adobe's technical notes of 2002, and ICC.1 for 9. */
  const codings: Readonly<
    Record<string, readonly [photometric: number, bits: 8 | 16, (lab: readonly number[]) => number[]]>
  > = {
    "CIELab of 8 bit": [8, 8, ([l = 0, a = 0, b = 0]) => [(l / 100) * 255, a & 255, b & 255]],
    "ICCLab of 8 bit": [9, 8, ([l = 0, a = 0, b = 0]) => [(l / 100) * 255, a + 128, b + 128]],
    "CIELab of 16 bit": [
      8,
      16,
      ([l = 0, a = 0, b = 0]) => [(l / 100) * 65535, (a * 256) & 65535, (b * 256) & 65535],
    ],
    "ICCLab of 16 bit": [
      9,
      16,
      ([l = 0, a = 0, b = 0]) => [(l / 100) * 65280, (a + 128) * 256, (b + 128) * 256],
    ],
  };

  test.skipIf(!hasLittleCms).each(Object.entries(codings))(
    "%s has the colours of LittleCMS",
    async (name, [photometric, bits, code]) => {
      const values = colours.flatMap((colour) => code(colour).map(Math.round));
      put(`${name.replace(/\W/g, "")}.tif`, tiffOf([W, H, 3, bits, photometric], values));
      const found = await png(`${name.replace(/\W/g, "")}.tif`);
      const expected = bySrgb("*Lab4", "lab", colours);
      for (const [i, colour] of expected.entries()) {
        const received = [...found.data.subarray(i * 3, i * 3 + 3)];
        expect(srgbDifference(received, colour), `${colours[i]}: ${received}, ${colour}`).toBeLessThan(
          bits === 8 ? 1 : 0.6,
        );
      }
    },
  );

  test.skipIf(!hasLittleCms).each(Object.entries(codings))(
    "%s in patches of 64 pixels has them in PNG and JPEG",
    async (name, [photometric, bits, code]) => {
      const { width, height, data } = chart(rgbPatches);
      // such as 8 bit can hold
      const labs = rgbPatches
        .map(labOfSrgb)
        .map(([l, a, b]) => [Math.round(l * 2.55) / 2.55, Math.round(a), Math.round(b)]);
      const of = (rgb: string) => labs[rgbPatches.findIndex((patch) => patch.join() === rgb)]!;
      const pixels = Array.from({ length: width * height }, (_, i) =>
        of(data.subarray(i * 3, i * 3 + 3).join()),
      );
      const file = `chart-${name.replace(/\W/g, "")}.tif`;
      const stored = new Map(labs.map((lab) => [lab, code(lab).map(Math.round)]));
      put(
        file,
        tiffOf(
          [width, height, 3, bits, photometric],
          pixels.flatMap((lab) => stored.get(lab)!),
        ),
      );
      const expected = bySrgb("*Lab4", "lab", labs);
      // the darkest is 1.01 off after the rounding of JPEG
      const bound = { png: () => 0.5, jpg: (patch: number) => (patch === 23 ? 1.1 : 1) };
      for (const format of ["png", "jpg"] as const) {
        const response = await app.get(`/iiif/3/${file}/full/max/0/default.${format}`);
        const found = await patchesOf(new Uint8Array(await response.arrayBuffer()));
        const off = found.map((colour, i) => srgbDifference(colour, expected[i]!));
        expect(off).toHaveLength(24);
        expect(
          off.flatMap((value, i) => (value <= bound[format](i) ? [] : [[i, value]])),
          format,
        ).toEqual([]);
      }
    },
  );

  test("in floating point is near its original picture", async () => {
    put("lab.tif", fixture("tif-lab-deflate.tif"));
    const found = await png("lab.tif");
    const base = await reference(
      await sharp(fixture("tif-lab-deflate.tif")).toColourspace("srgb").png().toBuffer(),
    );
    // libvips means D65 by CIELAB, TIFF D50: neutral colours are the same, others near
    expect(difference(found, base).mean).toBeLessThan(6);
  });
});

describe("inks", () => {
  const measured = () => {
    const [, data = ""] = readFileSync("/usr/share/color/icc/TR003.ti3", "latin1").split(/BEGIN_DATA\r?\n/);
    const rows = data
      .split("END_DATA")[0]!
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number));
    return rows.map((row) => ({ inks: row.slice(1, 5), xyz: row.slice(5, 8) }));
  };

  test.skipIf(!hasLittleCms)(
    "without a profile match the measured print, relative to paper and black",
    async () => {
      const rows = measured();
      const find = (...inks: number[]) => rows.find((row) => row.inks.every((ink, i) => ink === inks[i]))!;
      const [paper, black] = [find(0, 0, 0, 0).xyz, find(100, 100, 100, 100).xyz];
      const light = (row: { xyz: number[] }) =>
        row.xyz.map((v, i) => (v - black[i]!) / (paper[i]! - black[i]!));
      // colours that sRGB holds: chosen by measured CIELAB, well inside
      const inside = rows.filter(
        ({ inks }) =>
          inks[0]! <= 40 && inks.every((ink) => Number.isInteger(ink)) && Math.max(inks[1]!, inks[2]!) <= 85,
      );
      const samples = Uint8Array.from(
        inside.flatMap(({ inks }) => inks.map((ink) => Math.round(ink * 2.55))),
      );
      put("inks.tif", tiffOf([inside.length, 1, 4, 8, 5], samples));
      const found = await png("inks.tif");
      const differences = inside.map((row, i) =>
        deltaE2000(labOf(light(row)), labOfSrgb([...found.data.subarray(i * 3, i * 3 + 3)])),
      );
      const mean = differences.reduce((a, b) => a + b) / differences.length;
      expect(inside.length).toBeGreaterThan(300);
      expect(mean).toBeLessThan(1.5);
      expect(Math.max(...differences)).toBeLessThan(6);
    },
  );

  test.skipIf(!hasLittleCms).each(["jpg-cmyk-icc.jpg", "jpg-icc-adobergb.jpg"])(
    "and photographs with profiles match jpgicc: %s",
    async (name) => {
      put(name, fixture(name));
      const expected = await reference(jpegBySrgb(fixture(name)));
      const found = await png(name);
      expect([found.width, found.height]).toEqual([expected.width, expected.height]);
      expect(difference(found, expected).mean).toBeLessThan(1.2);
    },
  );

  test("of an Adobe JPEG, plain or YCCK, are not inverted, and the same in both", async () => {
    for (const name of ["jpg-cmyk-adobe.jpg", "jpg-ycck-adobe.jpg"]) put(name, fixture(name));
    const [plain, ycck] = [await png("jpg-cmyk-adobe.jpg"), await png("jpg-ycck-adobe.jpg")];
    expect(difference(plain, ycck).mean).toBeLessThan(3);
    const white = (picture: typeof plain) => [
      ...picture.data.subarray(-3 - 8 * 3 - 8 * picture.width * 3).subarray(0, 3),
    ];
    for (const picture of [plain, ycck]) expect(Math.min(...white(picture))).toBeGreaterThan(240); // the white corner of base.png
  });

  test.skipIf(!hasLittleCms)("of 16 bit stay so until the end", async () => {
    const { width, height, data } = chart(cmykPatches);
    const icc = chemicalProof();
    put(
      "deep.tif",
      tiffOf(
        [width, height, 4, 16, 5],
        Array.from(data, (v) => v * 257),
        icc,
      ),
    );
    const found = await patchesOf(
      new Uint8Array(await (await app.get("/iiif/3/deep.tif/full/max/0/default.png")).arrayBuffer()),
    );
    expectNear(
      found,
      bySrgb(
        icc,
        "cmyk",
        cmykPatches.map((colour) => colour.map((v) => v / 255)),
      ),
      0.8,
    );
  });
});

/** Returns a TIFF of samples in one strip, with a profile if given. */
function tiffOf(
  [width, height, samples, bits, photometric]: readonly [number, number, number, 8 | 16, number],
  values: readonly number[] | Uint8Array,
  icc?: Uint8Array,
): Uint8Array {
  const data = bits === 8 ? Uint8Array.from(values) : new Uint8Array(Uint16Array.from(values).buffer);
  const fields = plainFields(
    width,
    height,
    samples,
    bits,
    photometric,
    ...(icc ? [[34675, 1, ...icc] as const] : []),
  );
  return tiffFile([{ fields, blocks: [data] }]);
}

describe("tiles of an image with a profile", () => {
  test.each([
    ["jpg-icc-adobergb.jpg"],
    ["jpg-cmyk-icc.jpg"],
    ["png-rgb8-iccp-adobergb.png"],
    ["tif-cmyk-icc-lzw.tif"],
  ])("put together are the level: %s", async (name) => {
    const small = await served(
      `image: { tile_size: 64 }\nsources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`,
    );
    put(name, fixture(name));
    const of = (region: string, size: string) =>
      pixelsOf(small, `/iiif/3/${name}/${region}/${size}/0/default.png`);
    const { width, height } = await of("full", "max");
    const level = await of("full", `${Math.ceil(width / 2)},`);
    for (let y = 0; y < height; y += 128)
      for (let x = 0; x < width; x += 128) {
        const [w, h] = [Math.min(128, width - x), Math.min(128, height - y)];
        const tile = await of(`${x},${y},${w},${h}`, `${Math.ceil(w / 2)},`);
        const [left, top] = [x / 2, y / 2];
        expect(difference(tile, cut(level, left, top, tile.width, tile.height)).largest).toBe(0);
      }
  });
});

describe("a profile that is not used", () => {
  test("leaves the pixels, is named in a header, and never harms the response", async () => {
    put("bad.jpg", fixture("badmeta-icc.jpg"));
    const response = await app.get("/iiif/3/bad.jpg/full/max/0/default.png");
    expect(response.status).toBe(200);
    expect(response.headers.get("X-Ignored-Profile")).toMatch(/^it is /);
    expect(response.headers.get("Access-Control-Expose-Headers")).toContain("X-Ignored-Profile");
    const stored = await reference(
      await sharp(fixture("badmeta-icc.jpg"), { ignoreIcc: true }).png().toBuffer(),
    );
    const found = await reference(new Uint8Array(await response.arrayBuffer()));
    expect(difference(found, stored).mean).toBeLessThan(1);
    const good = await app.get("/iiif/3/linear.png/full/max/0/default.png");
    expect(good.headers.get("X-Ignored-Profile")).toBeNull();
  });

  test("because its red begins a byte late leaves the pixels, and is named", async () => {
    const icc = Buffer.from(blockOf(fixture("jpg-icc-adobergb.jpg"), "in.jpg", "-icc_profile"));
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#3cb446" } })
      .png()
      .toBuffer();
    const entry = icc.indexOf("rXYZ", 132, "latin1") + 4;
    icc.writeUInt32BE(icc.readUInt32BE(entry) - 1, entry);
    put("shifted.png", await pngEmbedder(testHost)(picture, { icc: new Uint8Array(icc) }));
    const response = await app.get("/iiif/3/shifted.png/full/max/0/default.png");
    expect([response.status, response.headers.get("X-Ignored-Profile")]).toEqual([
      200,
      expect.stringMatching(/^it is damaged: expected three primaries/),
    ]);
    const { data } = await reference(new Uint8Array(await response.arrayBuffer()));
    expect([...data.subarray(0, 3)]).toEqual([0x3c, 0xb4, 0x46]);
  });

  test("is not reported for a master that has been replaced", async () => {
    const watchful = await served(
      `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)}, revalidate: 0s }]`,
    );
    const told = async () => {
      const response = await watchful.get("/iiif/3/replaced.jpg/full/max/0/default.png");
      return response.headers.get("X-Ignored-Profile");
    };
    put("replaced.jpg", fixture("badmeta-icc.jpg"));
    expect(await told()).toMatch(/^it is damaged/);
    put("replaced.jpg", fixture("jpg-icc-adobergb.jpg"));
    expect(await told()).toBeNull();
  });

  test.each([
    ["is for other samples", 16, "GRAY"],
    ["is no profile", 36, "none"],
  ])("of JPEG 2000 because it %s leaves the channels unchanged", async (_, at, text) => {
    const file = fixture("jp2-icc-displayp3.jp2").slice();
    const profile = Buffer.from(file).indexOf("acsp") - 36;
    file.set(Buffer.from(text), profile + at);
    put(`${at}.jp2`, file);
    const response = await app.get(`/iiif/3/${at}.jp2/full/max/0/default.png`);
    expect([response.status, response.headers.get("X-Ignored-Profile")]).toEqual([
      200,
      expect.stringMatching(/^it is /),
    ]);
    const found = await reference(new Uint8Array(await response.arrayBuffer()));
    // the pixels that the fixture was made from; taken as Display P3 they would be 7 off
    expect(difference(found, await reference(fixture("jpg-icc-displayp3.jpg"))).mean).toBeLessThan(3);
  });

  test("of a JPEG because it lacks a part is named; parts in another order are valid", async () => {
    const file = fixture("jpg-cmyk-icc.jpg");
    const parts: Uint8Array[] = [];
    let at = 2;
    let [first, end] = [0, 0];
    for (; file[at + 1] !== 0xda; at += 2 + file[at + 2]! * 256 + file[at + 3]!) {
      if (file[at + 1] !== 0xe2) continue;
      first ||= at;
      end = at + 2 + file[at + 2]! * 256 + file[at + 3]!;
      parts.push(file.subarray(at, end));
    }
    expect(parts.length).toBeGreaterThan(10);
    const withParts = (list: readonly Uint8Array[]) =>
      new Uint8Array(Buffer.concat([file.subarray(0, first), ...list, file.subarray(end)]));
    put("whole.jpg", file);
    put("turned.jpg", withParts([...parts].reverse()));
    put("lacking.jpg", withParts(parts.slice(1)));
    expect(await png("turned.jpg")).toEqual(await png("whole.jpg"));
    const response = await app.get("/iiif/3/lacking.jpg/full/60,/0/default.jpg");
    expect([response.status, response.headers.get("X-Ignored-Profile")]).toEqual([
      200,
      expect.stringMatching(/^it is damaged: expected parts 1 to \d+, received 2, 3/),
    ]);
  });

  test("because LittleCMS refuses it is named as well", async () => {
    const icc = chemicalProof().slice();
    const view = new DataView(icc.buffer);
    for (let i = 0; i < view.getUint32(128); i++)
      if (view.getUint32(132 + i * 12) === 0x41324231) view.setUint32(view.getUint32(136 + i * 12) + 48, 1);
    const { width, height, data } = chart(cmykPatches);
    put("refused.tif", tiffOf([width, height, 4, 8, 5], data, icc));
    put("without.tif", tiffOf([width, height, 4, 8, 5], data));
    const response = await app.get("/iiif/3/refused.tif/full/max/0/default.png");
    expect([response.status, response.headers.get("X-Ignored-Profile")]).toEqual([
      200,
      expect.stringContaining("Little CMS"),
    ]);
    expect(await reference(new Uint8Array(await response.arrayBuffer()))).toEqual(await png("without.tif"));

    // cached derivatives keep the information after a restart, which forgets what renders found
    const kept = `cache: { render: { backend: filesystem, path: ${JSON.stringify(join(folder, "kept"))} } }
sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`;
    const seen: unknown[] = [];
    for (const method of ["GET", "GET", "HEAD"]) {
      const started = await served(kept);
      const answer = await started.get("/iiif/3/refused.tif/full/max/0/default.png", { method });
      const { length } = new Uint8Array(await answer.arrayBuffer());
      seen.push([
        answer.headers.get("Cache-Status"),
        answer.headers.get("X-Ignored-Profile"),
        answer.headers.get("Content-Length"),
        length,
      ]);
      await started.service.close();
    }
    const reason = response.headers.get("X-Ignored-Profile");
    const bytes = Number(response.headers.get("Content-Length"));
    expect(seen).toEqual([
      ["smalti; fwd=miss", reason, `${bytes}`, bytes],
      ["smalti; hit", reason, `${bytes}`, bytes],
      ["smalti; hit", reason, `${bytes}`, 0],
    ]);
  });

  test("because it is larger than is read is named; one of 5 MiB is used", async () => {
    const icc = blockOf(fixture("jpg-icc-adobergb.jpg"), "in.jpg", "-icc_profile");
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#3cb446" } })
      .png()
      .toBuffer();
    const withProfile = async (size: number) => {
      const padded = new Uint8Array(size);
      padded.set(icc);
      new DataView(padded.buffer).setUint32(0, size);
      return pngEmbedder(testHost)(picture, { icc: padded });
    };
    put("usual-profile.png", await withProfile(icc.length));
    put("large-profile.png", await withProfile(5 << 20));
    put("too-large-profile.png", await withProfile(17 << 20));
    expect(await png("large-profile.png")).toEqual(await png("usual-profile.png"));
    const response = await app.get("/iiif/3/too-large-profile.png/full/max/0/default.png");
    expect(response.headers.get("X-Ignored-Profile")).toMatch(/could not be read completely/);
    const { data } = await reference(new Uint8Array(await response.arrayBuffer()));
    expect([...data.subarray(0, 3)]).toEqual([0x3c, 0xb4, 0x46]);
  });
});
