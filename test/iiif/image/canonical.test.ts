import { describe, expect, test } from "vitest";
import { canonicalParameters, contentDisposition } from "../../../src/iiif/image/canonical.ts";
import { resolve } from "../../../src/iiif/image/geometry.ts";
import { parseImageRequest } from "../../../src/iiif/image/grammar.ts";
import fc from "../../properties.ts";
import { geometryVectors } from "../../vectors/image-geometry.ts";
import { formats } from "./formats.ts";
import { outcome, segmentsOf } from "./outcome.ts";

const image = { width: 600, height: 400 };
const none = { maxWidth: 0, maxHeight: 0, maxArea: 0 };

function canonical(version: 2 | 3, parameters: string, size = image, limits = none, gray = false): string {
  const request = parseImageRequest(version, segmentsOf(parameters), formats);
  return canonicalParameters(request, resolve(request, size, { limits, tileSize: 512 }), size, { gray });
}

describe("the canonical spelling", () => {
  test.each(
    geometryVectors
      .filter((vector) => vector.canonical !== undefined)
      .map((vector) => ({ version: 3 as const, name: `${vector.image.join("x")} ${vector.ask}`, ...vector })),
  )(
    "of v$version $name is $canonical",
    ({ version, image: [width, height], limits = [0, 0, 0], ...vector }) => {
      const [maxWidth, maxHeight, maxArea] = limits;
      const found = canonical(
        version,
        `${vector.ask}/0/default.jpg`,
        { width, height },
        { maxWidth, maxHeight, maxArea },
      );
      expect(found).toBe(`${vector.canonical}/0/default.jpg`);
    },
  );

  test.each([
    [3, "full/max/00/default.jpg", "full/max/0/default.jpg"],
    [3, "full/max/090.0/color.png", "full/max/90/default.png"],
    [3, "full/max/22.50/gray.tif", "full/max/22.5/gray.tif"],
    [3, "full/max/.5/bitonal.webp", "full/max/0.5/bitonal.webp"],
    [3, "full/max/0.000001/default.jp2", "full/max/0.000001/default.jp2"],
    [3, "full/max/0.0000001/default.jpg", "full/max/0/default.jpg"],
    [3, "full/max/!0/default.jpg", "full/max/!0/default.jpg"],
    [3, "full/max/!180.10/default.jpg", "full/max/!180.1/default.jpg"],
    [2, "full/max/360/native.jpg", "full/full/0/default.jpg"],
    [2, "full/full/!360/color.jpg", "full/full/!0/default.jpg"],
  ] as const)("in version %i of %j is %j", (version, parameters, expected) => {
    expect(canonical(version, parameters)).toBe(expected);
  });

  test("has the default quality if gray changes nothing", () => {
    expect(canonical(3, "full/max/0/gray.jpg", image, none, true)).toBe("full/max/0/default.jpg");
    expect(canonical(3, "full/max/0/color.jpg", image, none, true)).toBe("full/max/0/default.jpg");
    expect(canonical(3, "full/max/0/bitonal.jpg", image, none, true)).toBe("full/max/0/bitonal.jpg");
  });

  const side = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 6000 }));
  const zero = fc.constant(0);
  const power = fc.integer({ min: 0, max: 6 }).map((n) => 2 ** n);

  test.each([2, 3] as const)(
    "in version %i means the same region, size and scale, and is its own canonical spelling",
    (version) => {
      const limits = fc.record({
        maxWidth: fc.oneof(zero, zero, side),
        maxHeight: fc.oneof(zero, zero, side),
        maxArea: fc.oneof(zero, zero, fc.integer({ min: 1, max: 4_000_000 })),
      });
      const pixels = fc.record({ width: side, height: side });
      const region = fc.oneof(
        fc.constantFrom("full", "square"),
        fc.tuple(side, side, side, side).map(([x, y, w, h]) => `${x - 1},${y - 1},${w},${h}`),
        fc.tuple(side, side, side, side).map(([x, y, w, h]) => `pct:${x / 70},${y / 70},${w / 50},${h / 50}`),
        fc
          .tuple(power, side, side)
          .map(([s, x, y]) => `${(x % 8) * 512 * s},${(y % 8) * 512 * s},${512 * s},${512 * s}`),
      );
      const size = fc.oneof(
        fc.constantFrom("max", "512,", "256,", ",512", "1,"),
        side.map((w) => `${w},`),
        side.map((h) => `,${h}`),
        fc.tuple(side, side).map(([w, h]) => `${w},${h}`),
        fc.tuple(side, side).map(([w, h]) => `!${w},${h}`),
        side.map((n) => `pct:${n / 50}`),
        power.map((s) => `pct:${100 / s}`),
      );
      const caret = version === 3 ? fc.boolean() : fc.constant(false);
      let resolved = 0;
      fc.assert(
        fc.property(pixels, limits, region, caret, size, (picture, given, part, upscale, length) => {
          const text = `${part}/${upscale ? "^" : ""}${length}/0/default.jpg`;
          if (/e-/.test(text)) return;
          const request = parseImageRequest(version, segmentsOf(text), formats);
          const first = outcome(() => resolve(request, picture, { limits: given, tileSize: 512 }));
          if (typeof first === "string") return;
          resolved++;
          const spelled = canonicalParameters(request, first, picture, { gray: false });
          const again = parseImageRequest(version, segmentsOf(spelled), formats);
          expect(resolve(again, picture, { limits: given, tileSize: 512 }), spelled).toEqual(first);
          expect(canonicalParameters(again, first, picture, { gray: false })).toBe(spelled);
        }),
        { numRuns: 5000 },
      );
      expect(resolved).toBeGreaterThan(500);
    },
  );
});

