// The sRGB curve (IEC 61966-2-1) and reductions in linear light.

import { expect, test } from "vitest";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { runSteps } from "../../../../src/imaging/pipeline/run-steps.ts";
import {
  fromLight as fromLightBy,
  toLight as toLightBy,
} from "../../../../src/imaging/pipeline/steps/light.ts";
import { kernels } from "../kernels.ts";
import { differing, noise, picture, whole } from "../pictures.ts";

const toLight = (pixels: PixelBuffer) => toLightBy(pixels, kernels.lookups);
const fromLight = (pixels: PixelBuffer, bits: 8 | 16) => fromLightBy(pixels, bits, kernels.lookups);

/** Level of 0 to 255 to light of 0 to 1, as tables of the curve print it. */
const printed = [
  [0, 0],
  [1, 0.000303527],
  [10, 0.00303527],
  [11, 0.00334654],
  [55, 0.0382044],
  [128, 0.215861],
  [188, 0.502886],
  [254, 0.991102],
  [255, 1],
] as const;

test.each(printed)("level %i is light of %d", (level, light) => {
  for (const bits of [8, 16] as const) {
    const source = picture(1, 1, 1, () => level * (bits === 8 ? 1 : 257), bits);
    expect(Math.abs(toLight(source).data[0]! - light * 65535)).toBeLessThan(0.6);
    expect(fromLight(toLight(source), 8).data[0]).toBe(level);
  }
});

test("every 8-bit sample comes back, alpha included", () => {
  const source = picture(256, 1, 4, (x, _y, b) => (x + b * 31) % 256);
  expect(differing(fromLight(toLight(source), 8), source)).toBe(0);
  expect(toLight(source).data[3]).toBe(93 * 257);
});

test("16-bit samples come back in order and within 1/30 of an 8-bit level", () => {
  const source = picture(65536, 1, 1, (x) => x, 16);
  const back = fromLight(toLight(source), 16).data;
  let [apart, falls] = [0, 0];
  for (let i = 0; i < 65536; i++) {
    apart = Math.max(apart, Math.abs(back[i]! - i));
    if (i > 0 && back[i]! < back[i - 1]!) falls++;
  }
  expect([apart <= 8, falls]).toEqual([true, 0]);
});

test("half black and half white is half the light, not half the level", () => {
  const board = picture(64, 64, 3, (x, y) => ((x + y) % 2) * 255);
  const halved = (linear: boolean) =>
    runSteps(
      board,
      [
        ...(linear ? [{ op: "to-light" } as const] : []),
        { op: "resize", x: whole(64, 16), y: whole(64, 16) },
        ...(linear ? [{ op: "from-light", bits: 8 } as const] : []),
      ],
      kernels,
    ).data.subarray(16 * 3 * 8, 16 * 3 * 9);
  // 0.5 of light is 0.7354 of the range: 187.5
  for (const value of halved(true)) expect(Math.abs(value - 187.5)).toBeLessThanOrEqual(1);
  for (const value of halved(false)) expect(Math.abs(value - 127.5)).toBeLessThanOrEqual(1);
});

test("pixels weigh by their alpha in light as well", () => {
  const source = noise(32, 32, 4);
  for (let p = 0; p < source.data.length; p += 4) {
    const shown = p % 8 === 0;
    source.data.set(shown ? [120, 80, 40, 255] : [255, 255, 255, 0], p);
  }
  const out = runSteps(
    source,
    [{ op: "to-light" }, { op: "resize", x: whole(32, 8), y: whole(32, 8) }, { op: "from-light", bits: 8 }],
    kernels,
  ).data;
  for (let p = 0; p < out.length; p += 4) expect([...out.subarray(p, p + 3)]).toEqual([120, 80, 40]);
});
