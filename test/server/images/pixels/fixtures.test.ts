// Every test picture through the whole application: facts and pixels against other decoders (Image API
// sections 4, 5).
// @module-tag slow

import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { expectedRows, fixture } from "../../../host.ts";
import { reference } from "../../../imaging/codecs/reference.ts";
import { type Served, served } from "../../../served.ts";
import { difference, informationOf, type Picture, pixelsOf } from "../derivatives.ts";

let app: Served;
beforeAll(async () => {
  app = await served("image: { color: respect-icc }"); // pixels as stored: test/imaging/colour/ is about their conversion
});

/**
 * Files that the other decoder cannot read: the picture they were made from, and the loss of the encoding.
 */
const encodedFrom: Readonly<Record<string, readonly [name: string, loss: "nothing" | "some"]>> = {
  "htj2k-gray.jph": ["base.png", "some"],
  "htj2k-lossless.jhc": ["base.png", "nothing"],
  "htj2k-lossless.jph": ["base.png", "nothing"],
  "htj2k-lossy.j2c": ["base.png", "some"],
  "j2k-raw.j2k": ["base.png", "some"],
  "jp2-gray.jp2": ["base.png", "some"],
  "jp2-icc-displayp3.jp2": ["jpg-icc-displayp3.jpg", "some"],
  "jp2-irreversible.jp2": ["base.png", "some"],
  "jp2-layers-offset.jp2": ["base.png", "some"],
  "jp2-palette.jp2": ["base.png", "some"],
  "jp2-precincts-rpcl-plt-tlm.jp2": ["base.png", "some"],
  "jp2-reversible.jp2": ["base.png", "nothing"],
  "jp2-rgb16.jp2": ["png-rgb16.png", "some"],
  "jp2-rgba8.jp2": ["png-rgba8.png", "nothing"],
  "jp2-tiled-128.jp2": ["base.png", "some"],
  "tif-jp2k-tiled.tif": ["base.png", "some"],
  "tif-zstd.tif": ["base.png", "nothing"],
};

/** Inks and CIELAB always become sRGB: see test/imaging/colour/. */
const converted = new Set([
  "jpg-cmyk-adobe.jpg",
  "jpg-cmyk-icc.jpg",
  "jpg-ycck-adobe.jpg",
  "tif-cmyk-icc-lzw.tif",
  "tif-lab-deflate.tif",
]);

/** Corner pixels that are not the red of base.png, or no corner squares at all. */
const otherCorners = new Set([
  "67352ccc-d1b0-11e1-89ae-279075081939.png",
  "gif-small-first-frame.gif",
  "gif-transparent.gif",
  "jpg-1x1.jpg",
  "jpg-wide-5000x12.jpg",
]);

const rows = expectedRows().filter(({ file = "" }) => !/^(bad-|bomb-|large-)/.test(file));
const names = rows.map((row) => row.file as string);

describe("a test picture", () => {
  test.each(rows.map((row) => [row.file as string, row] as const))(
    "%s has its upright size, and the pixels that another decoder sees",
    async (name, row) => {
      for (const version of [2, 3] as const)
        expect(await informationOf(app, version, name)).toMatchObject({
          width: Number(row.owidth),
          height: Number(row.oheight),
        });
      const picture = await pixelsOf(app, `/iiif/3/${name}/full/max/0/default.png`);
      expect([picture.width, picture.height]).toEqual([Number(row.owidth), Number(row.oheight)]);
      const [from, loss] = encodedFrom[name] ?? [name, "nothing"];
      if (converted.has(name)) return expectRedCorner(picture);
      const expected = await independent(from, picture.bands);
      if (loss === "nothing") expect(difference(picture, expected)).toEqual({ mean: 0, largest: 0 });
      else expect(noiseRatio(picture, expected)).toBeGreaterThan(30);
      if (!otherCorners.has(name)) expectRedCorner(picture);
    },
  );

  test.each(names.filter((name) => /gray|-g4-|la8/.test(name)))(
    "%s stays gray in every format",
    async (name) => {
      for (const format of ["jpg", "png", "tif"]) {
        const response = await app.get(`/iiif/3/${name}/full/60,/0/default.${format}`);
        const { channels } = await sharp(await response.arrayBuffer()).metadata();
        expect([format, channels]).toEqual([format, name.includes("la8") && format !== "jpg" ? 2 : 1]);
      }
    },
  );
});

/**
 * Upright pixels by sharp, without profiles, in 8 bits as the specification reduces them: full range,
 * rounded.
 */
async function independent(name: string, bands: number): Promise<Picture> {
  const file = fixture(name);
  const image = () => sharp(file, { ignoreIcc: true });
  const { depth, orientation = 1 } = await image().metadata();
  if (depth === "float") return to8(await raw(image().toColourspace("b-w"), "float"), 1);
  const picture = await reference(orientation > 1 ? await image().autoOrient().png().toBuffer() : file);
  if (bands === 1 && picture.bands === 3) return luma(picture);
  return picture.data instanceof Uint16Array ? to8(picture, 65535) : picture;
}

/** Gray as BT.601 weighs red, green and blue. */
function luma({ width, height, data }: Picture): Picture {
  const out = new Uint8Array(width * height);
  for (let p = 0; p < out.length; p++)
    out[p] = Math.round(0.299 * data[p * 3]! + 0.587 * data[p * 3 + 1]! + 0.114 * data[p * 3 + 2]!);
  return { width, height, bands: 1, data: out };
}

/** Peak signal-to-noise ratio in dB of 8-bit pictures of the same shape. */
function noiseRatio(a: Picture, b: Picture): number {
  expect([a.width, a.height, a.bands]).toEqual([b.width, b.height, b.bands]);
  let squares = 0;
  for (let p = 0; p < a.data.length; p++) squares += (a.data[p]! - b.data[p]!) ** 2;
  return 10 * Math.log10((255 * 255 * a.data.length) / squares);
}

interface Samples {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly data: ArrayLike<number>;
}

async function raw(image: Sharp, depth: "uchar" | "float"): Promise<Samples> {
  const { data, info } = await image.raw({ depth }).toBuffer({ resolveWithObject: true });
  const bytes = new Uint8Array(data);
  const { width, height, channels } = info;
  return { width, height, bands: channels, data: depth === "float" ? new Float32Array(bytes.buffer) : bytes };
}

function to8({ width, height, bands, data }: Samples, full: number): Picture {
  const level = (value: number) => Math.round((Math.min(Math.max(value, 0), full) * 255) / full);
  return { width, height, bands, data: Uint8Array.from(data, level) };
}

/**
 * Expects the red square of base.png: upright pictures have it top left. In gray it is dark, next to a paler
 * table.
 */
function expectRedCorner({ width, height, bands, data }: Picture): void {
  const at = (x: number, y: number) => [
    ...data.subarray((y * width + x) * bands, (y * width + x + 1) * bands),
  ];
  const [red = 0, green = 0, blue = 0] = at(Math.floor(width / 40), Math.floor(height / 40));
  if (bands < 3)
    expect(red).toBeLessThan(at(width - Math.ceil(width / 40), height - Math.ceil(height / 40))[0]!);
  else expect([red > 100, red > 2 * green, red > 2 * blue]).toEqual([true, true, true]);
}
