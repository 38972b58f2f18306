import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { encodePng } from "../../../../src/imaging/codecs/png/encode.ts";
import { pngInstances } from "../../../../src/imaging/codecs/png/module.ts";
import type { Interpretation, PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { fixture, testHost } from "../../../host.ts";
import { reference } from "../reference.ts";
import { sequence } from "./make-png.ts";

const host = { ...testHost, instances: pngInstances(() => testHost.wasm("png")) };

/** Returns ramps with some noise, so that every filter is the best one for some rows. */
function pictured(width: number, height: number, bands: number, depth: 8 | 16): PixelBuffer {
  const next = sequence(width * 31 + bands);
  const length = width * height * bands;
  const data = depth === 16 ? new Uint16Array(length) : new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const pixel = Math.floor(i / bands);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const wave = [x * 9, y * 11, (x + y) * 7, next() >>> 20][(y >> 2) % 4]!;
    data[i] = depth === 16 ? wave * 97 + (next() >>> 30) : wave + (next() >>> 31);
  }
  return { width, height, bands, interpretation: bands < 3 ? "gray" : "rgb", data };
}

describe("a written PNG", () => {
  for (const bands of [1, 2, 3, 4])
    for (const depth of [8, 16] as const)
      for (const [width, height] of [
        [1, 1],
        [7, 5],
        [64, 33],
      ] as const)
        it(`of ${width} x ${height} with ${bands} bands of ${depth} bit decodes to the same samples elsewhere`, async () => {
          const pixels = pictured(width, height, bands, depth);
          const file = await encodePng(pixels, {}, host);
          const back = await reference(file);
          expect([back.width, back.height, back.bands]).toEqual([width, height, bands]);
          expect(back.data).toEqual(pixels.data);
        });

  it("of black and white alone has 1 bit if it is said to be bilevel, and decodes to 0 and 255", async () => {
    for (const width of [1, 8, 13]) {
      const next = sequence(width);
      const data = new Uint8Array(width * 6).map(() => (next() >>> 31) * 255);
      const pixels = { width, height: 6, bands: 1, interpretation: "gray", data } as const;
      const file = await encodePng(pixels, { bilevel: true }, host);
      expect(file[24]).toBe(1);
      expect((await reference(file)).data).toEqual(data);
      expect((await encodePng(pixels, {}, host))[24]).toBe(8);
    }
  });

  it("stores its resolution in pixels per metre", async () => {
    const pixels = pictured(3, 3, 3, 8);
    const file = await encodePng(pixels, { resolution: { x: 118.11, y: 59.06 } }, host);
    expect((await sharp(file).metadata()).density).toBe(300); // 11811 pixels per metre
    expect(Buffer.from(file).indexOf("pHYs")).toBeGreaterThan(0);
    expect(Buffer.from(await encodePng(pixels, {}, host)).indexOf("pHYs")).toBe(-1);
  });

  it("of a photograph is at most a tenth larger than libvips makes it", async () => {
    const { data, ...size } = await reference(fixture("base.png"));
    const file = await encodePng({ ...size, data, interpretation: "rgb" }, {}, host);
    const raw = { width: size.width, height: size.height, channels: 3 } as const;
    const theirs = await sharp(data, { raw }).png().toBuffer();
    expect(file.length).toBeLessThan(1.1 * theirs.length);
  });

  it("is refused for inks and luma", async () => {
    for (const interpretation of ["cmyk", "ycc"] as Interpretation[])
      await expect(encodePng({ ...pictured(2, 2, 4, 8), interpretation }, {}, host)).rejects.toMatchObject({
        kind: "encode",
      });
  });
});
