// The overlay step compared with arithmetic: positions of copies, and Porter-Duff "over" for each kind of
// samples.

import { describe, expect, test } from "vitest";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { runSteps } from "../../../../src/imaging/pipeline/run-steps.ts";
import { overlay, overlayInSize } from "../../../../src/imaging/pipeline/steps/overlay.ts";
import { type OverlayLayout, placeOverlay } from "../../../../src/imaging/pipeline/steps/overlay-layout.ts";
import { seeded } from "../../../seeded.ts";
import { kernels } from "../kernels.ts";

const layout = (over: Partial<OverlayLayout> = {}): OverlayLayout => ({
  anchor: "top-left",
  offset: [0, 0],
  fit: "shrink",
  opacity: 1,
  ...over,
});
const answer = { width: 100, height: 60 };
const mark = { width: 21, height: 11 };

describe("an overlay", () => {
  test.each([
    ["top-left", 5, 7],
    ["top", 39, 7],
    ["top-right", 74, 7],
    ["left", 5, 24],
    ["center", 39, 24],
    ["right", 74, 24],
    ["bottom-left", 5, 42],
    ["bottom", 39, 42],
    ["bottom-right", 74, 42],
  ] as const)("at %s of 100 by 60 with offsets 5 and 7 at %i, %i", (anchor, x, y) => {
    const at = placeOverlay(answer, mark, layout({ anchor, offset: [5, 7] }));
    expect(at).toEqual({ x, y, ...mark, tiled: false });
  });

  test("is reduced if the derivative less the offsets has no room for it, keeping its proportions", () => {
    const wide = placeOverlay(answer, { width: 360, height: 90 }, layout({ offset: [10, 4] }));
    expect(wide).toEqual({ x: 10, y: 4, width: 90, height: 23, tiled: false }); // 22.5 rounded
    const high = placeOverlay(
      answer,
      { width: 20, height: 120 },
      layout({ anchor: "bottom", offset: [99, 30] }),
    );
    expect(high).toEqual({ x: 47, y: 0, width: 5, height: 30, tiled: false });
  });

  test("fills that room when it is scaled", () => {
    const scaled = placeOverlay(answer, mark, layout({ fit: "scale", anchor: "right", offset: [16, 16] }));
    expect(scaled).toEqual({ x: 0, y: 8, width: 84, height: 44, tiled: false });
  });

  test("keeps its size when it is tiled, and starts from its anchor", () => {
    const large = { width: 300, height: 200 };
    const tiled = placeOverlay(
      answer,
      large,
      layout({ fit: "tile", anchor: "bottom-right", offset: [1, 2] }),
    );
    expect(tiled).toEqual({ x: -201, y: -142, ...large, tiled: true });
  });

  test("covers at least a pixel of derivatives that are too small for its offsets", () => {
    for (const anchor of ["top-left", "bottom-right", "center"] as const)
      for (const fit of ["shrink", "scale"] as const)
        for (const [width, height] of [
          [1, 1],
          [3, 200],
          [16, 17],
        ] as const) {
          const at = placeOverlay({ width, height }, mark, layout({ anchor, fit, offset: [16, 16] }));
          expect(at.width * at.height).toBeGreaterThan(0);
          expect(Math.min(at.x, at.y)).toBeGreaterThanOrEqual(0);
          expect(at.x + at.width).toBeLessThanOrEqual(width);
          expect(at.y + at.height).toBeLessThanOrEqual(height);
        }
  });
});

const kinds = [
  { interpretation: "gray", bands: 1 },
  { interpretation: "gray", bands: 2 },
  { interpretation: "rgb", bands: 3 },
  { interpretation: "rgb", bands: 4 },
] as const;

/** Samples that no rule made; alpha often at its ends. */
function picture(width: number, height: number, kind: (typeof kinds)[number], full: number): PixelBuffer {
  const random = seeded(width * 7 + kind.bands * 3 + full);
  const length = width * height * kind.bands;
  const data = full === 255 ? new Uint8Array(length) : new Uint16Array(length);
  for (let i = 0; i < length; i++) data[i] = Math.min(full, Math.max(0, random(full * 1.4) - full * 0.2));
  return { width, height, ...kind, data };
}

const luma = ([r, g, b]: readonly number[]) => Math.floor(0.299 * r! + 0.587 * g! + 0.114 * b! + 0.5);

