import sharp from "sharp";
import { describe, expect, test } from "vitest";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { crop } from "../../../../src/imaging/pipeline/steps/crop.ts";
import { mirror } from "../../../../src/imaging/pipeline/steps/mirror.ts";
import { orient } from "../../../../src/imaging/pipeline/steps/orient.ts";
import { isRightAngle, rotatedSize } from "../../../../src/imaging/pipeline/steps/rotate.ts";
import { kernels } from "../kernels.ts";
import { asSharp, at, type Bands, centreOfMass, differing, noise, picture } from "../pictures.ts";

const { rotate } = kernels;
const bandCounts: readonly Bands[] = [1, 2, 3, 4];

/** Returns a picture with the samples of `source` at the positions that `from` returns. */
function moved(
  source: PixelBuffer,
  width: number,
  height: number,
  from: (x: number, y: number) => [number, number],
): PixelBuffer {
  const bits = source.data instanceof Uint16Array ? 16 : 8;
  return picture(width, height, source.bands as Bands, (x, y, b) => at(source, ...from(x, y))[b]!, bits);
}

describe("orient", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "turns EXIF orientation %i upright as libvips does",
    async (orientation) => {
      const stored = noise(150, 67, 3);
      const tagged = await asSharp(stored).withMetadata({ orientation }).png().toBuffer();
      const { data, info } = await sharp(tagged).autoOrient().raw().toBuffer({ resolveWithObject: true });
      const upright: PixelBuffer = {
        ...stored,
        width: info.width,
        height: info.height,
        data: new Uint8Array(data),
      };
      expect(differing(orient(stored, orientation), upright)).toBe(0);
    },
  );

  test.each([0, 9, 65535])("takes %i for upright", (orientation) => {
    const stored = noise(5, 4, 1);
    expect(orient(stored, orientation)).toBe(stored);
  });
});

test.each(bandCounts)("mirror exchanges left and right of %i bands", (bands) => {
  for (const bits of [8, 16] as const) {
    const source = noise(71, 5, bands, bits);
    expect(
      differing(
        mirror(source),
        moved(source, 71, 5, (x, y) => [70 - x, y]),
      ),
    ).toBe(0);
  }
});

describe("crop", () => {
  test.each(bandCounts)("copies the rectangle of %i bands", (bands) => {
    const source = noise(20, 10, bands);
    const out = crop(source, { left: 3, top: 4, width: 5, height: 6 });
    expect(
      differing(
        out,
        moved(source, 5, 6, (x, y) => [x + 3, y + 4]),
      ),
    ).toBe(0);
  });

  test.each([
    { left: -1, top: 0, width: 2, height: 2 },
    { left: 0, top: 0, width: 0, height: 2 },
    { left: 19, top: 0, width: 2, height: 2 },
    { left: 0, top: 9, width: 2, height: 2 },
  ])("refuses a rectangle that is not inside: %o", (window) => {
    expect(() => crop(noise(20, 10, 1), window)).toThrow(RangeError);
  });
});

describe("rotate by right angles", () => {
  const source = noise(70, 9, 3);
  const expected: Record<number, PixelBuffer> = {
    0: source,
    90: moved(source, 9, 70, (x, y) => [y, 8 - x]),
    180: moved(source, 70, 9, (x, y) => [69 - x, 8 - y]),
    270: moved(source, 9, 70, (x, y) => [69 - y, x]),
    360: source,
  };

  test.each(Object.keys(expected).map(Number))("moves each pixel clockwise by %i, exactly", (degrees) => {
    expect(differing(rotate(source, degrees), expected[degrees]!)).toBe(0);
    expect(isRightAngle(degrees)).toBe(true);
  });

  test.each(bandCounts)("keeps %i bands and 16 bits", (bands) => {
    const deep = noise(6, 5, bands, 16);
    expect(
      differing(
        rotate(deep, 90),
        moved(deep, 5, 6, (x, y) => [y, 4 - x]),
      ),
    ).toBe(0);
  });
});

