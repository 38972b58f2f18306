// CIELAB of TIFF under the white that its file names, through the whole application.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Field, plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { rgbPatches } from "../../../imaging/colour/charts.ts";
import { type Served, served } from "../../../served.ts";
import { pixelsOf } from "../derivatives.ts";

let folder: string;
let app: Served;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "whites-"));
  app = await served(`sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const size = { width: rgbPatches.length, height: 1 };

/** The patches in CIELAB under D65, which is what libvips means by it. */
async function labsUnderD65(): Promise<Float32Array> {
  const rgb = sharp(Uint8Array.from(rgbPatches.flat()), { raw: { ...size, channels: 3 } });
  const bytes = await rgb.toColourspace("lab").raw({ depth: "float" }).toBuffer();
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** A TIFF of the patches in 16 bits, as photometric interpretation 8 or 9 stores them. */
async function labFile(photometric: 8 | 9, ...more: Field[]): Promise<Uint8Array> {
  const values = Array.from(await labsUnderD65(), (value, i) => {
    if (photometric === 9) return i % 3 === 0 ? value * 652.8 : (value + 128) * 256;
    return i % 3 === 0 ? value * 655.35 : value * 256;
  });
  const data = new Uint8Array(values.length * 2);
  const view = new DataView(data.buffer);
  for (const [i, value] of values.entries()) view.setUint16(2 * i, Math.round(value) & 0xffff, true);
  return tiffFile([{ fields: plainFields(size.width, 1, 3, 16, photometric, ...more), blocks: [data] }]);
}

async function answered(name: string, file: Uint8Array): Promise<number[]> {
  writeFileSync(join(folder, name), file);
  return [...(await pixelsOf(app, `/iiif/3/${name}/full/max/0/default.png`)).data];
}

describe("CIELAB in TIFF", () => {
  test("under a WhitePoint of D65 has the colours that libvips made it from", async () => {
    const found = await answered("d65.tif", await labFile(8, [318, 5, 0.3127, 0.329]));
    const wanted = rgbPatches.flat();
    // The corners of sRGB are on the edge of the grid of colours.
    expect(found.map((value, i) => Math.abs(value - wanted[i]!)).filter((off) => off > 2)).toEqual([]);
  });

  test("under a WhitePoint of D50, however it is rounded, is the same as without one", async () => {
    const without = await answered("none.tif", await labFile(8));
    for (const [x, y] of [
      [0.3457, 0.3585],
      [0.34567, 0.3585],
      [0.346, 0.359],
    ] as const)
      expect(await answered(`d50-${x}.tif`, await labFile(8, [318, 5, x, y]))).toEqual(without);
    expect(await answered("other.tif", await labFile(8, [318, 5, 0.3127, 0.329]))).not.toEqual(without);
  });

  test.each([
    ["no chromaticity", [318, 5, 0, 0]],
    ["a colour that no cone for blue answers to", [318, 5, 0.2, 0.79]],
    ["a colour far outside all", [318, 5, 4000, 0.0001]],
    ["one number", [318, 5, 0.3127]],
    ["nine numbers", [318, 5, ...Array.from({ length: 9 }, () => 0.3)]],
  ] as const)("with %s for a WhitePoint is the same as without one", async (name, field) => {
    const without = await answered("none.tif", await labFile(8));
    expect(await answered(`${name}.tif`.replaceAll(" ", "-"), await labFile(8, field))).toEqual(without);
  });

  test("of ICC's encoding is always under D50", async () => {
    const without = await answered("icclab.tif", await labFile(9));
    expect(await answered("icclab-d65.tif", await labFile(9, [318, 5, 0.3127, 0.329]))).toEqual(without);
  });
});
