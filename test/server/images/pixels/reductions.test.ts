// The settings for reduced derivatives: sharpening, supersampling, linear light. Sizes never change, and
// tiles meet without a seam.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { psnr } from "../../../imaging/pipeline/pictures.ts";
import { type Served, served } from "../../../served.ts";
import { difference, pixelsOf } from "../derivatives.ts";
import { expectNoSeams } from "./levels.ts";

let folder: string;
const stored = (width: number, height: number) =>
  sharp(fixture("base.png")).removeAlpha().resize(width, height, { fit: "fill", kernel: "lanczos3" });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reductions-"));
  const save = async (name: string, data: Promise<Buffer>) => writeFile(join(folder, name), await data);
  await save("plain.png", stored(611, 443).png({ compressionLevel: 1 }).toBuffer());
  await save("turned.jpg", stored(603, 417).withMetadata({ orientation: 6 }).jpeg().toBuffer());
  await save("flipped.png", stored(317, 203).withMetadata({ orientation: 3 }).png().toBuffer());
  const tiled = {
    compression: "deflate",
    tile: true,
    tileWidth: 128,
    tileHeight: 128,
    pyramid: true,
  } as const;
  await save("pyramid.tif", stored(572, 402).tiff(tiled).toBuffer());
  await save("deep.png", stored(401, 303).toColourspace("rgb16").png({ compressionLevel: 1 }).toBuffer());
  const board = new Uint8Array(256 * 256).map((_, i) => ((i + (i >> 8)) % 2) * 255);
  await save(
    "board.png",
    sharp(board, { raw: { width: 256, height: 256, channels: 1 } })
      .png()
      .toBuffer(),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const over = (image: string) =>
  served(`image: ${image}\nsources: [{ name: made, type: filesystem, root: ${JSON.stringify(folder)} }]`);

describe.each([
  ["{ tile_size: 128, sharpen: on }", ["plain.png", "turned.jpg"]],
  ["{ tile_size: 64, sharpen: { radius: 2.5, amount: 1, threshold: 0 } }", ["flipped.png"]],
  ["{ tile_size: 128, supersample: 2 }", ["pyramid.tif"]],
  ["{ tile_size: 128, supersample: 4 }", ["turned.jpg"]],
  ["{ tile_size: 128, linear: on }", ["deep.png", "pyramid.tif"]],
  ["{ tile_size: 128, linear: on, sharpen: on, supersample: 2, depth: source }", ["deep.png"]],
])("under %s", (image, names) => {
  let app: Served;
  beforeAll(async () => {
    app = await over(image);
  });
  afterAll(() => app.service.close());

  test.each(names)("tiles of %s meet without a seam", (name) => expectNoSeams(app, 3, name));
});

test("only reduced derivatives are sharpened, and their size is unchanged", async () => {
  const [plain, sharpened] = await Promise.all([over("{}"), over("{ sharpen: on }")]);
  const both = (target: string) =>
    Promise.all([
      pixelsOf(plain, `/iiif/3/plain.png/${target}`),
      pixelsOf(sharpened, `/iiif/3/plain.png/${target}`),
    ]);
  for (const target of ["full/max", "10,10,300,200/300,200", "10,10,100,100/^200,200"]) {
    const [a, b] = await both(`${target}/0/default.png`);
    expect(difference(a, b).largest, target).toBe(0);
  }
  for (const target of ["full/300,", "0,0,512,512/256,256", "13,7,300,200/211,140"]) {
    const [a, b] = await both(`${target}/0/default.png`);
    expect(difference(a, b).mean, target).toBeGreaterThan(0.2);
  }
  await Promise.all([plain.service.close(), sharpened.service.close()]);
});

test("a sharpened region equals that part of the sharpened picture, edges included", async () => {
  const app = await over("{ sharpen: { radius: 3, amount: 2, threshold: 0 } }");
  const whole = await pixelsOf(app, "/iiif/3/plain.png/0,0,610,440/305,220/0/default.png");
  const part = await pixelsOf(app, "/iiif/3/plain.png/200,100,300,200/150,100/0/default.png");
  for (let y = 0; y < 100; y++)
    expect(part.data.subarray(y * 450, (y + 1) * 450)).toEqual(
      whole.data.subarray(((y + 50) * 305 + 100) * 3, ((y + 50) * 305 + 250) * 3),
    );
  await app.service.close();
});

test("sharpening luma alone, from JPEG to JPEG, looks the same as sharpening pixels", async () => {
  const how = "sharpen: { radius: 1, amount: 1, threshold: 0 }";
  const exact = 'jpeg_quality: 100, jpeg_chroma: "444"';
  const [plain, sharpened] = await Promise.all([over(`{ ${exact} }`), over(`{ ${exact}, ${how} }`)]);
  for (const target of [
    "100,40,256,256/128,128/0",
    "0,0,256,256/128,128/90",
    "31,57,300,200/131,91/!180",
    "full/200,/0",
  ]) {
    const path = `/iiif/3/turned.jpg/${target}/default`;
    const wanted = (await pixelsOf(sharpened, `${path}.png`)).data;
    const likeness = psnr((await pixelsOf(sharpened, `${path}.jpg`)).data, wanted);
    // the difference is in clamped colours; a shift by one pixel would be as visible as sharpening itself
    expect(likeness, target).toBeGreaterThan(40);
    expect(psnr((await pixelsOf(plain, `${path}.jpg`)).data, wanted), target).toBeLessThan(32);
  }
  await Promise.all([plain.service.close(), sharpened.service.close()]);
});

test("supersampled derivatives of a pyramid come from finer levels, as a good filter reduces them", async () => {
  const reference = await sharp(await stored(572, 402).png().toBuffer())
    .resize(286, 201, { fit: "fill", kernel: "lanczos3" })
    .raw()
    .toBuffer();
  const likeness = async (image: string) => {
    const app = await over(image);
    const { data } = await pixelsOf(app, "/iiif/3/pyramid.tif/full/286,201/0/default.png");
    await app.service.close();
    return psnr(data, reference);
  };
  // the stored level is a mean of four
  expect(await likeness("{ supersample: 2 }")).toBeGreaterThan((await likeness("{}")) + 3);
});

test.each([2, 4])("a board of black and white at 1/%i is half the light", async (s) => {
  const target = `/iiif/3/board.png/full/${256 / s},/0/default.png`;
  for (const [image, level] of [
    ["{}", 127.5],
    ["{ linear: on }", 187.5],
  ] as const) {
    const app = await over(image);
    const { data, width } = await pixelsOf(app, target);
    for (const value of data.subarray(width * 20, width * 21))
      expect(Math.abs(value - level), image).toBeLessThanOrEqual(1);
    await app.service.close();
  }
});

test("each setting has a separate entity tag", async () => {
  const settings = [
    "{}",
    "{ sharpen: on }",
    "{ sharpen: { amount: 1 } }",
    "{ supersample: 2 }",
    "{ supersample: 4 }",
    "{ linear: on }",
  ];
  const tags = new Set<string | null>();
  for (const image of settings) {
    const app = await over(image);
    tags.add((await app.get("/iiif/3/plain.png/full/100,/0/default.png")).headers.get("etag"));
    await app.service.close();
  }
  expect(tags.size).toBe(settings.length);
});
