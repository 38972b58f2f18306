// Alpha from every container: edges without halos, and associated alpha told apart from unassociated (TIFF
// 6.0 section 18).
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { type Served, served } from "../../../served.ts";
import { pixelsOf } from "../derivatives.ts";

const side = 301;

/** Returns how much of a pixel a disc covers, from its distance. */
const cover = (x: number, y: number) => {
  const distance = Math.hypot(x + 0.5 - side / 2, y + 0.5 - side / 2);
  return Math.min(1, Math.max(0, 120.5 - distance));
};

/**
 * Draws a red disc; the transparent pixels around it are blue, or black if colours are multiplied by alpha.
 */
function disc<T extends Uint8Array | Uint16Array>(samples: T, full: number, associated: boolean): T {
  for (let p = 0, i = 0; p < samples.length; p += 4, i++) {
    const alpha = Math.round(cover(i % side, Math.floor(i / side)) * full);
    samples[p] = associated ? alpha : alpha > 0 ? full : 0;
    samples[p + 2] = !associated && alpha === 0 ? full : 0;
    samples[p + 3] = alpha;
  }
  return samples;
}

const tiff = (data: Uint8Array | Uint16Array | Float32Array, bits: number, extra: number) =>
  tiffFile([
    {
      fields: plainFields(side, side, 4, bits, 2, [338, 3, extra], [339, 3, bits === 32 ? 3 : 1]),
      blocks: [new Uint8Array(data.buffer)],
    },
  ]);
const bytes = (associated = false) => disc(new Uint8Array(side * side * 4), 255, associated);
const words = (associated = false) => disc(new Uint16Array(side * side * 4), 65535, associated);
const floats = (associated = false) => Float32Array.from(words(associated), (value) => value / 65535);
const raw = { width: side, height: side, channels: 4 } as const;

const files: Record<string, () => Promise<Uint8Array> | Uint8Array> = {
  "straight.png": () => sharp(bytes(), { raw }).png().toBuffer(),
  "straight-16.png": () => sharp(words(), { raw }).toColourspace("rgb16").png().toBuffer(),
  "straight.webp": () => sharp(bytes(), { raw }).webp({ lossless: true, exact: true }).toBuffer(),
  "straight.tif": () => tiff(bytes(), 8, 2),
  "straight-16.tif": () => tiff(words(), 16, 2),
  "straight-float.tif": () => tiff(floats(), 32, 2),
  "associated.tif": () => tiff(bytes(true), 8, 1),
  "associated-16.tif": () => tiff(words(true), 16, 1),
  "associated-float.tif": () => tiff(floats(true), 32, 1),
};

let folder: string;
let app: Served;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "alpha-"));
  for (const [name, make] of Object.entries({ ...files, ...inks }))
    await writeFile(join(folder, name), await make());
  app = await served(
    `image: { jpeg_quality: 100, jpeg_chroma: "444" }\nsources: [{ name: made, type: filesystem, root: ${JSON.stringify(folder)} }]`,
  );
});
afterAll(async () => {
  await app.service.close();
  await rm(folder, { recursive: true, force: true });
});

const sizes = ["max", "150,", "75,", "57,57", "^400,"];

/** Draws a disc of all inks on a transparent background; an extra sample that is not alpha precedes alpha. */
function printed<T extends Uint8Array | Uint16Array>(samples: T, full: number, associated: boolean): T {
  for (let p = 0, i = 0; p < samples.length; p += 6, i++) {
    const alpha = Math.round(cover(i % side, Math.floor(i / side)) * full);
    samples.fill(associated ? alpha : alpha > 0 ? full : 0, p, p + 4);
    samples[p + 4] = i % 256;
    samples[p + 5] = alpha;
  }
  return samples;
}
const ink = (data: Uint8Array | Uint16Array, bits: number, kind: number) =>
  tiffFile([
    {
      fields: plainFields(side, side, 6, bits, 5, [338, 3, 0, kind]),
      blocks: [new Uint8Array(data.buffer)],
    },
  ]);
const inks: Record<string, () => Uint8Array> = {
  "ink.tif": () => ink(printed(new Uint8Array(side * side * 6), 255, false), 8, 2),
  "ink-16.tif": () => ink(printed(new Uint16Array(side * side * 6), 65535, false), 16, 2),
  "ink-associated.tif": () => ink(printed(new Uint8Array(side * side * 6), 255, true), 8, 1),
};

