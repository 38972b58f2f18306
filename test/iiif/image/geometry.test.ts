import { describe, expect, test } from "vitest";
import { resolve, withDetailOf } from "../../../src/iiif/image/geometry.ts";
import { parseImageRequest } from "../../../src/iiif/image/grammar.ts";
import { effectiveLimits, type Limits } from "../../../src/iiif/image/size.ts";
import { scaleFactors } from "../../../src/iiif/image/tiles.ts";
import fc from "../../properties.ts";
import { geometryVectors } from "../../vectors/image-geometry.ts";
import { formats } from "./formats.ts";
import { outcome } from "./outcome.ts";
import { images, levelSize, sides } from "./pictures.ts";

const none: Limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };

function ask(
  version: 2 | 3,
  parameters: string,
  image: { width: number; height: number },
  limits = none,
  tile = 512,
) {
  const [region = "", size = ""] = parameters.split("/");
  const request = parseImageRequest(version, { region, size, rotation: "0", file: "default.jpg" }, formats);
  return resolve(request, image, { limits, tileSize: tile });
}

const limitsOf = fc.record({
  maxWidth: fc.oneof(fc.constant(0), sides),
  maxHeight: fc.oneof(fc.constant(0), sides),
  maxArea: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10_000_000 })),
});

describe("region and size", () => {
  test.each(
    geometryVectors.map((vector) => ({
      version: 3 as const,
      name: `${vector.image.join("x")} ${vector.ask}`,
      ...vector,
    })),
  )(
    "v$version $name",
    ({ version, image: [width, height], limits = [0, 0, 0], ask: parameters, code, ...expected }) => {
      const [maxWidth, maxHeight, maxArea] = limits;
      const found = outcome(() =>
        ask(version, parameters, { width, height }, { maxWidth, maxHeight, maxArea }),
      );
      if (code !== undefined || typeof found === "string") {
        expect(found).toBe(code);
        return;
      }
      const { region, size, scaleFactor } = found;
      if (expected.region) expect([region.x, region.y, region.width, region.height]).toEqual(expected.region);
      expect([size.width, size.height]).toEqual(expected.size);
      expect(scaleFactor).toBe(expected.scale);
    },
  );

  test("of adjoining percentages meet without gap or overlap", () => {
    const hundredths = fc.integer({ min: 1, max: 9999 });
    fc.assert(
      fc.property(images, hundredths, ({ width, height }, cut) => {
        fc.pre((cut * width) / 10_000 >= 1 && ((10_000 - cut) * width) / 10_000 >= 1);
        const percent = (n: number) => (n / 100).toFixed(2);
        const left = ask(3, `pct:0,0,${percent(cut)},100/max`, { width, height }).region;
        const right = ask(3, `pct:${percent(cut)},0,${percent(10_000 - cut)},100/max`, {
          width,
          height,
        }).region;
        expect(right.x).toBe(left.width);
        expect(left.width + right.width).toBe(width);
      }),
    );
  });

  test("never exceed a limit, nor the region without a caret", () => {
    const number = fc.integer({ min: 1, max: 30_000 });
    const form = fc.constantFrom("max", "W,", ",H", "W,H", "!W,H", "pct:P");
    fc.assert(
      fc.property(
        images,
        limitsOf,
        form,
        fc.boolean(),
        number,
        number,
        (image, limits, shape, caret, w, h) => {
          const text = shape
            .replace("W", `${w}`)
            .replace("H", `${h}`)
            .replace("P", `${w / 100}`);
          const found = outcome(() => ask(3, `full/${caret ? "^" : ""}${text}`, image, limits));
          if (typeof found === "string") {
            expect(["output_too_large", "upscaling_needs_caret"]).toContain(found);
            if (caret) expect(found).toBe("output_too_large");
            if (shape === "max" || (caret && shape === "!W,H")) throw new Error("refused instead of reduced");
            return;
          }
          const { width, height } = found.size;
          expect(Math.min(width, height)).toBeGreaterThanOrEqual(1);
          const { maxWidth, maxHeight, maxArea } = limits;
          if (maxWidth > 0) expect(width).toBeLessThanOrEqual(maxWidth);
          if (maxWidth > 0 || maxHeight > 0) expect(height).toBeLessThanOrEqual(maxHeight || maxWidth);
          if (maxArea > 0) expect(width * height).toBeLessThanOrEqual(maxArea);
          if (!caret) {
            expect(width).toBeLessThanOrEqual(image.width);
            expect(height).toBeLessThanOrEqual(image.height);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("of max touch the region or a limit", () => {
    fc.assert(
      fc.property(images, limitsOf, (image, limits) => {
        const { width, height } = ask(3, "full/max", image, limits).size;
        const { maxWidth, maxHeight, maxArea } = effectiveLimits(limits);
        const full = width === image.width && height === image.height;
        const atSide = width === maxWidth || height === maxHeight;
        // One more pixel on the longer side, with the aspect ratio preserved, would exceed the area limit.
        const long = Math.max(width, height) + 1;
        const short = Math.max(
          1,
          long * (Math.min(image.width, image.height) / Math.max(image.width, image.height)),
        );
        const atArea = maxArea > 0 && long * short > maxArea;
        expect(full || atSide || atArea).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("of a box are within it and touch it", () => {
    fc.assert(
      fc.property(images, sides, sides, (image, w, h) => {
        fc.pre(w <= image.width || h <= image.height);
        const { width, height } = ask(3, `full/!${w},${h}`, image).size;
        expect(width).toBeLessThanOrEqual(Math.min(w, image.width));
        expect(height).toBeLessThanOrEqual(Math.min(h, image.height));
        expect([width === w, height === h, width === image.width, height === image.height]).toContain(true);
      }),
    );
  });
});

describe("tiles", () => {
  test("of every level together have the level's size, however their sizes are spelled", () => {
    const small = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3000 }));
    const picture = fc.record({ width: small, height: small });
    fc.assert(
      fc.property(picture, fc.constantFrom(64, 100, 256, 512), (image, tile) => {
        for (const s of scaleFactors(image, tile)) {
          const level = levelSize(image, s);
          const step = tile * s;
          let [across, down] = [0, 0];
          for (let y = 0; y < image.height; y += step) {
            for (let x = 0; x < image.width; x += step) {
              const region = {
                x,
                y,
                width: Math.min(step, image.width - x),
                height: Math.min(step, image.height - y),
              };
              const want = { width: Math.ceil(region.width / s), height: Math.ceil(region.height / s) };
              const path = `${x},${y},${region.width},${region.height}`;
              const exact = ask(3, `${path}/${want.width},${want.height}`, image, none, tile);
              expect(exact.region).toEqual(region);
              expect(exact.size).toEqual(want);
              // A tile so small that a finer level has the same one is at that scale.
              const factor = exact.scaleFactor ?? 0;
              expect([Math.ceil(region.width / factor), Math.ceil(region.height / factor)]).toEqual([
                want.width,
                want.height,
              ]);
              expect(factor).toBeLessThanOrEqual(s);
              if (region.width >= 2 * s || region.height >= 2 * s) expect(factor).toBe(s);
              expect(ask(2, `${path}/${want.width},${want.height}`, image, none, tile)).toEqual(exact);
              if (y === 0) across += exact.size.width;
              if (x === 0) down += exact.size.height;
            }
          }
          expect([across, down]).toEqual([level.width, level.height]);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("requested by width alone have the size of the level if they are complete", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 1, max: 512 }),
        sides,
        (power, rest, edge) => {
          const s = 2 ** power;
          const step = 512 * s;
          const image = { width: step * 2 + (edge % step), height: step + rest };
          const path = `${step},${step},${step},${rest}/512,`;
          for (const version of [2, 3] as const) {
            const { size, scaleFactor } = ask(version, path, image);
            expect(size).toEqual({ width: 512, height: Math.ceil(rest / s) });
            expect(scaleFactor).toBe(s);
          }
        },
      ),
    );
  });
});

describe("a limit of detail", () => {
  const limited = (parameters: string, most: string, image: { width: number; height: number }) => {
    const [, size = ""] = most.split("/");
    const request = parseImageRequest(
      3,
      { region: "full", size, rotation: "0", file: "default.jpg" },
      formats,
    );
    return withDetailOf(ask(3, parameters, image), request.size, image);
  };

  test.each([
    ["full/max", "full/!100,100", "0,0,800,600", "100x75"],
    ["full/^1600,", "full/!100,100", "0,0,800,600", "100x75"],
    ["full/40,", "full/!100,100", "0,0,800,600", "40x30"],
    ["256,256,256,256/max", "full/!100,100", "256,256,256,256", "32x32"],
    ["801,0,10,10/max", "full/pct:50", "800,0,12,10", "6x5"],
    ["9,9,1,1/^500,500", "full/!100,100", "8,8,8,8", "1x1"],
    ["full/max", "full/max", "0,0,800,600", "800x600"],
  ])("%s of 800 x 600 within %s reads %s for %s", (parameters, most, region, size) => {
    const image = { width: parameters.startsWith("801") ? 1600 : 800, height: 600 };
    const found = limited(parameters, most, image);
    const { x, y, width, height } = found.region;
    expect([x, y, width, height].join()).toBe(region);
    expect(`${found.size.width}x${found.size.height}`).toBe(size);
  });

  test.each([
    ["full/max", "full/!100,100", "100x75", "0,0,100,75"],
    ["full/40,", "full/!100,100", "100x75", "0,0,100,75"],
    ["9,9,1,1/^500,500", "full/!100,100", "100x75", "1,1,1,1"],
    ["7,0,2,600/max", "full/!100,100", "100x75", "0,0,2,75"],
    ["0,0,800,600/^1600,", "full/^1600,", "1600x1200", "0,0,1600,1200"],
    ["1,1,1,1/max", "full/300,", "300x225", "0,0,1,1"],
    ["2,2,1,1/max", "full/300,", "300x225", "0,0,2,2"],
  ])("%s of 800 x 600 within %s is made of cells of %s: %s", (parameters, most, grid, cells) => {
    const { detail, scaleFactor } = limited(parameters, most, { width: 800, height: 600 });
    const { x, y, width, height } = detail?.cells ?? {};
    expect(`${detail?.grid.width}x${detail?.grid.height}`).toBe(grid);
    expect([x, y, width, height].join()).toBe(cells);
    expect(scaleFactor).toBeUndefined();
  });

  test("applies to every region, and the requested region is inside of the one that is read", () => {
    fc.assert(
      fc.property(images, sides, fc.nat(), fc.nat(), sides, sides, (image, box, left, top, width, height) => {
        const [x, y] = [left % image.width, top % image.height];
        const { region, size } = limited(`${x},${y},${width},${height}/^max`, `full/!${box},${box}`, image);
        // The longer side of the whole image is the box, or the image if that is smaller.
        const whole = limited("full/max", `full/!${box},${box}`, image).size;
        expect(Math.max(whole.width, whole.height)).toBe(Math.min(box, Math.max(image.width, image.height)));
        expect(size.width * image.width).toBeLessThanOrEqual(whole.width * region.width);
        expect(size.height * image.height).toBeLessThanOrEqual(whole.height * region.height);
        expect(region.x).toBeLessThanOrEqual(x);
        expect(region.y).toBeLessThanOrEqual(y);
        expect(region.x + region.width).toBeGreaterThanOrEqual(Math.min(x + width, image.width));
        expect(region.y + region.height).toBeGreaterThanOrEqual(Math.min(y + height, image.height));
        expect(region.x + region.width).toBeLessThanOrEqual(image.width);
        expect(region.y + region.height).toBeLessThanOrEqual(image.height);
      }),
    );
  });
});
