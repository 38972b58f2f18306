// Samples at 1/4 that are as good as a resampling: those made along with the access points, and those made
// for a region.

import { describe, expect, it } from "vitest";
import { level4Size, openJpeg, type Plane } from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { memoryBytes } from "../../../../../src/imaging/lib/byte-source.ts";
import { resize } from "../../../../../src/imaging/pipeline/steps/resize.ts";
import { fixture } from "../../../../host.ts";
import { randomness } from "../make-matrix.mjs";
import { mutate } from "../mutate.ts";
import { engine, openIndexed, resamplePlane, whole } from "../open.ts";

const names = [
  "jpg-baseline-420.jpg",
  "jpg-baseline-422.jpg",
  "jpg-restart.jpg",
  "jpg-gray.jpg",
  "jpg-rgb-adobe0.jpg",
  "jpg-cmyk-adobe.jpg",
  "jpg-wide-5000x12.jpg",
  "jpg-1x1.jpg",
];
/** Opens a file with planes at 1/4 (at most `limit` bytes), indexed from pieces of `chunkSize` bytes. */
async function open(file: Uint8Array, limit: number, chunkSize?: number) {
  const reader = await openJpeg(() => engine, memoryBytes(file), {
    resample: resamplePlane,
    level4Limit: limit,
    chunkSize,
  });
  await reader!.buildAccessPoints();
  return reader!;
}

const rowsOf = ({ data, stride, width, height }: Plane) =>
  Array.from({ length: height }, (_, y) => [...data.subarray(y * stride, y * stride + width)]).flat();

describe.each(names)("%s", (name) => {
  it("is the picture at 1/2 reduced with Lanczos-3", async () => {
    const plain = await openIndexed(fixture(name));
    const halves = await plain.decodePlanes(whole(plain), 2);
    const reader = await open(fixture(name), Number.POSITIVE_INFINITY);
    for (const [i, half] of halves.entries()) {
      const { width, height } = level4Size(reader.frame, i);
      const gray = { width: half.width, height: half.height, bands: 1, interpretation: "gray" } as const;
      const axis = (size: number) => ({ size, origin: 0, scale: 2 });
      const expected = resize(
        { ...gray, data: new Uint8Array(rowsOf(half)) },
        axis(width),
        axis(height),
      ).data;
      const plane = reader.level4![i]!;
      expect(plane.length).toBe(width * height);
      // the WebAssembly kernel rounds within one level of the one in doubles
      expect(Math.max(...plane.map((v, n) => Math.abs(v - expected[n]!)))).toBeLessThanOrEqual(1);
    }
  });

  it("is the same from pieces of any size, and for a region without a stored one", async () => {
    const random = randomness(5);
    const kept = await open(fixture(name), Number.POSITIVE_INFINITY);
    const pieces = await open(fixture(name), Number.POSITIVE_INFINITY, 700);
    const none = await open(fixture(name), 0);
    expect(none.level4).toBeUndefined();
    for (const [i, plane] of kept.level4!.entries())
      expect(Buffer.compare(plane, pieces.level4![i]!), `component ${i}`).toBe(0);
    for (let n = 0; n < 8; n++) {
      const { width, height } = kept.frame;
      const x = 4 * Math.floor((random() * width) / 4);
      const y = 4 * Math.floor((random() * height) / 4);
      const region = {
        x,
        y,
        width: Math.max(1, Math.floor(random() * (width - x))),
        height: Math.max(1, Math.floor(random() * (height - y))),
      };
      const [a, b] = [await kept.decodePlanes(region, 4), await none.decodePlanes(region, 4)];
      expect(a.map(rowsOf)).toEqual(b.map(rowsOf));
      const pixels = await kept.decodePixels(region, 4, undefined, "stored");
      const others = await none.decodePixels(region, 4, undefined, "stored");
      expect(Buffer.compare(pixels.data, others.data)).toBe(0);
    }
  });
});

it("is the same for damaged files, stored or remade", async () => {
  const random = randomness(13);
  let damaged = 0;
  for (let i = 0; i < 120; i++) {
    const source = fixture(names[i % 4]!);
    const file = mutate(source, source.length >> 1, random);
    const [kept, none] = [await open(file, Number.POSITIVE_INFINITY, 1500), await open(file, 0)];
    if (kept.damaged) damaged++;
    const [a, b] = [await kept.decodePlanes(whole(kept), 4), await none.decodePlanes(whole(none), 4)];
    expect(a.map(rowsOf), `mutation ${i} of ${names[i % 4]}`).toEqual(b.map(rowsOf));
  }
  expect(damaged).toBeGreaterThan(5);
});
