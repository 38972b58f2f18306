// Sharpening against its definition: the difference from a two-dimensional Gaussian blur, added on luma.

import { describe, expect, test } from "vitest";
import { hasAlpha, type PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { crop } from "../../../../src/imaging/pipeline/steps/crop.ts";
import { blurReach, type Sharpening } from "../../../../src/imaging/pipeline/steps/sharpen.ts";
import { kernels } from "../kernels.ts";
import { at, type Bands, differing, noise, picture } from "../pictures.ts";

const { sharpen } = kernels;

/** One pixel by the definition, unrounded and unclamped: its colours with their changes. */
function defined(source: PixelBuffer, x: number, y: number, { radius, amount, threshold }: Sharpening) {
  const full = source.data instanceof Uint16Array ? 65535 : 255;
  const reach = Math.ceil(3 * radius);
  const alphaBand = hasAlpha(source) ? source.bands - 1 : undefined;
  const lumaAt = (samples: number[]) =>
    source.bands < 3 ? samples[0]! : 0.299 * samples[0]! + 0.587 * samples[1]! + 0.114 * samples[2]!;
  let [sum, weights] = [0, 0];
  for (let dy = -reach; dy <= reach; dy++)
    for (let dx = -reach; dx <= reach; dx++) {
      const samples = at(
        source,
        Math.min(source.width - 1, Math.max(0, x + dx)),
        Math.min(source.height - 1, Math.max(0, y + dy)),
      );
      const weight =
        Math.exp(-(dx * dx + dy * dy) / (2 * radius * radius)) *
        (alphaBand === undefined ? 1 : samples[alphaBand]!);
      sum += weight * lumaAt(samples);
      weights += weight;
    }
  const own = at(source, x, y);
  const detail = weights === 0 ? 0 : lumaAt(own) - sum / weights;
  const change = Math.abs(detail) < (threshold * full) / 255 ? 0 : amount * detail;
  return own.map((value, b) => (b === alphaBand ? value : Math.min(full, Math.max(0, value + change))));
}

const usual = { radius: 0.6, amount: 0.5, threshold: 2 };

describe.each([
  [1, 8],
  [2, 8],
  [3, 8],
  [4, 8],
  [1, 16],
  [2, 16],
  [3, 16],
  [4, 16],
] as const)("with %i bands in %i bit", (bands, bits) => {
  test.each([usual, { radius: 1.5, amount: 1.2, threshold: 0 }, { radius: 0.1, amount: 1, threshold: 0 }])(
    "%o adds the difference from the blur",
    (how) => {
      const source = noise(19, 13, bands as Bands, bits, 7);
      const out = sharpen(source, how);
      for (let y = 0; y < 13; y++)
        for (let x = 0; x < 19; x++) {
          const expected = defined(source, x, y, how);
          for (const [b, value] of at(out, x, y).entries())
            expect(Math.abs(value - expected[b]!), `${x},${y} band ${b}`).toBeLessThanOrEqual(0.51);
        }
    },
  );

  test("flat colour stays as it is", () => {
    const source = picture(9, 7, bands as Bands, (_x, _y, b) => 40 + 60 * b, bits);
    expect(differing(sharpen(source, { radius: 2, amount: 3, threshold: 0 }), source)).toBe(0);
  });

  test("a part equals that of the whole, given the blur's margin", () => {
    const source = noise(40, 30, bands as Bands, bits);
    const reach = blurReach(usual.radius);
    const window = { left: 11, top: 9, width: 15, height: 12 };
    const wider = {
      left: window.left - reach,
      top: window.top - reach,
      width: window.width + 2 * reach,
      height: window.height + 2 * reach,
    };
    const inner = { ...window, left: reach, top: reach };
    expect(
      differing(crop(sharpen(crop(source, wider), usual), inner), crop(sharpen(source, usual), window)),
    ).toBe(0);
  });
});

test("all colours of a pixel change alike, so that hues stay", () => {
  const source = picture(30, 30, 3, (x, y, b) => 100 + ((x * 7 + y * 13 + b * 29) % 50));
  const out = sharpen(source, { ...usual, threshold: 0 });
  let changed = 0;
  for (let p = 0; p < source.data.length; p += 3) {
    const change = out.data[p]! - source.data[p]!;
    expect([out.data[p + 1]! - source.data[p + 1]!, out.data[p + 2]! - source.data[p + 2]!]).toEqual([
      change,
      change,
    ]);
    if (change !== 0) changed++;
  }
  expect(changed).toBeGreaterThan(450);
});

test("differences below the threshold stay", () => {
  const source = picture(16, 16, 1, (x) => (x < 8 ? 100 : 110));
  // on both sides of a step of 10 the blur differs by 1.7
  expect(differing(sharpen(source, usual), source)).toBe(0);
  expect(differing(sharpen(source, { ...usual, threshold: 0.2 }), source)).toBeGreaterThan(0);
});

test("transparent pixels do not affect the colour of others", () => {
  const source = picture(20, 20, 4, (x, _y, b) => (x < 10 ? [200, 10, 10, 255] : [0, 0, 255, 0])[b]!);
  const out = sharpen(source, { radius: 1, amount: 2, threshold: 0 });
  for (let x = 0; x < 10; x++) expect(at(out, x, 5)).toEqual([200, 10, 10, 255]);
  for (let x = 10; x < 20; x++) expect(at(out, x, 5)[3]).toBe(0);
});