/** Porter and Duff (1984): colours multiplied by alpha, summed, and divided again. */
function over(
  under: readonly number[],
  colour: readonly number[],
  alpha: number,
  full: number,
  hasAlpha: boolean,
): number[] {
  const below = hasAlpha ? under.at(-1)! / full : 1;
  const both = alpha + below * (1 - alpha);
  const colours = (hasAlpha ? under.slice(0, -1) : under).map((level, b) =>
    both === 0 ? level : ((colour[b]! / 255) * full * alpha + level * below * (1 - alpha)) / both,
  );
  return hasAlpha ? [...colours, both * full] : colours;
}

describe("the pixels under an overlay", () => {
  const stamp = picture(13, 9, { interpretation: "rgb", bands: 4 }, 255);
  for (const full of [255, 65535])
    for (const kind of kinds)
      test.each([1, 0.6, 0])(
        `are mixed by both alphas, ${kind.interpretation} of ${kind.bands} bands up to ${full}, opacity %f`,
        (opacity) => {
          const pixels = picture(31, 17, kind, full);
          const before = pixels.data.slice();
          const place = { x: 9, y: 5, width: 13, height: 9, tiled: false };
          const made = overlay(pixels, stamp, place, opacity);
          expect(pixels.data).toEqual(before);
          expect({ ...made, data: made.data.length }).toEqual({ ...pixels, data: before.length });
          const hasAlpha = kind.bands % 2 === 0;
          let furthest = 0;
          for (let y = 0; y < 17; y++)
            for (let x = 0; x < 31; x++) {
              const at = (y * 31 + x) * kind.bands;
              const under = [...before.subarray(at, at + kind.bands)];
              const inside = x >= 9 && x < 22 && y >= 5 && y < 14;
              const own = ((y - 5) * 13 + x - 9) * 4;
              const rgb = [...stamp.data.subarray(own, own + 3)];
              const expected = inside
                ? over(
                    under,
                    kind.bands < 3 ? [luma(rgb)] : rgb,
                    (stamp.data[own + 3]! / 255) * opacity,
                    full,
                    hasAlpha,
                  )
                : under;
              expected.forEach((level, b) => {
                furthest = Math.max(furthest, Math.abs(level - made.data[at + b]!));
              });
            }
          expect(furthest).toBeLessThanOrEqual(0.51);
          if (opacity > 0) expect(made.data).not.toEqual(before);
          else expect(made.data).toEqual(before);
        },
      );

  test("are covered by copies in all directions when it is tiled", () => {
    const opaque: PixelBuffer = {
      width: 3,
      height: 2,
      bands: 4,
      interpretation: "rgb",
      data: Uint8Array.from([0, 1, 2, 3, 4, 5].flatMap((level) => [level, level, level, 255])),
    };
    const pixels: PixelBuffer = {
      width: 8,
      height: 5,
      bands: 1,
      interpretation: "gray",
      data: new Uint8Array(40).fill(9),
    };
    for (const [x, y] of [
      [0, 0],
      [4, 3],
      [-7, -1],
      [2, 9],
    ] as const) {
      const made = overlay(pixels, opaque, { x, y, width: 3, height: 2, tiled: true }, 1);
      const wrap = (value: number, by: number) => ((value % by) + by) % by;
      const expected = Array.from({ length: 40 }, (_, i) => wrap((i >> 3) - y, 2) * 3 + wrap((i & 7) - x, 3));
      expect([...made.data]).toEqual(expected);
    }
  });
});

test("a resized overlay keeps its colour to the edge of its transparent part", () => {
  const side = 40;
  const data = new Uint8Array(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) data.set(x < 20 ? [200, 30, 60, 255] : [0, 0, 0, 0], (y * side + x) * 4);
  const half = overlayInSize(
    { width: side, height: side, bands: 4, interpretation: "rgb", data },
    { width: 17, height: 17 },
    kernels,
  );
  expect([half.width, half.height, half.bands]).toEqual([17, 17, 4]);
  let partly = 0;
  for (let p = 0; p < half.data.length; p += 4) {
    if (half.data[p + 3]! < 40) continue;
    if (half.data[p + 3]! < 255) partly++;
    expect(Math.abs(half.data[p]! - 200)).toBeLessThanOrEqual(2);
    expect(Math.abs(half.data[p + 1]! - 30)).toBeLessThanOrEqual(2);
  }
  expect(partly).toBeGreaterThan(0);
});

test("a plan with an overlay whose pixels are missing fails", () => {
  const pixels = picture(4, 4, kinds[2], 255);
  const step = { op: "overlay", digest: "a", width: 2, height: 2, profile: false, ...layout() } as const;
  expect(() => runSteps(pixels, [step], kernels)).toThrow("without pixels");
});
