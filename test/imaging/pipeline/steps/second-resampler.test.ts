// Resampling compared with the Rust crate resize (@jsquash/resize), well inside the picture: it cuts off its
// kernel at the edge, while ours repeats the last pixel. Its defaults, linear light and weighting by alpha,
// are not used: ours has no linear light, and either of them turns flat gray 128 into 127 in places.

import { beforeAll, describe, expect, test } from "vitest";
import { boxFactor } from "../../../../src/imaging/pipeline/kernel.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import type { ResampleAxis } from "../../../../src/imaging/pipeline/step.ts";
import { resize as resizeInDoubles } from "../../../../src/imaging/pipeline/steps/resize.ts";
import { createResampler, type Resampler } from "../../../../src/imaging/pipeline/wasm/resample.ts";
import { asRgba, jsquashResize, type Rgba } from "../../../second-decoders.ts";
import { ownModule } from "../../../wasm/own-modules.ts";
import { photograph, whole } from "../pictures.ts";

let resampler: Resampler;
beforeAll(async () => {
  const module = await ownModule("resample");
  resampler = createResampler(() => module);
});

/** Returns the number of outputs at the edge whose three-lobed kernel extends beyond it. */
const rim = ({ scale }: ResampleAxis) => Math.ceil(3 / Math.min(1, scale)) + 1;

/** Counts how often colours of two pictures differ by 0, 1, 2 …, well inside. */
function differences(a: Rgba, b: Rgba, x: ResampleAxis, y: ResampleAxis): number[] {
  expect([a.width, a.height, a.data.length]).toEqual([b.width, b.height, b.data.length]);
  const counts: number[] = [];
  for (let row = rim(y); row < a.height - rim(y); row++)
    for (let p = (row * a.width + rim(x)) * 4; p < (row * a.width + a.width - rim(x)) * 4; p++) {
      if (p % 4 === 3) continue;
      const difference = Math.abs(a.data[p]! - b.data[p]!);
      counts[difference] = (counts[difference] ?? 0) + 1;
    }
  return counts;
}

describe.each([
  ["the module", (...given: Parameters<Resampler["resize"]>): PixelBuffer => resampler.resize(...given)],
  ["doubles", resizeInDoubles],
] as const)("resampling by %s", (_name, resize) => {
  test.each([
    [300, 200],
    [411, 274],
    [433, 311],
    [170, 150],
    [601, 397],
    [900, 500],
    [1200, 800],
  ])(
    "from 600x400 to %ix%i agrees within one level, and in 99 of 100 samples exactly",
    async (width, height) => {
      const source = await photograph();
      const [x, y] = [whole(600, width), whole(400, height)];
      expect([boxFactor(x.scale), boxFactor(y.scale)]).toEqual([1, 1]);
      const theirs = await jsquashResize(asRgba(source), width, height);
      const [same = 0, byOne = 0, ...more] = differences(asRgba(resize(source, x, y)), theirs, x, y);
      expect(more).toEqual([]);
      expect(byOne).toBeLessThan(same / 99);
    },
  );

  test("from 600x400 to 60x40 agrees within four levels, since ours averages pixels before the kernel", async () => {
    const source = await photograph();
    const [x, y] = [whole(600, 60), whole(400, 40)];
    expect(boxFactor(x.scale)).toBe(3);
    const theirs = await jsquashResize(asRgba(source), 60, 40);
    const found = differences(asRgba(resize(source, x, y)), theirs, x, y);
    expect(found.length).toBeLessThanOrEqual(5);
    expect(found[0]).toBeGreaterThan(60 * 40);
  });
});
