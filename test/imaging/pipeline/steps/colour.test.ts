import { describe, expect, test } from "vitest";
import type { Interpretation, PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { bitonal } from "../../../../src/imaging/pipeline/steps/bitonal.ts";
import { depth } from "../../../../src/imaging/pipeline/steps/depth.ts";
import { flatten } from "../../../../src/imaging/pipeline/steps/flatten.ts";
import { gray } from "../../../../src/imaging/pipeline/steps/gray.ts";
import { toSrgb } from "../../../../src/imaging/pipeline/steps/to-srgb.ts";
import { at, noise, picture } from "../pictures.ts";

/** One pixel. */
function pixel(interpretation: Interpretation, samples: readonly number[], bits: 8 | 16 = 8): PixelBuffer {
  const data = bits === 16 ? Uint16Array.from(samples) : Uint8Array.from(samples);
  return { width: 1, height: 1, bands: samples.length, interpretation, data };
}

describe("to-srgb", () => {
  // paper is white, all inks together black; test/imaging/colour/ink.test.ts covers the rest
  test.each([
    [
      [0, 0, 0, 0],
      [255, 255, 255],
    ],
    [
      [255, 255, 255, 255],
      [0, 0, 0],
    ],
  ])("cmyk %j is rgb %j", (ink, colour) => {
    expect(toSrgb(pixel("cmyk", ink))).toMatchObject({
      bands: 3,
      interpretation: "rgb",
      data: Uint8Array.from(colour),
    });
    const deep = toSrgb(
      pixel(
        "cmyk",
        ink.map((value) => value * 257),
        16,
      ),
    );
    expect([...deep.data]).toEqual(colour.map((value) => value * 257));
  });

  test.each([
    [
      [0, 128, 128],
      [0, 0, 0],
    ],
    [
      [255, 128, 128],
      [255, 255, 255],
    ],
    [
      [90, 128, 128],
      [90, 90, 90],
    ],
    [
      [76, 85, 255],
      [254, 0, 0],
    ], // JFIF of pure red: 76.2, 85.0, 255.5
    [
      [150, 44, 21],
      [0, 255, 1],
    ], // of pure green: 149.7, 43.5, 20.8
    [
      [29, 255, 107],
      [0, 0, 254],
    ], // of pure blue: 29.1, 255.5, 107.3
  ])("ycc %j is rgb %j", (luma, colour) => {
    const { data, interpretation } = toSrgb(pixel("ycc", luma));
    expect(interpretation).toBe("rgb");
    expect([...data]).toEqual(colour);
  });

  test("ycc of 16 bits is centred on 32768, and alpha stays", () => {
    expect([...toSrgb(pixel("ycc", [40000, 32768, 32768, 7], 16)).data]).toEqual([40000, 40000, 40000, 7]);
  });

  test("rgb and gray are not touched", () => {
    for (const bands of [1, 2, 3, 4] as const) {
      const source = noise(3, 3, bands);
      expect(toSrgb(source)).toBe(source);
    }
  });
});

describe("gray", () => {
  test.each([
    [[255, 0, 0], 76], // 76.245
    [[0, 255, 0], 150], // 149.685
    [[0, 0, 255], 29], // 29.07
    [[255, 255, 255], 255],
    [[10, 200, 90], 131], // 2.99 + 117.4 + 10.26
  ])("rgb %j has luma %i", (colour, level) => {
    expect(gray(pixel("rgb", colour))).toMatchObject({
      bands: 1,
      interpretation: "gray",
      data: Uint8Array.of(level),
    });
    expect([...gray(pixel("rgb", [...colour, 77])).data]).toEqual([level, 77]);
  });

  test("neutral colours keep their level, in both depths", () => {
    for (let level = 0; level < 256; level++) {
      expect(gray(pixel("rgb", [level, level, level])).data[0]).toBe(level);
      expect(gray(pixel("rgb", [level * 251, level * 251, level * 251], 16)).data[0]).toBe(level * 251);
    }
  });

  test("of ycc is its luma", () => {
    expect([...gray(pixel("ycc", [93, 20, 240])).data]).toEqual([93]);
  });

  test("of cmyk is that of its colour", () => {
    const ink = pixel("cmyk", [0, 255, 255, 0]);
    expect([...gray(ink).data]).toEqual([...gray(toSrgb(ink)).data]);
  });

  test("of a gray picture is the picture", () => {
    const source = noise(3, 3, 2);
    expect(gray(source)).toBe(source);
  });
});

describe("bitonal", () => {
  test("is black below half of the range and white above", () => {
    const out = bitonal(picture(256, 1, 1, (x) => x));
    expect([...out.data]).toEqual(Array.from({ length: 256 }, (_, level) => (level < 128 ? 0 : 255)));
    const deep = bitonal(picture(4, 1, 1, (x) => [0, 32767, 32768, 65535][x]!, 16));
    expect([...deep.data]).toEqual([0, 0, 65535, 65535]);
  });

  test("has one band, from luma, and shows transparent as white", () => {
    expect(bitonal(pixel("rgb", [0, 255, 0]))).toMatchObject({ bands: 1, interpretation: "gray" });
    expect([...bitonal(pixel("rgb", [0, 255, 0])).data]).toEqual([255]);
    expect([...bitonal(pixel("rgb", [255, 0, 0])).data]).toEqual([0]);
    expect([...bitonal(pixel("rgb", [0, 0, 0, 0])).data]).toEqual([255]);
    expect([...bitonal(pixel("gray", [0, 255])).data]).toEqual([0]);
  });
});

describe("flatten", () => {
  test("mixes colour and background by alpha, with rounding", () => {
    const background = [10, 20, 250] as const;
    const over = (alpha: number) => [...flatten(pixel("rgb", [100, 200, 50, alpha]), background).data];
    expect(over(255)).toEqual([100, 200, 50]);
    expect(over(0)).toEqual([10, 20, 250]);
    expect(over(51)).toEqual([28, 56, 210]); // a fifth
    expect(over(1)).toEqual([10, 21, 249]); // 10.35, 20.71, 249.22
  });

  test("keeps 16 bits and scales the background to them", () => {
    expect([...flatten(pixel("rgb", [1, 2, 3, 0], 16), [255, 128, 0]).data]).toEqual([65535, 128 * 257, 0]);
    expect([...flatten(pixel("gray", [60000, 13107], 16), [0, 0, 0]).data]).toEqual([12000]);
  });

  test("leaves gray gray, over the background's luma", () => {
    const out = flatten(pixel("gray", [9, 0]), [255, 0, 0]);
    expect(out).toMatchObject({ bands: 1, interpretation: "gray" });
    expect([...out.data]).toEqual([76]);
  });

  test("returns pictures without alpha unchanged", () => {
    for (const source of [noise(2, 2, 1), noise(2, 2, 3), pixel("cmyk", [1, 2, 3, 4])])
      expect(flatten(source, [255, 255, 255])).toBe(source);
  });
});

describe("depth", () => {
  test("16 to 8 bit rounds v / 257, for every value", () => {
    const all = picture(256, 256, 1, (x, y) => y * 256 + x, 16);
    const out = depth(all, 8).data;
    expect(out).toBeInstanceOf(Uint8Array);
    let wrong = 0;
    for (let value = 0; value < 65536; value++) if (out[value] !== Math.round(value / 257)) wrong++;
    expect(wrong).toBe(0);
  });

  test("8 to 16 bit is v * 257, and back again the same", () => {
    const all = picture(256, 1, 1, (x) => x);
    const deep = depth(all, 16);
    expect(at(deep, 255, 0)).toEqual([65535]);
    expect(at(deep, 1, 0)).toEqual([257]);
    expect(depth(deep, 8).data).toEqual(all.data);
  });

  test("the depth it has already costs nothing", () => {
    const source = noise(2, 2, 3, 16);
    expect(depth(source, 16)).toBe(source);
  });
});