describe("rotate by other angles", () => {
  test.each([
    [1000, 1000, 45, 1415, 1415], // 1414.21
    [300, 400, 36.86989764584402, 480, 500], // the 3-4-5 triangle: 300*0.8 + 400*0.6, 300*0.6 + 400*0.8
    [100, 50, 30, 112, 94], // 111.60, 93.30
    [100, 50, 150, 112, 94],
    [100, 50, 210, 112, 94],
    [100, 50, 330, 112, 94],
    [1, 1, 45, 2, 2],
    [640, 480, 90, 480, 640],
    [640, 480, 180, 640, 480],
  ])("%ix%i by %d degrees is %ix%i", (width, height, degrees, wide, high) => {
    expect(rotatedSize(width, height, degrees)).toEqual({ width: wide, height: high });
    if (width < 500) {
      const out = rotate(
        picture(width, height, 1, () => 9),
        degrees,
      );
      expect([out.width, out.height]).toEqual([wide, high]);
    }
  });

  test.each([
    [1, 2],
    [2, 2],
    [3, 4],
    [4, 4],
  ] as const)(
    "%i bands become %i, in both depths, with the corners transparent and the middle opaque",
    (from, to) => {
      for (const bits of [8, 16] as const) {
        const full = bits === 8 ? 255 : 65535;
        const source = picture(40, 40, from, (_x, _y, b) => (b === to - 1 ? full : 1000 % full), bits);
        const out = rotate(source, 45);
        expect([out.width, out.height, out.bands]).toEqual([57, 57, to]);
        expect(out.data.BYTES_PER_ELEMENT).toBe(bits / 8);
        for (const [x, y] of [[0, 0], [56, 0], [0, 56], [56, 56]] as const) // biome-ignore format: one row
          expect(at(out, x, y)).toEqual(new Array(to).fill(0));
        expect(at(out, 28, 28)).toEqual([...new Array(to - 1).fill(1000 % full), full]);
      }
    },
  );

  test("turn clockwise: what was above the centre at 45 degrees is above and to the right", () => {
    const source = picture(101, 101, 1, (x, y) => (Math.abs(x - 50) <= 2 && Math.abs(y - 20) <= 2 ? 255 : 0));
    const out = rotate(source, 45);
    const centre = centreOfMass(out);
    const arm = 30 * Math.SQRT1_2;
    expect(Math.abs(centre.x - (out.width / 2 + arm))).toBeLessThan(0.02);
    expect(Math.abs(centre.y - (out.height / 2 - arm))).toBeLessThan(0.02);
  });

  test.each([1, 10.5, 22.5, 45, 133, 200.25, 359])(
    "keep the centre and the area of the picture at %d degrees",
    (degrees) => {
      const out = rotate(
        picture(60, 44, 3, () => 200),
        degrees,
      );
      const alpha = picture(out.width, out.height, 1, (x, y) => at(out, x, y)[3]!);
      const centre = centreOfMass(alpha);
      expect(Math.abs(centre.x - out.width / 2)).toBeLessThan(0.02);
      expect(Math.abs(centre.y - out.height / 2)).toBeLessThan(0.02);
      const area = (alpha.data as Uint8Array).reduce((sum, value) => sum + value, 0) / 255;
      expect(Math.abs(area / (60 * 44) - 1)).toBeLessThan(0.005);
    },
  );

  test("show smooth edges in the picture's own colour only", () => {
    const out = rotate(
      picture(50, 30, 3, (_x, _y, b) => [200, 100, 50][b]!),
      17,
    );
    let smooth = 0;
    for (let y = 0; y < out.height; y++)
      for (let x = 0; x < out.width; x++) {
        const [red, green, blue, alpha] = at(out, x, y);
        if (alpha! > 0) expect([red, green, blue]).toEqual([200, 100, 50]);
        if (alpha! > 0 && alpha! < 255) smooth++;
      }
    expect(smooth).toBeGreaterThan(60);
  });

  test("never show the colour of transparent pixels", () => {
    const source = picture(40, 40, 4, (x, _y, b) => (x < 19 ? [255, 0, 0, 0] : [0, 0, 255, 255])[b]!);
    const { data } = rotate(source, 31);
    for (let p = 0; p < data.length; p += 4) expect(data[p]).toBe(0);
  });

  test("reproduce a smooth ramp within one level if it is fully covered", () => {
    // half a level of rounding, and a hundredth of the slope that a windowed sinc is off
    const angle = Math.PI / 9;
    const out = rotate(
      picture(80, 80, 1, (x, y) => 2 * x + y),
      20,
    );
    for (let y = 0; y < out.height; y++)
      for (let x = 0; x < out.width; x++) {
        const [dx, dy] = [x + 0.5 - out.width / 2, y + 0.5 - out.height / 2];
        const sx = Math.cos(angle) * dx + Math.sin(angle) * dy + 40;
        const sy = Math.cos(angle) * dy - Math.sin(angle) * dx + 40;
        if (Math.min(sx, sy, 80 - sx, 80 - sy) < 3) continue;
        expect(Math.abs(at(out, x, y)[0]! - (2 * (sx - 0.5) + (sy - 0.5)))).toBeLessThanOrEqual(0.55);
      }
  });

  test("work for every size from 1x1 to 12x12", () => {
    for (let w = 1; w <= 12; w++)
      for (let h = 1; h <= 12; h++)
        for (const degrees of [0.1, 45, 89.9, 222.2]) {
          const out = rotate(
            picture(w, h, 1, () => 50),
            degrees,
          );
          expect(out.data.length).toBe(out.width * out.height * 2);
          expect(out.data.some((value, p) => p % 2 === 1 && value > 0)).toBe(true);
        }
  });
});
