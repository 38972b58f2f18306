// The tiles and scale factors that an image is offered in.

import { describe, expect, test } from "vitest";
import { scaleFactors, tileWithin } from "../../../src/iiif/image/tiles.ts";
import fc from "../../properties.ts";
import { images, levelSize } from "./pictures.ts";

const tiles = fc.constantFrom(16, 64, 100, 256, 512, 1024);

describe("tiles", () => {
  test.each([
    [{ width: 512, height: 512 }, 512, [1]],
    [{ width: 513, height: 1 }, 512, [1, 2]],
    [{ width: 5000, height: 4000 }, 512, [1, 2, 4, 8, 16]],
    [{ width: 1, height: 1 }, 512, [1]],
    [{ width: 4096, height: 1 }, 256, [1, 2, 4, 8, 16]],
  ])("of %j by %i have the scale factors %j", (image, tile, expected) => {
    expect(scaleFactors(image, tile)).toEqual(expected);
  });

  test.each([
    [512, [0, 0, 0], 512],
    [512, [511, 0, 0], 256],
    [512, [1000, 300, 0], 256],
    [512, [0, 0, 262_143], 256],
    [512, [0, 0, 262_144], 512],
    [1000, [999, 0, 0], 512],
    [1000, [1000, 0, 0], 1000],
    [512, [16, 0, 0], 16],
    [512, [15, 0, 0], undefined],
    [512, [0, 300, 0], 256],
    [512, [0, 512, 0], 512],
    [512, [0, 0, 255], undefined],
  ] as const)(
    "of %i under the limits %j have the side %j",
    (tile, [maxWidth, maxHeight, maxArea], expected) => {
      expect(tileWithin({ tileSize: tile, limits: { maxWidth, maxHeight, maxArea } })).toBe(expected);
    },
  );

  test("omit scaleFactors after the first level with one tile", () => {
    fc.assert(
      fc.property(images, tiles, (image, tile) => {
        const factors = scaleFactors(image, tile);
        expect(factors).toEqual(factors.map((_, power) => 2 ** power));
        const coarsest = levelSize(image, factors.at(-1)!);
        expect(Math.max(coarsest.width, coarsest.height)).toBeLessThanOrEqual(tile);
        const finer = levelSize(image, factors.at(-2) ?? 0.5);
        if (factors.length > 1) expect(Math.max(finer.width, finer.height)).toBeGreaterThan(tile);
      }),
    );
  });
});
