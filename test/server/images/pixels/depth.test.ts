// Ramps of 16 bits and of floating point to 8 bits and to 16: in order, no step left out, whatever is done to
// them.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { opjCompress } from "../../../imaging/codecs/jp2/openjpeg.ts";
import { type Field, plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { type Served, served } from "../../../served.ts";
import { pixelsOf } from "../derivatives.ts";

const [width, height] = [2048, 32];
/** From black on the left to white on the right, 32.015 of 65535 a pixel. */
const ramp = new Uint16Array(width * height).map((_, i) => Math.round(((i % width) * 65535) / (width - 1)));
const exact = (i: number) => ((i % width) * 255) / (width - 1);

const bytesOf = (data: Uint16Array | Float32Array) => new Uint8Array(data.buffer);
const float: Field = [339, 3, 3];
const files: Record<string, () => Promise<Uint8Array> | Uint8Array> = {
  "gray.png": () =>
    sharp(ramp, { raw: { width, height, channels: 1 } })
      .toColourspace("grey16")
      .png()
      .toBuffer(),
  "rgb.png": () =>
    sharp(
      new Uint16Array(ramp.length * 3).map((_, i) => ramp[Math.floor(i / 3)] as number),
      {
        raw: { width, height, channels: 3 },
      },
    )
      .toColourspace("rgb16")
      .png()
      .toBuffer(),
  "gray.tif": () => tiffFile([{ fields: plainFields(width, height, 1, 16, 1), blocks: [bytesOf(ramp)] }]),
  "float.tif": () =>
    tiffFile([
      {
        fields: plainFields(width, height, 1, 32, 1, float),
        blocks: [bytesOf(Float32Array.from(ramp, (value) => value / 65535))],
      },
    ]),
  "gray.jp2": () => {
    // PGM is big-endian.
    const pgm = Buffer.concat([
      Buffer.from(`P5\n${width} ${height}\n65535\n`),
      Buffer.from(bytesOf(ramp)).swap16(),
    ]);
    return opjCompress(pgm, [], { from: "pgm", to: "jp2" });
  },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "depth-"));
  for (const [name, make] of Object.entries(files)) {
    const data = await make();
    if (data.length > 0) await writeFile(join(folder, name), data);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const over = (image: string) =>
  served(`image: ${image}\nsources: [{ name: made, type: filesystem, root: ${JSON.stringify(folder)} }]`);

/** The first band of the middle row, which is in order. */
async function rowOf(app: Served, target: string) {
  const { data, width, height, bands } = await pixelsOf(app, target);
  const row = Array.from({ length: width }, (_, x) => data[((height >> 1) * width + x) * bands] as number);
  expect(
    row.findIndex((value, x) => x > 0 && value < row[x - 1]!),
    `${target} falls`,
  ).toBe(-1);
  return { row, deep: data instanceof Uint16Array };
}

const largestStep = (row: readonly number[]) =>
  row.reduce((most, value, x) => Math.max(most, x > 0 ? value - row[x - 1]! : 0), 0);

describe.each(Object.keys(files))("as %s", (name) => {
  test.each(["{}", "{ linear: on }", "{ sharpen: { threshold: 0 } }"])(
    "all 256 levels are there under %s, whatever the size",
    async (image) => {
      const app = await over(image);
      for (const size of ["max", "1024,16", "700,16", "^2600,40"]) {
        const { row, deep } = await rowOf(app, `/iiif/3/${name}/full/${size}/0/default.png`);
        expect(deep).toBe(false);
        expect([row[0], row.at(-1)]).toEqual([0, 255]);
        expect(largestStep(row), size).toBe(1);
        expect(new Set(row).size, size).toBe(256);
      }
      await app.service.close();
    },
  );

  test("each sample is the nearest level", async () => {
    const app = await over("{}");
    const { row } = await rowOf(app, `/iiif/3/${name}/full/max/0/default.png`);
    expect(Math.max(...row.map((value, x) => Math.abs(value - exact(x))))).toBeLessThanOrEqual(0.502);
    await app.service.close();
  });

  test.each(["png", "tif"])("16 bits stay 16 in %s if the setting says so", async (format) => {
    const app = await over("{ depth: source }");
    const whole = await rowOf(app, `/iiif/3/${name}/full/max/0/default.${format}`);
    expect(whole.deep).toBe(true);
    expect(whole.row).toEqual([...ramp.subarray(0, width)]);
    for (const rest of ["1024,16/0/default", "^4096,64/0/gray", "700,16/180/default"]) {
      const target = `/iiif/3/${name}/full/${rest.replace("/180/", "/0/")}.${format}`;
      const { row, deep } = await rowOf(app, target);
      expect(deep, target).toBe(true);
      // no detour through 8 bits: the steps are those of the ramp, except for ringing of the filter at its
      // ends
      expect(largestStep(row), target).toBeLessThanOrEqual((1.2 * 65535) / (row.length - 1) + 1);
    }
    await app.service.close();
  });

  test("a turn by any angle keeps 16 bits", async () => {
    const app = await over("{ depth: source }");
    const {
      data,
      width: w,
      height: h,
      bands,
    } = await pixelsOf(app, `/iiif/3/${name}/0,0,512,32/max/3/default.png`);
    expect(data instanceof Uint16Array).toBe(true);
    const values = new Set<number>();
    for (let x = 40; x < w - 40; x++) values.add(data[((h >> 1) * w + x) * bands]! % 257);
    // 8-bit samples widened would all be multiples of 257
    expect(values.size).toBeGreaterThan(100);
    await app.service.close();
  });
});

test("floating point outside 0 to 1 is black and white, and NaN is black", async () => {
  const values = Float32Array.of(-5, -0.001, 0, 0.5, 1, 1.001, 40, Number.NaN, Number.POSITIVE_INFINITY);
  await writeFile(
    join(folder, "wild.tif"),
    tiffFile([{ fields: plainFields(9, 1, 1, 32, 1, float), blocks: [bytesOf(values)] }]),
  );
  const app = await over("{}");
  const { data } = await pixelsOf(app, "/iiif/3/wild.tif/full/max/0/default.png");
  expect([...data]).toEqual([0, 0, 0, 128, 255, 255, 255, 0, 255]);
  await app.service.close();
});
