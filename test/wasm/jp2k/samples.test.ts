// Samples between the stages of the module "jp2k", against plain arithmetic (ITU-T T.800, Annexes G and H).

import { describe, expect, test } from "vitest";
import { seeded } from "../../seeded.ts";
import { createInstance } from "./instance.ts";

const { run, ints, floats, words, bytes, clear, area, spoilt } = await createInstance();

/** Values around 0, around steps of bytes, and as large as any. */
function values(count: number, seed: number, size = 600): number[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => random(2 * size) - size);
}

/** A plane with room between its rows. */
function plane(
  view: Int32Array | Float32Array,
  rows: readonly (readonly number[])[],
  stride: number,
): number {
  const at = area(4 * stride * rows.length);
  rows.forEach((row, y) => {
    view.set(row, at / 4 + y * stride);
  });
  return at;
}
const rowsOf = (view: Int32Array | Float32Array, at: number, stride: number, width: number, height: number) =>
  Array.from({ length: height }, (_, y) => [
    ...view.subarray(at / 4 + y * stride, at / 4 + y * stride + width),
  ]);
const picture = (width: number, height: number, seed: number, size?: number) =>
  Array.from({ length: height }, (_, y) => values(width, seed + y, size));
const clamp = (value: number, top: number) => Math.min(Math.max(value, 0), top);
const halvesToEven = (value: number) => {
  const down = Math.floor(value);
  if (value - down !== 0.5) return Math.round(value);
  return down % 2 === 0 ? down : down + 1;
};

const sizes = [
  [1, 1],
  [3, 2],
  [4, 3],
  [16, 2],
  [23, 5],
  [65, 3],
] as const;

