// The contract of resizing, for any kernel: test/imaging/pipeline/steps/resize.test.ts calls it for doubles,
// and test/imaging/pipeline/wasm/resample.test.ts for the WebAssembly module.

import { describe, expect, test } from "vitest";
import { boxFactor, sourceWindow } from "../../src/imaging/pipeline/kernel.ts";
import type { PixelBuffer } from "../../src/imaging/pipeline/pixels.ts";
import type { ResampleAxis } from "../../src/imaging/pipeline/step.ts";
import { crop } from "../../src/imaging/pipeline/steps/crop.ts";
import {
  asSharp,
  at,
  type Bands,
  centreOfMass,
  differing,
  noise,
  photograph,
  picture,
  psnr,
  whole,
} from "../imaging/pipeline/pictures.ts";
import fc from "../properties.ts";

export type Resize = (pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis) => PixelBuffer;

/** Every number of bands that a picture may have. */
export const bandCounts: readonly Bands[] = [1, 2, 3, 4];

/** The suite. `runs`: windows that are tried at each scale, depth and number of bands. */
export function resizeContract(
  kernel: string,
  { resize, runs }: { readonly resize: Resize; readonly runs: number },
): void {
  describe(`resizing ${kernel}`, () => {
    testFlatColour(resize);
    testPositions(resize);
    testWindows(resize, runs);
    testBands(resize);
  });
}

function testFlatColour(resize: Resize): void {
  const sizes = [
    [40, 20],
    [40, 11],
    [40, 3],
    [13, 29],
    [37, 37],
  ] as const;

  describe("flat colour", () => {
    test.each(bandCounts)("of every value stays exactly flat with %i bands at several ratios", (bands) => {
      for (const [from, to] of sizes)
        for (let value = 0; value < 256; value++) {
          // alpha 0 has no colour to keep
          const flat = picture(from, from + 1, bands, (_x, _y, b) =>
            bands % 2 === 0 && b === bands - 1 ? Math.max(1, value) : value,
          );
          const colour = at(flat, 0, 0);
          const expected = picture(to, to, bands, (_x, _y, b) => colour[b]!);
          for (const origin of [0, 0.25]) {
            const out = resize(flat, whole(from, to), { ...whole(from + 1, to), origin });
            expect(differing(out, expected)).toBe(0);
          }
        }
    });

    const spread = Array.from({ length: 66 }, (_, i) => 1 + 997 * i);
    const edges = [2, 3, 127, 255, 256, 32767, 32768, 65533, 65534, 65535, 12345, 54321];
    test.each(bandCounts)("of 16 bits stays exactly flat with %i bands", (bands) => {
      for (const [from, to] of sizes)
        for (const value of [...spread, ...edges]) {
          const flat = picture(from, from, bands, value, 16);
          const expected = picture(to, to, bands, value, 16);
          for (const origin of [0, -0.25]) {
            const out = resize(flat, whole(from, to), { ...whole(from, to), origin });
            expect(differing(out, expected)).toBe(0);
          }
        }
    });
  });
}

function testPositions(resize: Resize): void {
  test.each([
    [300, 200],
    [411, 274],
    [177, 118],
    [60, 40],
  ])("agrees with libvips at 600x400 to %ix%i", async (width, height) => {
    const source = await photograph();
    const peer = await asSharp(source)
      .resize(width, height, { fit: "fill", kernel: "lanczos3" })
      .raw()
      .toBuffer();
    expect(psnr(resize(source, whole(600, width), whole(400, height)).data, peer)).toBeGreaterThan(45);
  });

  test.each([1.5, 2, 3.7, 4, 8, 13, 0.5, 0.73])(
    "keeps an impulse in the centre there at scale %d",
    (scale) => {
      const cell = boxFactor(scale); // the least that a box reduction can place
      const [left, top] = [20 * cell, 18 * cell];
      const side = 40 * cell;
      const inside = (value: number, start: number) => value >= start && value < start + cell;
      const dot = picture(side, side, 1, (x, y) => (inside(x, left) && inside(y, top) ? 60000 : 20000), 16);
      const centred = (start: number, size: number) => ({
        size,
        origin: start + cell / 2 - (size * scale) / 2,
        scale,
      });
      const centre = centreOfMass(resize(dot, centred(left, 14), centred(top, 15)), 20000);
      expect(Math.abs(centre.x - 7)).toBeLessThan(0.02);
      expect(Math.abs(centre.y - 7.5)).toBeLessThan(0.02);
    },
  );
}

