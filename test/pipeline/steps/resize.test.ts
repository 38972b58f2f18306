import { describe, expect, test } from "vitest";
import { boxFactor } from "../../../src/pipeline/kernel.ts";
import type { PixelBuffer } from "../../../src/pipeline/pixels.ts";
import type { ResampleAxis } from "../../../src/pipeline/step.ts";
import { crop } from "../../../src/pipeline/steps/crop.ts";
import { resize, sourceWindow } from "../../../src/pipeline/steps/resize.ts";
import fc from "../../properties.ts";
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
} from "../pictures.ts";

const bandCounts: readonly Bands[] = [1, 2, 3, 4];

/** Lanczos-3 from its definition, in double precision, both axes at once, unrounded but clamped. */
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

describe("flat colour", () => {
  const sizes = [
    [40, 20],
    [40, 11],
    [40, 3],
    [13, 29],
    [37, 37],
  ] as const;

  test.each(bandCounts)("of every value stays exactly flat with %i bands at several ratios", (bands) => {
    for (const [from, to] of sizes)
      for (let value = 0; value < 256; value++) {
        // alpha 0 has no colour to keep
        const flat = picture(from, from + 1, bands, (_x, _y, b) =>
          bands % 2 === 0 && b === bands - 1 ? Math.max(1, value) : value,
        );
        const out = resize(flat, whole(from, to), whole(from + 1, to));
        expect(
          differing(
            out,
            picture(to, to, bands, (_x, _y, b) => at(flat, 0, 0)[b]!),
          ),
        ).toBe(0);
      }
  });

  test.each(bandCounts)("of 16 bits stays exactly flat with %i bands", (bands) => {
    for (const [from, to] of sizes)
      for (let value = 1; value < 65536; value += 997) {
        const flat = picture(from, from, bands, () => value, 16);
        const out = resize(flat, whole(from, to), whole(from, to));
        expect(
          differing(
            out,
            picture(to, to, bands, () => value, 16),
          ),
        ).toBe(0);
      }
  });
});

describe("the kernel", () => {
  test.each([
    [300, 200],
    [433, 311],
    [170, 150],
    [601, 397],
    [900, 500],
  ])("gives Lanczos-3 of double precision at 600x400 to %ix%i", async (width, height) => {
    const source = await photograph();
    const [x, y] = [whole(600, width), whole(400, height)];
    expect(psnr(resize(source, x, y).data, lanczos3(source, x, y))).toBeGreaterThan(58);
  });

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

  test.each([4, 5, 8, 11.7, 32])(
    "stays close to the full-length kernel with box cells at 1:%d",
    async (scale) => {
      const source = await photograph();
      const x = { size: Math.floor(600 / scale), origin: 0, scale };
      const y = { size: Math.floor(400 / scale), origin: 0, scale };
      expect(psnr(resize(source, x, y).data, lanczos3(source, x, y))).toBeGreaterThan(38);
    },
  );

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

  test.each([1.5, 2, 3.7, 4, 6, 8, 0.5, 0.73])("keeps a broad bump where it is at scale %d", (scale) => {
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

  test("puts the middle of a black and white edge where the edge was", () => {
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
            { numRuns: 12 },
          );
        }
    },
  );

  test("give the same samples when only the rest of the picture is transparent", () => {
    const source = picture(200, 40, 4, (x, y, b) =>
      b < 3 ? (x * 37 + y * 91 + b * 53) % 256 : x < 120 ? 255 : (x * y) % 256,
    );
    const x = whole(200, 31);
    const y = whole(40, 9);
    const all = resize(source, x, y);
    expect(
      differing(fromWindow(source, part(x, 0, 12), y), crop(all, { left: 0, top: 0, width: 12, height: 9 })),
    ).toBe(0);
  });

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

  test("of a copy hold the copied pixels and no more", () => {
    expect(sourceWindow({ size: 10, origin: 5, scale: 1 }, 100)).toEqual({ start: 5, end: 15 });
  });
});

test.each(bandCounts)("scale 1 at a whole origin copies %i bands, colour under transparency too", (bands) => {
  const source = noise(20, 15, bands);
  const out = resize(source, { size: 7, origin: 4, scale: 1 }, { size: 9, origin: 3, scale: 1 });
  expect(differing(out, crop(source, { left: 4, top: 3, width: 7, height: 9 }))).toBe(0);
});

test("a copy that reaches over the edge repeats it", () => {
  const source = picture(3, 1, 1, (x) => 10 + x);
  const out = resize(source, { size: 7, origin: -2, scale: 1 }, { size: 2, origin: 0, scale: 1 });
  expect([...out.data]).toEqual([10, 10, 10, 11, 12, 12, 12, 10, 10, 10, 11, 12, 12, 12]);
});

describe("alpha", () => {
  test.each([0.4, 2, 3.3, 4.6, 9])(
    "transparent red beside opaque blue leaves no red at scale %d",
    (scale) => {
      const source = picture(60, 40, 4, (x, _y, b) => (x < 31 ? [255, 0, 0, 0] : [0, 0, 255, 255])[b]!);
      const size = (from: number) => Math.round(from / scale);
      const out = resize(source, whole(60, size(60)), whole(40, size(40)));
      let seen = 0;
      for (let y = 0; y < out.height; y++)
        for (let x = 0; x < out.width; x++) {
          const [red, , blue, alpha] = at(out, x, y);
          expect(red).toBe(0);
          if (alpha! > 0) expect(blue).toBe(255);
          if (alpha! > 0 && alpha! < 255) seen++;
        }
      expect(seen).toBeGreaterThan(0);
    },
  );

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

test.each(["cmyk", "rgb", "ycc"] as const)(
  "each band of %s is resized like a gray picture of its own",
  (interpretation) => {
    const bands = interpretation === "cmyk" ? 4 : 3;
    const source = { ...noise(50, 40, bands), interpretation };
    for (const to of [25, 17, 6, 71]) {
      const out = resize(source, whole(50, to), whole(40, to));
      expect(out.interpretation).toBe(interpretation);
      for (let band = 0; band < bands; band++) {
        const alone = resize(
          picture(50, 40, 1, (x, y) => at(source, x, y)[band]!),
          whole(50, to),
          whole(40, to),
        );
        expect(
          differing(
            alone,
            picture(to, to, 1, (x, y) => at(out, x, y)[band]!),
          ),
        ).toBe(0);
      }
    }
  },
);
