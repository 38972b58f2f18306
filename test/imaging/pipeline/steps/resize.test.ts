// @module-tag slow
import { describe, expect, test } from "vitest";
import { sourceWindow } from "../../../../src/imaging/pipeline/kernel.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import type { ResampleAxis } from "../../../../src/imaging/pipeline/step.ts";
import { resize } from "../../../../src/imaging/pipeline/steps/resize.ts";
import { resizeContract } from "../../../contracts/resize.ts";
import fc from "../../../properties.ts";
import { at, centreOfMass, differing, noise, photograph, picture, psnr, whole } from "../pictures.ts";

/** Lanczos-3 from its definition, in double precision, both axes together, unrounded but clamped. */
function lanczos3(pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis): Float64Array {
  const sinc = (t: number) => (t === 0 ? 1 : Math.sin(Math.PI * t) / (Math.PI * t));
  const taps = (axis: ResampleAxis, size: number) =>
    Array.from({ length: axis.size }, (_, i) => {
      const centre = axis.origin + (i + 0.5) * axis.scale;
      const stretch = Math.max(1, axis.scale);
      const found: { at: number; weight: number }[] = [];
      for (let j = Math.floor(centre - 3 * stretch) - 1; j <= centre + 3 * stretch + 1; j++) {
        const t = (j + 0.5 - centre) / stretch;
        if (Math.abs(t) < 3)
          found.push({ at: Math.min(size - 1, Math.max(0, j)), weight: sinc(t) * sinc(t / 3) });
      }
      const sum = found.reduce((all, { weight }) => all + weight, 0);
      return found.map(({ at, weight }) => ({ at, weight: weight / sum }));
    });
  const across = taps(x, pixels.width);
  const down = taps(y, pixels.height);
  const out = new Float64Array(x.size * y.size * pixels.bands);
  const middle = new Float64Array(x.size * pixels.height * pixels.bands);
  for (let row = 0; row < pixels.height; row++)
    for (const [i, column] of across.entries())
      for (let b = 0; b < pixels.bands; b++)
        for (const tap of column)
          middle[(row * x.size + i) * pixels.bands + b]! +=
            tap.weight * pixels.data[(row * pixels.width + tap.at) * pixels.bands + b]!;
  for (const [j, line] of down.entries())
    for (let p = 0; p < x.size * pixels.bands; p++) {
      let sum = 0;
      for (const tap of line) sum += tap.weight * middle[tap.at * x.size * pixels.bands + p]!;
      out[j * x.size * pixels.bands + p] = Math.min(255, Math.max(0, sum));
    }
  return out;
}

resizeContract("in doubles", { resize, runs: 12 });

describe("the kernel", () => {
  test.each([
    [300, 200],
    [433, 311],
    [170, 150],
    [601, 397],
    [900, 500],
  ])("equals Lanczos-3 in double precision at 600x400 to %ix%i", async (width, height) => {
    const source = await photograph();
    const [x, y] = [whole(600, width), whole(400, height)];
    expect(psnr(resize(source, x, y).data, lanczos3(source, x, y))).toBeGreaterThan(58);
  });

  test.each([4, 5, 8, 11.7, 32])(
    "stays close to the full-length kernel with box cells at 1:%d",
    async (scale) => {
      const source = await photograph();
      const x = { size: Math.floor(600 / scale), origin: 0, scale };
      const y = { size: Math.floor(400 / scale), origin: 0, scale };
      expect(psnr(resize(source, x, y).data, lanczos3(source, x, y))).toBeGreaterThan(38);
    },
  );

  test.each([1.5, 2, 3.7, 4, 6, 8, 0.5, 0.73])("keeps a broad bump at its position at scale %d", (scale) => {
    const bump = picture(
      240,
      264,
      1,
      (x, y) => 65000 * Math.exp(-((x - 110.25) ** 2 + (y - 140) ** 2) / 800),
      16,
    );
    const axis = (from: number) => ({ size: Math.round(from / scale), origin: 0, scale });
    const centre = centreOfMass(resize(bump, axis(240), axis(264)));
    expect(Math.abs(centre.x - 110.75 / scale)).toBeLessThan(0.02);
    expect(Math.abs(centre.y - 140.5 / scale)).toBeLessThan(0.02);
  });

  test("keeps the middle of a black and white edge at its position", () => {
    const edge = picture(64, 8, 1, (x) => (x < 32 ? 0 : 255));
    const { data } = resize(edge, whole(64, 32), whole(8, 4));
    for (let i = 0; i < 16; i++) expect(data[i]! + data[31 - i]!).toBeGreaterThanOrEqual(254);
    for (let i = 0; i < 16; i++) expect(data[i]! + data[31 - i]!).toBeLessThanOrEqual(256);
    expect(data[15]).toBeLessThan(64);
    expect(data[16]).toBeGreaterThan(191);
  });

  test("averages box cells exactly: a scale of 6 sees pairs of pixels as one", () => {
    const fine = noise(120, 120, 3);
    const pairs = picture(120, 120, 3, (x, y, b) => {
      const [left, top] = [x - (x % 2), y - (y % 2)];
      return at(fine, left, top)[b]!;
    });
    const halves = picture(60, 60, 3, (x, y, b) => at(fine, x * 2, y * 2)[b]!);
    expect(
      differing(resize(pairs, whole(120, 20), whole(120, 20)), resize(halves, whole(60, 20), whole(60, 20))),
    ).toBe(0);
  });
});

