// The kernels of wasm/pixels against the same steps in doubles: every depth and number of bands, sizes that
// fill no vector.

import { describe, expect, test } from "vitest";
import { fromLight, toLight } from "../../../../src/imaging/pipeline/steps/light.ts";
import { kernels } from "../kernels.ts";
import { lookupsInScript, rotateInDoubles, sharpenInDoubles } from "../oracles.ts";
import { asSharp, at, type Bands, differing, noise, picture } from "../pictures.ts";

const { sharpen: sharpened, rotate: rotated, lookups } = kernels;

const kinds = ([8, 16] as const).flatMap((bits) =>
  ([1, 2, 3, 4] as const).map((bands) => [bands, bits] as const),
);

/**
 * The largest difference between the samples of two pictures of the same shape, and the share of samples that
 * differ.
 */
function apart(a: ReturnType<typeof noise>, b: ReturnType<typeof noise>) {
  expect([a.width, a.height, a.bands, a.interpretation]).toEqual([
    b.width,
    b.height,
    b.bands,
    b.interpretation,
  ]);
  expect(a.data.constructor).toBe(b.data.constructor);
  let most = 0;
  for (let p = 0; p < a.data.length; p++) most = Math.max(most, Math.abs(a.data[p]! - b.data[p]!));
  return { most, share: Math.max(0, differing(a, b) - 1) / a.data.length };
}

describe.each(kinds)("%i bands in %i bit", (bands, bits) => {
  const sizes = [
    [1, 1],
    [2, 5],
    [5, 2],
    [3, 40],
    [61, 33],
    [130, 7],
  ] as const;

  test("are sharpened like the reference", () => {
    for (const how of [
      { radius: 0.6, amount: 0.5, threshold: 2 },
      { radius: 0.1, amount: 10, threshold: 0 },
      { radius: 7.3, amount: 2, threshold: 20 },
    ])
      for (const [width, height] of sizes) {
        const source = noise(width, height, bands, bits, width);
        const { most, share } = apart(sharpened(source, how), sharpenInDoubles(source, how));
        expect(most, `${width}x${height} ${how.radius}`).toBeLessThanOrEqual(how.amount > 5 ? 2 : 1);
        expect(share, `${width}x${height} ${how.radius}`).toBeLessThan(0.05);
      }
  });

  test("are turned like the reference", () => {
    for (const degrees of [0.5, 33.3, 45, 89.9, 135, 200, 301])
      for (const [width, height] of sizes) {
        const source = noise(width, height, bands, bits, height);
        const { most, share } = apart(rotated(source, degrees), rotateInDoubles(source, degrees));
        // colours of almost transparent pixels are quotients of small numbers
        expect(most, `${width}x${height} ${degrees}`).toBeLessThanOrEqual(
          bands % 2 === 1 ? 1 : bits === 8 ? 3 : 700,
        );
        if (source.data.length > 30) expect(share, `${width}x${height} ${degrees}`).toBeLessThan(0.05);
      }
  });

  test("go to light and back alike", () => {
    for (const [width, height] of [...sizes, [211, 190]] as const) {
      const source = noise(width, height, bands, bits, height);
      const light = toLight(source, lookups);
      expect(differing(light, toLight(source, lookupsInScript))).toBe(0);
      for (const back of [8, 16] as const)
        expect(differing(fromLight(light, back, lookups), fromLight(light, back, lookupsInScript))).toBe(0);
    }
  });

  test("of one colour stay in that colour", () => {
    const full = bits === 8 ? 255 : 65535;
    const flat = picture(
      90,
      70,
      bands as Bands,
      (_x, _y, b) => [200, 100, 50, full][bands % 2 === 0 && b === bands - 1 ? 3 : b]!,
      bits,
    );
    expect(differing(sharpened(flat, { radius: 1.5, amount: 3, threshold: 0 }), flat)).toBe(0);
    const out = rotated(flat, 17);
    const colours = at(flat, 0, 0).slice(0, bands % 2 === 0 ? bands - 1 : bands);
    let others = 0;
    for (let p = 0; p < out.data.length; p += out.bands)
      if (out.data[p + out.bands - 1]! > 0 && colours.some((value, b) => out.data[p + b] !== value)) others++;
    expect(others).toBe(0);
  });
});

describe("a smooth picture with known values", () => {
  /** Waves with periods of at least 6.3 pixels, from 20 to 236. */
  const known = (x: number, y: number) =>
    128 + 60 * Math.sin(x * 0.7 + y * 0.4) + 48 * Math.sin(y * 0.9 - x * 0.45);
  const [width, height] = [301, 199];
  const source = picture(width, height, 1, (x, y) => Math.round(known(x + 0.5, y + 0.5)));

  test.each([0.7, 10, 45, 123.4, 203.5, 359.9])(
    "is at the right position after a turn by %d degrees",
    async (degrees) => {
      const out = rotated(source, degrees);
      const angle = (degrees * Math.PI) / 180;
      const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
      const squares = (data: ArrayLike<number>, wide: number, high: number, bands: number) => {
        let [sum, count] = [0, 0];
        for (let y = 0; y < high; y++)
          for (let x = 0; x < wide; x++) {
            const [dx, dy] = [x + 0.5 - wide / 2, y + 0.5 - high / 2];
            const [sx, sy] = [cosine * dx + sine * dy + width / 2, cosine * dy - sine * dx + height / 2];
            if (Math.min(sx, sy, width - sx, height - sy) < 4) continue;
            sum += (data[(y * wide + x) * bands]! - known(sx, sy)) ** 2;
            count++;
          }
        return 10 * Math.log10((255 * 255 * count) / sum);
      };
      const ours = squares(out.data, out.width, out.height, 2);
      expect(ours).toBeGreaterThan(45);
      const { data, info } = await asSharp(source)
        .rotate(degrees, { background: "#000000" })
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect(ours).toBeGreaterThan(squares(data, info.width, info.height, info.channels) - 0.3);
    },
  );
});

test("right angles and ink go the usual way", () => {
  const ink = { ...noise(20, 10, 4), interpretation: "cmyk" } as const;
  for (const degrees of [0, 90, 180, 270, 360, 30])
    expect(differing(rotated(ink, degrees), rotateInDoubles(ink, degrees))).toBeLessThan(5);
});

test("a wide picture is sharpened without a large memory", () => {
  const wide = noise(700_000, 1, 3);
  const how = { radius: 0.6, amount: 0.5, threshold: 2 };
  expect(apart(sharpened(wide, how), sharpenInDoubles(wide, how)).most).toBeLessThanOrEqual(1);
  const wider = noise(700_000, 1, 1);
  const broad = { radius: 10, amount: 0.5, threshold: 2 }; // a ring of all rows that its blur reaches would take 380 MB
  expect(apart(sharpened(wider, broad), sharpenInDoubles(wider, broad)).most).toBeLessThanOrEqual(1);
});
