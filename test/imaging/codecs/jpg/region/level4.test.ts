// Samples at 1/4 of regions, which are as good as a resampling.

import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { openJpeg, type Plane } from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { resize } from "../../../../../src/imaging/pipeline/steps/resize.ts";
import { fixture } from "../../../../host.ts";
import { randomness } from "../make-matrix.ts";
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

/** Opens a file whose access points are made from pieces of `chunkSize` bytes. */
async function open(file: Uint8Array, chunkSize?: number) {
  const reader = await openJpeg(() => engine, memoryBytes(file), { resample: resamplePlane, chunkSize });
  await reader!.buildAccessPoints();
  return reader!;
}

/** Samples without the room between rows. */
interface Packed {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

function packed({ data, stride, width, height }: Plane): Packed {
  const rows = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) rows.set(data.subarray(y * stride, y * stride + width), y * width);
  return { width, height, data: rows };
}

/** Reduces samples to half their size with Lanczos-3, by the kernel in doubles. */
function reduced({ width, height, data }: Packed): Packed {
  const axis = (side: number) => ({ size: Math.ceil(side / 2), origin: 0, scale: 2 });
  const gray = { width, height, bands: 1, interpretation: "gray", data } as const;
  const made = resize(gray, axis(width), axis(height));
  return { width: made.width, height: made.height, data: made.data as Uint8Array };
}

/** Largest difference of a plane from the samples of its place. */
function furthest(plane: Plane, all: Packed): number {
  const { width, height, data } = packed(plane);
  expect([plane.left + width <= all.width, plane.top + height <= all.height]).toEqual([true, true]);
  let most = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const expected = all.data[(plane.top + y) * all.width + plane.left + x]!;
      most = Math.max(most, Math.abs(data[y * width + x]! - expected));
    }
  return most;
}

/** Returns regions that begin on the grid of the level: the whole image, and eight parts of it. */
function* regionsOf({ width, height }: { readonly width: number; readonly height: number }) {
  yield { x: 0, y: 0, width, height };
  const random = randomness(5);
  for (let n = 0; n < 8; n++) {
    const x = 4 * Math.floor((random() * width) / 4);
    const y = 4 * Math.floor((random() * height) / 4);
    yield {
      x,
      y,
      width: Math.max(1, Math.floor(random() * (width - x))),
      height: Math.max(1, Math.floor(random() * (height - y))),
    };
  }
}

describe.each(names)("%s", (name) => {
  it("is the picture at 1/2 reduced with Lanczos-3, in each region", async () => {
    const plain = await openIndexed(fixture(name));
    const halves = await plain.decodePlanes(whole(plain), 2);
    const expected = halves.map((half) => reduced(packed(half)));
    const reader = await open(fixture(name));
    for (const region of regionsOf(reader.frame)) {
      const planes = await reader.decodePlanes(region, 4);
      expect(planes).toHaveLength(expected.length);
      // The WebAssembly kernel rounds within one level of the one in doubles.
      for (const [i, plane] of planes.entries())
        expect(furthest(plane, expected[i]!), JSON.stringify(region)).toBeLessThanOrEqual(1);
    }
  });

  it("has all samples if it is read as a whole, at a quarter of each component's size", async () => {
    const reader = await open(fixture(name));
    const planes = await reader.decodePlanes(whole(reader), 4);
    expect(planes.map(({ left, top, width, height }) => [left, top, width, height])).toEqual(
      reader.frame.components.map(({ width, height }) => [0, 0, Math.ceil(width / 4), Math.ceil(height / 4)]),
    );
  });

  it("is the same if access points were made from pieces of any size", async () => {
    const [once, pieces] = [await open(fixture(name)), await open(fixture(name), 700)];
    for (const region of regionsOf(once.frame)) {
      const [a, b] = [await once.decodePlanes(region, 4), await pieces.decodePlanes(region, 4)];
      expect(a.map(packed)).toEqual(b.map(packed));
      const pixels = await once.decodePixels(region, 4, undefined, "stored");
      const others = await pieces.decodePixels(region, 4, undefined, "stored");
      expect(Buffer.compare(pixels.data, others.data)).toBe(0);
    }
  });
});

it("of damaged files is the same in a region as in the whole picture, from pieces of any size", async () => {
  const random = randomness(13);
  let damaged = 0;
  for (let i = 0; i < 120; i++) {
    const source = fixture(names[i % 4]!);
    const file = mutate(source, source.length >> 1, random);
    const [pieces, once] = [await open(file, 1500), await open(file)];
    if (pieces.damaged) damaged++;
    const all = (await pieces.decodePlanes(whole(pieces), 4)).map(packed);
    const { width, height } = once.frame;
    const part = { x: 64, y: 128, width: Math.min(300, width - 64), height: height - 128 };
    const planes = await once.decodePlanes(part, 4);
    const message = `mutation ${i} of ${names[i % 4]}`;
    expect(
      planes.map((plane, n) => furthest(plane, all[n]!)),
      message,
    ).toEqual(planes.map(() => 0));
  }
  expect(damaged).toBeGreaterThan(5);
});
