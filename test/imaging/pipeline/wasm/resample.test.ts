// @module-tag slow
import { beforeAll, describe, expect, test } from "vitest";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import type { ResampleAxis } from "../../../../src/imaging/pipeline/step.ts";
import { resize as resizeInDoubles } from "../../../../src/imaging/pipeline/steps/resize.ts";
import { createResampler, type Resampler } from "../../../../src/imaging/pipeline/wasm/resample.ts";
import { bandCounts, resizeContract } from "../../../contracts/resize.ts";
import { ownModule } from "../../../wasm/own-modules.ts";
import { at, differing, noise, photograph, picture, psnr, whole } from "../pictures.ts";

const depths = [8, 16] as const;

let resampler: Resampler;
const resize = (pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis) => resampler.resize(pixels, x, y);

beforeAll(async () => {
  const module = await ownModule("resample");
  resampler = createResampler(() => module);
});

/** The largest difference of two pictures' samples. */
function farthest(a: PixelBuffer, b: PixelBuffer): number {
  expect([a.width, a.height, a.bands, a.data.length]).toEqual([b.width, b.height, b.bands, b.data.length]);
  let most = 0;
  for (let p = 0; p < a.data.length; p++) most = Math.max(most, Math.abs(a.data[p]! - b.data[p]!));
  return most;
}

resizeContract("in WebAssembly", { resize, runs: 20 });

describe("flat colour", () => {
  test.each([
    [8, 255],
    [16, 65535],
  ] as const)("of %i bits stays flat through boxes of hundreds of pixels", (bits, full) => {
    for (const bands of bandCounts)
      for (const value of [1, full - 1, full])
        for (const [width, height] of [
          [700, 700],
          [1999, 31],
          [31, 1999],
          [1999, 1999],
        ] as const) {
          const flat = picture(width, height, bands, value, bits);
          const out = resize(flat, whole(width, 2), whole(height, 1));
          expect([...out.data]).toEqual(new Array(2 * bands).fill(value));
        }
  });

  test("whose alpha is almost zero keeps its colour", () => {
    const faint = picture(60, 60, 4, (_x, _y, b) => [200, 131, 7, 1][b]!);
    for (const to of [37, 20, 9]) {
      const out = resize(faint, whole(60, to), whole(60, to));
      expect(out.data).toEqual(out.data.map((_, p) => [200, 131, 7, 1][p % 4]!));
    }
  });
});

