// The inverse wavelets of the module "jp2k" against the formulas of ITU-T T.800, Annex F.

import { describe, expect, test } from "vitest";
import { seeded } from "../../seeded.ts";
import { type Area, analyseArea, type Filter, K, synthesiseArea } from "./annex-f.ts";
import { createInstance } from "./instance.ts";

const { run, ints, floats, clear, area, spoilt } = await createInstance();
const align4 = (count: number) => Math.ceil(count / 4) * 4;

/**
 * Returns the factor that the caller has applied to a sample: K of F.3.8.2, or one half for a signal of one
 * sample.
 */
const folded = (filter: Filter, at: number, length: number) => {
  if (filter === "5/3") return 1;
  if (length === 1) return at & 1 ? 1 / 2 : 1;
  return at & 1 ? 1 / K : K;
};

/** Runs the module's inverse on interleaved bands; writing outside of the window is an error. */
function inverse(filter: Filter, bands: readonly (readonly number[])[], window: Area, llGap = 0) {
  clear();
  const { x0, y0, x1, y1 } = window;
  const [width, height] = [x1 - x0, y1 - y0];
  const view = filter === "5/3" ? ints : floats;
  const band = (oddX: number, oddY: number, gap?: number) => {
    const rows = bands.filter((_, y) => ((y0 + y) & 1) === oddY);
    const columns = bands[0]!.map((_, x) => x).filter((x) => ((x0 + x) & 1) === oddX);
    const stride = gap === undefined ? align4(columns.length) : columns.length + gap;
    const at = area(4 * stride * rows.length);
    rows.forEach((row, y) => {
      columns.forEach((x, k) => {
        const absolute = bands.indexOf(row) + y0;
        const factor = folded(filter, x0 + x, width) * folded(filter, absolute, height);
        view[at / 4 + y * stride + k] = row[x]! * factor;
      });
    });
    return { at, stride };
  };
  const ll = band(0, 0, llGap);
  const [hl, lh, hh] = [band(1, 0), band(0, 1), band(1, 1)];
  const stride = align4(width) + 4;
  const out = area(4 * stride * height);
  const scratchBytes = run.waveletScratchBytes(width);
  const scratch = area(scratchBytes);
  const before = ints.slice(0, out / 4);
  const call = filter === "5/3" ? run.inverse53 : run.inverse97;
  call(x0, y0, x1, y1, ll.at, ll.stride, hl.at, lh.at, hh.at, out, stride, scratch);
  expect(ints.slice(0, out / 4)).toEqual(before);
  expect(
    spoilt([
      [0, out],
      [out, 4 * stride * height],
      [scratch, scratchBytes - 64],
    ]),
  ).toEqual([]);
  return Array.from({ length: height }, (_, y) => [
    ...view.subarray(out / 4 + y * stride, out / 4 + y * stride + width),
  ]);
}

function samples(window: Area, seed: number): number[][] {
  const random = seeded(seed);
  return Array.from({ length: window.y1 - window.y0 }, () =>
    Array.from({ length: window.x1 - window.x0 }, () => random(4096) - 2048),
  );
}

function largestDifference(found: readonly number[][], expected: readonly number[][]): number {
  let largest = 0;
  expected.forEach((row, y) => {
    row.forEach((value, x) => {
      const difference = Math.abs(found[y]![x]! - value);
      // not a number is worse than any difference
      if (!(difference <= largest)) largest = difference;
    });
  });
  return largest;
}

/** Windows that begin at (x0, y0), of each width and a few heights, or the other way round. */
function* windows(x0: number, y0: number): Generator<Area> {
  for (let long = 1; long <= 20; long++)
    for (let short = 1; short <= 20; short++) yield { x0, y0, x1: x0 + long, y1: y0 + short };
}

const parities = [
  [4, 6],
  [5, 6],
  [4, 7],
  [5, 7],
] as const;

/** Loss of f32 for values up to 2^15 in eight steps. */
const tolerance = { "5/3": 0, "9/7": 0.01 } as const;

describe.each(["5/3", "9/7"] as const)("the %s wavelet", (filter) => {
  test.each(parities)("inverts the transform, from (%i, %i) at every size to 20", (x0, y0) => {
    const wrong: string[] = [];
    for (const window of windows(x0, y0)) {
      const original = samples(window, 97 * window.x1 + window.y1);
      const made = inverse(filter, analyseArea(filter, original, window), window, window.x1 % 4);
      const difference = largestDifference(made, original);
      if (!(difference <= tolerance[filter])) wrong.push(`${JSON.stringify(window)}: ${difference}`);
    }
    expect(wrong).toEqual([]);
  });

  test.each(parities)("matches the formulas for any coefficients, from (%i, %i)", (x0, y0) => {
    for (const [width, height] of [
      [33, 21],
      [64, 9],
      [7, 40],
    ] as const) {
      const window = { x0, y0, x1: x0 + width, y1: y0 + height };
      const bands = samples(window, width);
      const difference = largestDifference(
        inverse(filter, bands, window),
        synthesiseArea(filter, bands, window),
      );
      expect(difference).toBeLessThanOrEqual(tolerance[filter]);
    }
  });

  test("makes windows equal to the same part of the whole, but for the margin of its reach", () => {
    const whole = { x0: 3, y0: 2, x1: 63, y1: 53 };
    const bands = samples(whole, 5);
    const expected = synthesiseArea(filter, bands, whole);
    const margin = filter === "5/3" ? 2 : 4;
    for (const window of [
      { x0: 20, y0: 20, x1: 41, y1: 40 },
      { x0: 21, y0: 17, x1: 40, y1: 38 },
      { x0: 3, y0: 2, x1: 30, y1: 21 },
      { x0: 30, y0: 33, x1: 63, y1: 53 },
    ]) {
      const part = (rows: readonly number[][], { x0, y0, x1, y1 }: Area) =>
        rows.slice(y0 - whole.y0, y1 - whole.y0).map((row) => row.slice(x0 - whole.x0, x1 - whole.x0));
      const made = inverse(filter, part(bands, window), window);
      const inner = {
        x0: window.x0 + (window.x0 > whole.x0 ? margin : 0),
        y0: window.y0 + (window.y0 > whole.y0 ? margin : 0),
        x1: window.x1 - (window.x1 < whole.x1 ? margin : 0),
        y1: window.y1 - (window.y1 < whole.y1 ? margin : 0),
      };
      const found = made
        .slice(inner.y0 - window.y0, inner.y1 - window.y0)
        .map((row) => row.slice(inner.x0 - window.x0, inner.x1 - window.x0));
      expect(largestDifference(found, part(expected, inner))).toBeLessThanOrEqual(tolerance[filter]);
    }
  });

  test("writes nothing for a window without samples", () => {
    clear();
    const at = area(256);
    const call = filter === "5/3" ? run.inverse53 : run.inverse97;
    call(4, 4, 4, 9, at, 4, at, at, at, at, 4, at);
    call(4, 4, 9, 4, at, 4, at, at, at, at, 4, at);
    expect(spoilt([])).toEqual([]);
  });
});