describe("windows", () => {
  test("start at a box cell, end at one or at the edge, and stay inside", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0.05, max: 70, noNaN: true }),
        fc.nat(),
        fc.nat(),
        (sourceSize, scale, a, b) => {
          const outputs = Math.ceil(sourceSize / scale);
          const first = a % outputs;
          const axis = { size: 1 + (b % (outputs - first)), origin: first * scale, scale };
          const { start, end } = sourceWindow(axis, sourceSize);
          const box = Math.max(1, Math.floor(scale / 3));
          expect(start % box).toBe(0);
          expect(end === sourceSize || end % box === 0).toBe(true);
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(sourceSize);
        },
      ),
    );
  });

  test("of a copy contain the copied pixels and no more", () => {
    expect(sourceWindow({ size: 10, origin: 5, scale: 1 }, 100)).toEqual({ start: 5, end: 15 });
  });
});

test("a copy that reaches over the edge repeats it", () => {
  const source = picture(3, 1, 1, (x) => 10 + x);
  const out = resize(source, { size: 7, origin: -2, scale: 1 }, { size: 2, origin: 0, scale: 1 });
  expect([...out.data]).toEqual([10, 10, 10, 11, 12, 12, 12, 10, 10, 10, 11, 12, 12, 12]);
});

describe("alpha", () => {
  test.each([
    [40, 20],
    [40, 13],
    [40, 9],
    [20, 33],
  ])("opaque colour is the same with and without it, %i to %i", (from, to) => {
    const plain = noise(from, from, 3);
    const opaque = picture(from, from, 4, (x, y, b) => (b === 3 ? 255 : at(plain, x, y)[b]!));
    const out = resize(opaque, whole(from, to), whole(from, to));
    const expected = resize(plain, whole(from, to), whole(from, to));
    expect(
      differing(
        out,
        picture(to, to, 4, (x, y, b) => (b === 3 ? 255 : at(expected, x, y)[b]!)),
      ),
    ).toBe(0);
  });
});

test("16-bit samples that are 257 times 8-bit ones come out within one 8-bit level", () => {
  const small = noise(50, 40, 3);
  const large = picture(50, 40, 3, (x, y, b) => at(small, x, y)[b]! * 257, 16);
  for (const to of [25, 17, 8, 71]) {
    const a = resize(small, whole(50, to), whole(40, to));
    const b = resize(large, whole(50, to), whole(40, to));
    a.data.forEach((value, p) => void expect(Math.abs(b.data[p]! / 257 - value)).toBeLessThanOrEqual(0.502));
  }
});

test("every size from 1x1 to 12x12 becomes every other, with the size asked for", () => {
  for (let w = 1; w <= 12; w++)
    for (let h = 1; h <= 12; h += w % 3 === 0 ? 1 : 2)
      for (let tw = 1; tw <= 12; tw++)
        for (let th = 1; th <= 12; th += 3) {
          const out = resize(
            picture(w, h, 2, () => 77),
            whole(w, tw),
            whole(h, th),
          );
          expect([out.width, out.height, out.data.length]).toEqual([tw, th, tw * th * 2]);
          expect(out.data.every((value) => value === 77)).toBe(true);
        }
});