describe("compared with double precision", () => {
  const ratios = [0.37, 0.5, 0.73, 1.01, 1.37, 2, 2.7, 3, 3.99, 4, 5, 7.3, 11.7, 40];

  test.each(ratios)("noise of 8 bits is at most one level away at scale %d, whatever the bands", (scale) => {
    for (const bands of [1, 3] as const) {
      const source = noise(211, 167, bands);
      const x = { size: Math.ceil(211 / scale), origin: 0.3, scale };
      const y = { size: Math.ceil(167 / scale), origin: -0.2, scale: scale * 1.1 };
      const [own, exact] = [resize(source, x, y), resizeInDoubles(source, x, y)];
      expect(farthest(own, exact)).toBeLessThanOrEqual(1);
      expect(psnr(own.data, exact.data)).toBeGreaterThan(54);
    }
  });

  test.each(ratios)("noise of 16 bits is at most one level of 65535 away at scale %d", (scale) => {
    for (const bands of [1, 3] as const) {
      const source = noise(111, 97, bands, 16);
      const x = { size: Math.ceil(111 / scale), origin: 0.3, scale };
      const y = { size: Math.ceil(97 / scale), origin: -0.2, scale: scale * 1.1 };
      expect(farthest(resize(source, x, y), resizeInDoubles(source, x, y))).toBeLessThanOrEqual(1);
    }
  });

  test.each(ratios)("colour weighted by noisy alpha is at most one level away at scale %d", (scale) => {
    for (const bits of depths)
      for (const bands of [2, 4] as const) {
        const source = noise(111, 97, bands, bits);
        const x = { size: Math.ceil(111 / scale), origin: 0.3, scale };
        const y = { size: Math.ceil(97 / scale), origin: -0.2, scale };
        expect(farthest(resize(source, x, y), resizeInDoubles(source, x, y))).toBeLessThanOrEqual(1);
      }
  });

  test.each([
    [300, 200],
    [433, 311],
    [170, 150],
    [601, 397],
    [900, 500],
    [60, 40],
  ])("the photograph has 59 dB and more at 600x400 to %ix%i", async (width, height) => {
    const source = await photograph();
    const [x, y] = [whole(600, width), whole(400, height)];
    const [own, exact] = [resize(source, x, y), resizeInDoubles(source, x, y)];
    expect(farthest(own, exact)).toBeLessThanOrEqual(1);
    expect(psnr(own.data, exact.data)).toBeGreaterThan(59);
  });

  test("every size from 1x1 to 12x12 becomes every other, with the same samples", () => {
    for (let w = 1; w <= 12; w++)
      for (let h = 1; h <= 12; h += w % 3 === 0 ? 1 : 2) {
        const bands = bandCounts[(w + h) % 4]!;
        const source = picture(w, h, bands, (x, y, b) =>
          b === bands - 1 && bands % 2 === 0 ? 255 : (x * 37 + y * 91 + b * 53) % 256,
        );
        for (let tw = 1; tw <= 12; tw++)
          for (let th = 1; th <= 12; th += 3) {
            const [x, y] = [whole(w, tw), whole(h, th)];
            expect(farthest(resize(source, x, y), resizeInDoubles(source, x, y))).toBeLessThanOrEqual(1);
          }
      }
  });

  test.each([
    { x: { size: 9, origin: -500, scale: 1.7 }, y: { size: 11, origin: 400, scale: 0.4 } },
    { x: { size: 70, origin: -20.5, scale: 1 }, y: { size: 61, origin: -9, scale: 1 } },
    { x: { size: 3, origin: -1000, scale: 700 }, y: { size: 5, origin: -3, scale: 8 } },
    { x: { size: 3, origin: 4, scale: 9 }, y: { size: 5, origin: 3, scale: 1 } },
    { x: { size: 3, origin: 4, scale: 1 }, y: { size: 5, origin: 3, scale: 7 } },
  ])("outputs outside and across the edge repeat it: $x.origin, $y.origin", ({ x, y }) => {
    for (const bits of depths)
      for (const bands of [1, 3] as const) {
        const source = noise(31, 43, bands, bits);
        expect(farthest(resize(source, x, y), resizeInDoubles(source, x, y))).toBeLessThanOrEqual(1);
      }
  });

  test.each([
    [5000, 7, 1200, 5],
    [7, 5000, 5, 1200],
    [4096, 40, 1700, 21],
    [17000, 9, 12000, 3],
    [9, 17000, 7, 90],
  ])("%ix%i to %ix%i crosses strips without a mark", (w, h, tw, th) => {
    for (const bits of depths)
      for (const bands of [1, 3] as const) {
        const source = noise(w, h, bands, bits);
        const [x, y] = [whole(w, tw), whole(h, th)];
        expect(farthest(resize(source, x, y), resizeInDoubles(source, x, y))).toBeLessThanOrEqual(1);
      }
  });
});

describe("alpha", () => {
  test.each([
    [40, 20],
    [40, 13],
    [40, 9],
    [20, 33],
  ])("opaque colour is within one level of colour without alpha, %i to %i", (from, to) => {
    const plain = noise(from, from, 3);
    const opaque = picture(from, from, 4, (x, y, b) => (b === 3 ? 255 : at(plain, x, y)[b]!));
    const out = resize(opaque, whole(from, to), whole(from, to));
    const colour = resize(plain, whole(from, to), whole(from, to));
    const expected = picture(to, to, 4, (x, y, b) => (b === 3 ? 255 : at(colour, x, y)[b]!));
    expect(farthest(out, expected)).toBeLessThanOrEqual(1);
    for (let p = 3; p < out.data.length; p += 4) expect(out.data[p]).toBe(255);
  });
});