describe.each(Object.keys(inks))("with ink in %s", (name) => {
  test("all inks are black, and the uncovered part is transparent, at any size and rotation", async () => {
    for (const rest of [...sizes.map((size) => `${size}/0`), "75,/30", "max/90"]) {
      const { data, bands } = await pixelsOf(app, `/iiif/3/${name}/full/${rest}/default.png`);
      expect(bands).toBe(4);
      let [partly, other, area] = [0, 0, 0];
      for (let p = 0; p < data.length; p += 4) {
        const alpha = data[p + 3]!;
        area += alpha / 255;
        if (alpha > 0 && alpha < 255) partly++;
        if (alpha > 0) other = Math.max(other, data[p]!, data[p + 1]!, data[p + 2]!);
      }
      expect(other, rest).toBe(0);
      expect(partly, rest).toBeGreaterThan(40);
      if (rest === "75,/0")
        expect(Math.abs((area * (301 / 75) ** 2) / (Math.PI * 120 ** 2) - 1)).toBeLessThan(0.003);
    }
  });

  test("the background is visible if the format has no alpha", async () => {
    const { data, bands, width } = await pixelsOf(app, `/iiif/3/${name}/full/max/0/default.jpg`);
    expect(bands).toBe(3);
    const at = (x: number, y: number) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
    expect(at(2, 2)).toEqual([255, 255, 255]);
    expect(at(150, 150)).toEqual([0, 0, 0]);
  });
});

describe.each(Object.keys(files))("as %s", (name) => {
  test("pixels that show are red, whatever the size and the turn", async () => {
    for (const rest of [...sizes.map((size) => `${size}/0`), "75,/30", "max/90"]) {
      const { data } = await pixelsOf(app, `/iiif/3/${name}/full/${rest}/default.png`);
      let [partly, missing, other] = [0, 0, 0];
      for (let p = 0; p < data.length; p += 4) {
        const alpha = data[p + 3]!;
        if (alpha > 0 && alpha < 255) partly++;
        // multiplied by alpha, as it shows: stored products of 8 bits are half a level off
        missing = Math.max(missing, alpha - (data[p]! * alpha) / 255);
        other = Math.max(other, ((data[p + 1]! + data[p + 2]!) * alpha) / 255);
      }
      expect(missing, rest).toBeLessThan(1);
      expect(other, rest).toBeLessThan(0.01);
      expect(partly, rest).toBeGreaterThan(40);
    }
  });

  test("edges over the background are mixtures of red and white alone", async () => {
    for (const rest of ["max/0", "75,/0", "75,/30"]) {
      const { data } = await pixelsOf(app, `/iiif/3/${name}/full/${rest}/default.jpg`);
      let [least, apart] = [255, 0];
      for (let p = 0; p < data.length; p += 3) {
        least = Math.min(least, data[p]!);
        apart = Math.max(apart, Math.abs(data[p + 1]! - data[p + 2]!));
      }
      // JPEG of quality 100 rounds colours by a few levels
      expect(least, rest).toBeGreaterThanOrEqual(250);
      expect(apart, rest).toBeLessThanOrEqual(5);
    }
  });

  test("the edge of a reduced disc covers as much as the disc", async () => {
    const { data } = await pixelsOf(app, `/iiif/3/${name}/full/75,/0/default.png`);
    let area = 0;
    for (let p = 3; p < data.length; p += 4) area += data[p]! / 255;
    const scale = 301 / 75;
    expect(Math.abs((area * scale * scale) / (Math.PI * 120 ** 2) - 1)).toBeLessThan(0.003);
  });
});

test.each([
  ["straight.tif", "associated.tif", 1],
  ["straight-16.tif", "associated-16.tif", 1],
  ["straight-float.tif", "associated-float.tif", 1],
  // Their levels are made with another filter than those of a TIFF: the edge of the disc is up to 9 levels
  // apart.
  ["straight.tif", "straight.png", 9],
  ["straight-16.tif", "straight.webp", 9],
  ["straight-16.png", "straight.webp", 1],
] as const)("%s and %s show the same picture", async (one, other, ofLevels) => {
  for (const size of sizes) {
    const [a, b] = await Promise.all(
      [one, other].map((name) => pixelsOf(app, `/iiif/3/${name}/full/${size}/0/default.png`)),
    );
    if (!a || !b) throw new Error("Expected two pictures.");
    let [alphas, colours] = [0, 0];
    for (let p = 0; p < a.data.length; p += 4) {
      alphas = Math.max(alphas, Math.abs(a.data[p + 3]! - b.data[p + 3]!));
      for (let c = p; c < p + 3; c++) {
        const apart = Math.abs(a.data[c]! * a.data[p + 3]! - b.data[c]! * b.data[p + 3]!) / 255;
        colours = Math.max(colours, apart);
      }
    }
    const most = size === "75," || size === "57,57" ? ofLevels : 1;
    expect(alphas, size).toBeLessThanOrEqual(most);
    expect(colours, size).toBeLessThanOrEqual(most + 0.01);
  }
});