describe("the name of a download", () => {
  test.each([
    ["sample", "full/max/0/default.jpg", false, "inline; filename*=UTF-8''sample_full_max.jpg"],
    [
      "a/b.tif",
      "0,0,10,10/5,5/0/default.png",
      true,
      "attachment; filename*=UTF-8''a_b_0%2C0%2C10%2C10_5%2C5.png",
    ],
    [
      "übung.jp2;3",
      "full/^max/!90/gray.webp",
      false,
      "inline; filename*=UTF-8''%C3%BCbung%3B3_full_^max.webp",
    ],
    ["slide.svs", "full/max/0/default.jpg", false, "inline; filename*=UTF-8''slide_full_max.jpg"],
    ['../x"\r\ny', "full/max/0/default.jpg", false, "inline; filename*=UTF-8''__x_y_full_max.jpg"],
    ["it's (1)*", "full/max/0/default.jpg", false, "inline; filename*=UTF-8''it%27s_%281%29__full_max.jpg"],
  ] as const)(
    "of %j at %j is built from identifier, region and size",
    (identifier, parameters, attachment, expected) => {
      expect(contentDisposition(identifier, parameters, attachment)).toBe(expected);
    },
  );

  test("keeps the end of a long identifier, without a dot at its start", () => {
    const identifier = `${"x".repeat(50)}.${"y".repeat(99)}`;
    expect(contentDisposition(identifier, "full/max/0/default.jpg", false)).toBe(
      `inline; filename*=UTF-8''_${"y".repeat(99)}_full_max.jpg`,
    );
  });

  test("is one safe header value of bounded length for any identifier", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (identifier) => {
        const value = contentDisposition(identifier, "full/max/0/default.jpg", false);
        expect(value).toMatch(/^inline; filename\*=UTF-8''(?:[A-Za-z0-9!#$&+\-.^_`|~]|%[0-9A-F]{2})+$/);
        const name = decodeURIComponent(value.slice("inline; filename*=UTF-8''".length));
        expect(name).not.toMatch(/[/\\\0]|^\./);
        expect([...name].length).toBeLessThan(120);
      }),
    );
  });
});