test("leaves the source as it was", () => {
  const source = noise(30, 30, 3);
  const before = source.data.slice();
  resize(source, whole(30, 11), whole(30, 13));
  expect(source.data).toEqual(before);
});

test("resizing beyond the allowed memory uses doubles", async () => {
  const module = await ownModule("resample");
  const bounded = createResampler(() => module, 1 << 20);
  const source = noise(20_000, 9, 3);
  const [x, y] = [whole(20_000, 13_000), whole(9, 7)];
  const exact = resizeInDoubles(source, x, y);
  expect(differing(bounded.resize(source, x, y), exact)).toBe(0);
  expect(differing(resize(source, x, y), exact)).toBeGreaterThan(0);
});

test("earlier pictures in memory do not show", async () => {
  const module = await ownModule("resample");
  // Bytes of 255 read as floats are no numbers, and those of 16 bits are in other places.
  const before = [picture(900, 300, 3, 255), picture(300, 200, 4, 65535, 16)];
  for (const bits of depths)
    for (const bands of bandCounts)
      for (let side = 1; side <= 9; side++) {
        const used = createResampler(() => module);
        for (const earlier of before)
          used.resize(earlier, whole(earlier.width, 333), whole(earlier.height, 100));
        const source = noise(side, side + 1, bands, bits, side);
        const [x, y] = [whole(side, 14), whole(side + 1, 11)];
        expect(differing(used.resize(source, x, y), createResampler(() => module).resize(source, x, y))).toBe(
          0,
        );
      }
});

describe("planes", () => {
  test.each(depths)("of %i bits with padded rows equal the same gray picture", (bits) => {
    const source = noise(53, 37, 1, bits);
    for (const stride of [53, 56, 64, 1077, 1078, 4096]) {
      const data = bits === 8 ? new Uint8Array(stride * 37).fill(77) : new Uint16Array(stride * 37).fill(777);
      for (let y = 0; y < 37; y++) data.set(source.data.subarray(y * 53, (y + 1) * 53), y * stride);
      for (const [x, y] of [
        [whole(53, 21), whole(37, 18)],
        [whole(53, 9), whole(37, 5)],
        [whole(53, 80), whole(37, 37)],
        [
          { size: 20, origin: 3, scale: 1 },
          { size: 30, origin: 2, scale: 1 },
        ],
      ] as const) {
        const plane = resampler.resamplePlane({ width: 53, height: 37, stride, data }, x, y);
        const expected = resize(source, x, y);
        expect([plane.width, plane.height, plane.stride]).toEqual([x.size, y.size, x.size]);
        expect(plane.data).toEqual(expected.data);
      }
    }
  });

  test("of subsampled chroma are aligned with luma", () => {
    // one bump, sampled at each plane's own pixel centres
    const bump = (x: number, y: number) => 240 * Math.exp(-((x - 110.25) ** 2 + (y - 90.5) ** 2) / 900);
    const luma = picture(240, 200, 1, (x, y) => bump(x + 0.5, y + 0.5));
    const chroma = picture(120, 100, 1, (x, y) => bump(x * 2 + 1, y * 2 + 1));
    const axis = { size: 160, origin: 11, scale: 1.3 };
    const down = { size: 120, origin: 7, scale: 1.5 };
    const halved = (of: ResampleAxis) => ({ ...of, origin: of.origin / 2, scale: of.scale / 2 });
    const a = resampler.resamplePlane({ ...luma, stride: 240 }, axis, down);
    const b = resampler.resamplePlane({ ...chroma, stride: 120 }, halved(axis), halved(down));
    expect(psnr(a.data, b.data)).toBeGreaterThan(48);
  });
});