function testWindows(resize: Resize, runs: number): void {
  /** The samples of one axis pair computed from the window alone. */
  function fromWindow(source: PixelBuffer, x: ResampleAxis, y: ResampleAxis): PixelBuffer {
    const h = sourceWindow(x, source.width);
    const v = sourceWindow(y, source.height);
    const window = crop(source, {
      left: h.start,
      top: v.start,
      width: h.end - h.start,
      height: v.end - v.start,
    });
    return resize(window, { ...x, origin: x.origin - h.start }, { ...y, origin: y.origin - v.start });
  }

  const part = (axis: ResampleAxis, first: number, size: number): ResampleAxis => ({
    size,
    origin: axis.origin + first * axis.scale,
    scale: axis.scale,
  });

  const spans = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat());

  describe("windows", () => {
    test.each([1, 1.5, 2, 2.8, 3, 3.7, 14 / 3, 4, 8, 16, 32, 0.5, 0.3, 0.4, 600 / 431])(
      "give exactly the samples of the whole at scale %d, for every depth and number of bands",
      (scale) => {
        const [width, height] = scale < 1 ? [61, 47] : [331, 283];
        const x = { size: Math.ceil(width / scale), origin: 0, scale };
        const y = { size: Math.ceil(height / scale), origin: 0, scale };
        for (const bits of [8, 16] as const)
          for (const bands of bandCounts) {
            const source = noise(width, height, bands, bits);
            const all = resize(source, x, y);
            fc.assert(
              fc.property(spans, ([a, b, c, d]) => {
                const [left, top] = [a % x.size, b % y.size];
                const [w, h] = [1 + (c % (x.size - left)), 1 + (d % (y.size - top))];
                const tile = fromWindow(source, part(x, left, w), part(y, top, h));
                expect(differing(tile, crop(all, { left, top, width: w, height: h }))).toBe(0);
              }),
              { numRuns: runs },
            );
          }
      },
    );

    test("have the same samples when only the rest of the picture is transparent", () => {
      const source = picture(200, 40, 4, (x, y, b) =>
        b < 3 ? (x * 37 + y * 91 + b * 53) % 256 : x < 120 ? 255 : (x * y) % 256,
      );
      const x = whole(200, 31);
      const y = whole(40, 9);
      const tile = fromWindow(source, part(x, 0, 12), y);
      const all = resize(source, x, y);
      expect(differing(tile, crop(all, { left: 0, top: 0, width: 12, height: 9 }))).toBe(0);
    });
  });
}

function testBands(resize: Resize): void {
  test.each(bandCounts)(
    "scale 1 at a whole origin copies %i bands, colour under transparency too",
    (bands) => {
      const source = noise(20, 15, bands);
      const out = resize(source, { size: 7, origin: 4, scale: 1 }, { size: 9, origin: 3, scale: 1 });
      expect(differing(out, crop(source, { left: 4, top: 3, width: 7, height: 9 }))).toBe(0);
    },
  );

  test.each([0.4, 2, 3.3, 4.6, 9])(
    "transparent red next to opaque blue leaves no red at scale %d",
    (scale) => {
      const source = picture(60, 40, 4, (x, _y, b) => (x < 31 ? [255, 0, 0, 0] : [0, 0, 255, 255])[b]!);
      const size = (from: number) => Math.round(from / scale);
      const out = resize(source, whole(60, size(60)), whole(40, size(40)));
      let [wrong, seen] = [0, 0];
      for (let p = 0; p < out.data.length; p += 4) {
        const [red, , blue, alpha] = out.data.subarray(p, p + 4);
        if (red !== 0 || (alpha! > 0 && blue !== 255)) wrong++;
        if (alpha! > 0 && alpha! < 255) seen++;
      }
      expect(wrong).toBe(0);
      expect(seen).toBeGreaterThan(0);
    },
  );

  test.each(["cmyk", "rgb", "ycc"] as const)(
    "each band of %s is resized like a separate gray picture",
    (interpretation) => {
      const count = interpretation === "cmyk" ? 4 : 3;
      const source = { ...noise(50, 40, count), interpretation };
      for (const [width, height] of [
        [25, 25],
        [17, 17],
        [6, 6],
        [71, 71],
        [21, 17],
      ] as const) {
        const [x, y] = [whole(50, width), whole(40, height)];
        const out = resize(source, x, y);
        expect(out.interpretation).toBe(interpretation);
        for (let band = 0; band < count; band++) {
          const alone = resize(
            picture(50, 40, 1, (x, y) => source.data[(y * 50 + x) * count + band]!),
            x,
            y,
          );
          const expected = picture(width, height, 1, (x, y) => out.data[(y * width + x) * count + band]!);
          expect(differing(alone, expected)).toBe(0);
        }
      }
    },
  );
}