describe.each(sizes)("with %i by %i", (width, height) => {
  test("integers of blocks lose their fraction bit toward zero, and nothing next to them changes", () => {
    clear();
    const rows = picture(width, height, 1);
    const from = plane(ints, rows, width + 2);
    const stride = width + 3;
    const to = area(4 * stride * height);
    run.copyInts(from, width + 2, to, stride, width, height);
    expect(rowsOf(ints, to, stride, width, height)).toEqual(
      rows.map((row) => row.map((value) => Math.trunc(value / 2) + 0)),
    );
    const written = Array.from({ length: height }, (_, y) => [to + 4 * y * stride, 4 * width - 64] as const);
    expect(spoilt([[from, 4 * (width + 2) * height], ...written])).toEqual([]);
  });

  test("floats of blocks are integers times a factor, and nothing next to them changes", () => {
    clear();
    const rows = picture(width, height, 2, 1 << 28);
    const from = plane(ints, rows, width);
    const stride = width + 1;
    const to = area(4 * stride * height);
    const scale = Math.fround(0.0123);
    run.copyFloats(from, width, to, stride, width, height, scale);
    expect(rowsOf(floats, to, stride, width, height)).toEqual(
      rows.map((row) => row.map((value) => Math.fround(Math.fround(value) * scale))),
    );
    const written = Array.from({ length: height }, (_, y) => [to + 4 * y * stride, 4 * width - 64] as const);
    expect(spoilt([[from, 4 * width * height], ...written])).toEqual([]);
  });

  test("the reversible colour transform undoes the forward one", () => {
    clear();
    const [red, green, blue] = [
      picture(width, height, 3),
      picture(width, height, 4),
      picture(width, height, 5),
    ];
    const each = (of: (r: number, g: number, b: number) => number) =>
      red.map((row, y) => row.map((r, x) => of(r, green[y]![x]!, blue[y]![x]!)));
    const stride = width + 1;
    const planes = [
      each((r, g, b) => Math.floor((r + 2 * g + b) / 4)),
      each((_, g, b) => b - g),
      each((r, g) => r - g),
    ].map((rows) => plane(ints, rows, stride));
    const [a, b, c] = planes as [number, number, number];
    run.inverseRct(a, b, c, stride, width, height);
    expect(planes.map((at) => rowsOf(ints, at, stride, width, height))).toEqual([red, green, blue]);
    const rows = planes.flatMap((at) =>
      Array.from({ length: height }, (_, y) => [at + 4 * y * stride, 4 * width - 64] as const),
    );
    expect(spoilt(rows)).toEqual([]);
  });

  test("the irreversible colour transform undoes the forward one", () => {
    clear();
    const [red, green, blue] = [
      picture(width, height, 3),
      picture(width, height, 4),
      picture(width, height, 5),
    ];
    const each = (wr: number, wg: number, wb: number) =>
      red.map((row, y) => row.map((r, x) => wr * r + wg * green[y]![x]! + wb * blue[y]![x]!));
    const stride = width + 1;
    // G.3.1
    const planes = [
      each(0.299, 0.587, 0.114),
      each(-0.16875, -0.33126, 0.5),
      each(0.5, -0.41869, -0.08131),
    ].map((rows) => plane(floats, rows, stride));
    const [a, b, c] = planes as [number, number, number];
    run.inverseIct(a, b, c, stride, width, height);
    for (const [i, expected] of [red, green, blue].entries())
      rowsOf(floats, planes[i]!, stride, width, height).forEach((row, y) => {
        row.forEach((value, x) => {
          expect(Math.abs(value - expected[y]![x]!)).toBeLessThan(0.05);
        });
      });
    const rows = planes.flatMap((at) =>
      Array.from({ length: height }, (_, y) => [at + 4 * y * stride, 4 * width - 64] as const),
    );
    expect(spoilt(rows)).toEqual([]);
  });

  test.each([
    ["bytes of gray", false, 128, 255, 1],
    ["bytes among others", false, 0, 15, 3],
    ["words of gray", true, 2048, 4095, 1],
    ["words among others", true, 32768, 65535, 4],
  ] as const)("%s are planes shifted in level and clamped", (_, wide, offset, top, step) => {
    for (const isFloat of [false, true]) {
      clear();
      const halves = isFloat ? 0.5 : 1;
      const rows = picture(width, height, 6, 8 * top).map((row) => row.map((value) => value * halves));
      rows[0]![0] = -(2 ** 31);
      rows[height - 1]![width - 1] = 2 ** 31 - 128;
      const stride = width + 2;
      const from = plane(isFloat ? floats : ints, rows, stride);
      const outStride = width * step + 5;
      const size = wide ? 2 : 1;
      const out = area(size * outStride * height);
      const view = wide ? words : bytes;
      const expected = view.slice(out / size, out / size + outStride * height);
      rows.forEach((row, y) => {
        row.forEach((value, x) => {
          expected[y * outStride + x * step] = clamp(halvesToEven(value) + offset, top);
        });
      });
      run.store(from, stride, width, height, +isFloat, offset, top, out, step, outStride, +wide);
      expect(view.slice(out / size, out / size + outStride * height)).toEqual(expected);
      expect(
        spoilt([
          [from, 4 * stride * height],
          [out, size * outStride * height - 64],
        ]),
      ).toEqual([]);
    }
  });

  test.each([
    ["integers", 0, false],
    ["floats", 0, true],
    ["integers after the reversible transform", 1, false],
    ["floats after the irreversible transform", 2, true],
  ] as const)("RGB of %s equals the combination of its parts", (_, transform, isFloat) => {
    clear();
    const view = isFloat ? floats : ints;
    const stride = width + 1;
    const planes = [7, 17, 27].map((seed) => {
      const rows = picture(width, height, seed, 300).map((row) => row.map((v) => (isFloat ? v / 2 : v)));
      return plane(view, rows, stride);
    });
    const [a, b, c] = planes as [number, number, number];
    const outStride = 3 * width + 7;
    const out = area(outStride * height);
    const apart = area(outStride * height);
    run.storeRgb(a, b, c, stride, width, height, +isFloat, transform, 128, out, outStride);
    if (transform === 1) run.inverseRct(a, b, c, stride, width, height);
    if (transform === 2) run.inverseIct(a, b, c, stride, width, height);
    for (const [i, at] of planes.entries())
      run.store(at, stride, width, height, +isFloat, 128, 255, apart + i, 3, outStride, 0);
    // outside of pixels both are as they were
    expect(bytes.slice(out, out + outStride * height)).toEqual(
      bytes.slice(apart, apart + outStride * height),
    );
    expect(bytes.slice(out, out + 3 * width).every((value) => value === 0x7e)).toBe(false);
  });
});

test("samples of a region of interest move down, those of the background stay", () => {
  for (const shift of [1, 5, 12, 29, 30]) {
    clear();
    const limit = 2 ** (shift + 1);
    const around = [0, 1, 2, 3, limit - 1, limit, limit + 1, 3 * limit + limit / 2 + 1, 2 ** 31 - 1];
    const given = around.filter((value) => value < 2 ** 31).flatMap((value) => [value, -value]);
    const at = plane(ints, [given], given.length);
    run.shiftDown(at, given.length - 1, shift);
    const expected = given.map((value, i) =>
      Math.abs(value) < limit || i === given.length - 1
        ? value + 0
        : Math.sign(value) * Math.floor(Math.abs(value) / 2 ** shift),
    );
    expect([...ints.subarray(at / 4, at / 4 + given.length)]).toEqual(expected);
  }
});

test("a region of interest above all bits of a sample leaves nothing", () => {
  clear();
  const at = plane(ints, [[5, -7, 2 ** 30, 9, -3]], 5);
  run.shiftDown(at, 4, 31);
  expect([...ints.subarray(at / 4, at / 4 + 5)]).toEqual([0, 0, 0, 0, -3]);
});
