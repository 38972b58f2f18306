// Regions: the same samples as the whole picture has there, from the bytes that were said to be needed and no
// others.

import { readFileSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { marker } from "../../../../../src/imaging/codecs/jpg/markers/walk.ts";
import {
  openJpeg,
  type Plane,
  type ScaleFactor,
} from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { grain } from "../../../../grain.ts";
import { reference } from "../../reference.ts";
import { randomness } from "../make-matrix.ts";
import { differences, engine, openIndexed, type Reader, whole } from "../open.ts";
import { withSegments } from "../segments.ts";

const fixture = (name: string) => new Uint8Array(readFileSync(`test/fixtures/${name}`));
const scales: ScaleFactor[] = [1, 2, 4, 8];
const names = [
  "jpg-baseline-420.jpg",
  "jpg-baseline-422.jpg",
  "jpg-restart.jpg",
  "jpg-gray.jpg",
  "jpg-rgb-adobe0.jpg",
  "jpg-cmyk-adobe.jpg",
  "jpg-ycck-adobe.jpg",
  "jpg-wide-5000x12.jpg",
];

function cropOf(data: Uint8Array, width: number, bands: number, x: number, y: number, w: number, h: number) {
  const out = new Uint8Array(w * h * bands);
  for (let row = 0; row < h; row++) {
    const from = ((y + row) * width + x) * bands;
    out.set(data.subarray(from, from + w * bands), row * w * bands);
  }
  return out;
}

/** Returns a region whose corner is on the scale's grid. */
function randomRegion({ frame }: Reader, scale: number, random: () => number) {
  const x = Math.floor((random() * frame.width) / scale) * scale;
  const y = Math.floor((random() * frame.height) / scale) * scale;
  const width = Math.max(1, Math.ceil(random() * (frame.width - x)));
  const height = Math.max(1, Math.ceil(random() * (frame.height - y)));
  return { x, y, width, height };
}

describe.each(names)("%s", (name) => {
  it("decodes any region at any scale like the whole", async () => {
    const random = randomness(3);
    const reader = await openIndexed(fixture(name));
    for (const scale of scales) {
      const all = await reader.decodePixels(whole(reader), scale);
      for (let i = 0; i < 12; i++) {
        const region = randomRegion(reader, scale, random);
        const part = await reader.decodePixels(region, scale);
        expect([part.width, part.height]).toEqual([
          Math.ceil(region.width / scale),
          Math.ceil(region.height / scale),
        ]);
        const expected = cropOf(
          all.data,
          all.width,
          all.bands,
          region.x / scale,
          region.y / scale,
          part.width,
          part.height,
        );
        expect(differences(part.data, expected), JSON.stringify({ scale, region })).toBe(0);
      }
    }
  });

  it("reads no byte outside the ranges that it named", async () => {
    const random = randomness(5);
    const file = fixture(name);
    const reader = await openIndexed(file);
    for (const scale of scales) {
      const region = randomRegion(reader, scale, random);
      const ranges = reader.neededRanges(region, scale, "pixels", 1024);
      await reader.decodePixels(region, scale, async (offset, length) => {
        const named = ranges.some((r) => r.offset <= offset && offset + length <= r.offset + r.length);
        expect(named, `${offset}+${length}`).toBe(true);
        return file.subarray(offset, offset + length);
      });
    }
  });
});

it("decodes CMYK with 0 as no ink, like another decoder", async () => {
  const files = {
    "CMYK with an Adobe segment": fixture("jpg-cmyk-adobe.jpg"),
    "CMYK without one": withSegments(fixture("jpg-cmyk-adobe.jpg"), (all) =>
      all.filter(({ code }) => code !== marker.app14),
    ),
    YCCK: fixture("jpg-ycck-adobe.jpg"),
  };
  for (const [name, file] of Object.entries(files)) {
    const reader = await openIndexed(file);
    const { data, interpretation, bands } = await reader.decodePixels(whole(reader), 1);
    expect([interpretation, bands]).toEqual(["cmyk", 4]);
    const other = await sharp(file, { ignoreIcc: true })
      .pipelineColourspace("cmyk")
      .toColourspace("cmyk")
      .raw()
      .toBuffer();
    expect(differences(data, new Uint8Array(other)), name).toBe(0);
  }
});

it("has the same samples as sharp at 1/1", async () => {
  for (const name of ["jpg-baseline-420.jpg", "jpg-baseline-422.jpg", "jpg-restart.jpg", "jpg-gray.jpg"]) {
    const reader = await openIndexed(fixture(name));
    const { data } = await reader.decodePixels(whole(reader), 1);
    expect(differences(data, (await reference(fixture(name))).data as Uint8Array), name).toBe(0);
  }
});

it("stays near the means of squares at smaller scales", async () => {
  const reader = await openIndexed(fixture("jpg-gray.jpg"));
  const { width, height, data } = await reader.decodePixels(whole(reader), 1);
  for (const scale of [2, 4, 8] as const) {
    const small = await reader.decodePixels(whole(reader), scale);
    let squares = 0;
    let count = 0;
    for (let y = 0; y < Math.floor(height / scale); y++)
      for (let x = 0; x < Math.floor(width / scale); x++, count++) {
        let sum = 0;
        for (let j = 0; j < scale; j++)
          for (let i = 0; i < scale; i++) sum += data[(y * scale + j) * width + x * scale + i]!;
        squares += (small.data[y * small.width + x]! - sum / scale ** 2) ** 2;
      }
    const psnr = 10 * Math.log10((255 ** 2 * count) / squares);
    expect(psnr, `1/${scale}`).toBeGreaterThan({ 2: 32, 4: 34, 8: 50 }[scale]);
  }
});

it("returns planes with the samples of the components, subsampled as they are stored", async () => {
  const reader = await openIndexed(fixture("jpg-baseline-420.jpg"));
  const region = { x: 160, y: 96, width: 200, height: 120 };
  for (const scale of scales) {
    const [luma, cb, cr] = await reader.decodePlanes(region, scale);
    const all = await reader.decodePlanes(whole(reader), scale);
    expect([luma!.width, luma!.height]).toEqual([200 / scale, 120 / scale]);
    expect([cb!.pixelsAcross, cr!.pixelsDown]).toEqual([2, 2]);
    for (const [i, plane] of [luma!, cb!, cr!].entries()) {
      expect(plane.stride).toBeGreaterThanOrEqual(plane.width + 32);
      expect(plane.stride % 4096).not.toBe(0);
      const from = all[i]!;
      for (let y = 0; y < plane.height; y++) {
        const start = (plane.top + y) * from.stride + plane.left;
        expect(
          differences(
            plane.data.subarray(y * plane.stride, y * plane.stride + plane.width),
            from.data.subarray(start, start + plane.width),
          ),
        ).toBe(0);
      }
    }
  }
});

/** Returns the planes' samples without the gaps between rows. */
const packed = (planes: readonly Plane[]) =>
  planes.map(({ data, stride, width, height }) => ({
    width,
    height,
    samples: Buffer.concat(
      Array.from({ length: height }, (_, y) => data.subarray(y * stride, y * stride + width)),
    ),
  }));

it("returns chroma at half its size like at the next scale, or none, with the same luma", async () => {
  const reader = await openIndexed(fixture("jpg-baseline-420.jpg"));
  const region = { x: 160, y: 96, width: 208, height: 128 };
  for (const scale of scales) {
    const stored = await reader.withPlanes(region, scale, "stored", packed);
    const next = await reader.withPlanes(region, Math.min(8, 2 * scale) as ScaleFactor, "stored", packed);
    const half = await reader.withPlanes(region, scale, "half", packed);
    const none = await reader.withPlanes(region, scale, "none", packed);
    expect(half).toEqual([stored[0], next[1], next[2]]);
    expect(none[0]).toEqual(stored[0]);
    expect(none.slice(1).map(({ samples }) => samples.length)).toEqual([0, 0]);
  }
});

it("decodes regions that need several bands of memory in one piece", async () => {
  const [width, height] = [4096, 2200];
  const picture = grain(width, height, 30);
  const reader = await openIndexed(new Uint8Array(await picture.toColourspace("b-w").jpeg().toBuffer()));
  expect(reader.frame.colour).toBe("gray");
  const bottom = { x: 0, y: 2048, width, height: height - 2048 };
  const [all] = await reader.withPlanes(whole(reader), 1, "stored", packed);
  const [part] = await reader.withPlanes(bottom, 1, "stored", packed);
  expect(all!.samples.subarray(2048 * width).equals(part!.samples)).toBe(true);
  const pixels = await reader.decodePixels(whole(reader), 1);
  expect(all!.samples.equals(Buffer.from(pixels.data))).toBe(true);
});

it("decodes gray files to the same samples as plane and as pixels", async () => {
  const reader = await openIndexed(fixture("jpg-gray.jpg"));
  const [plane] = await reader.decodePlanes(whole(reader), 1);
  const pixels = await reader.decodePixels(whole(reader), 1);
  const rows = Array.from({ length: plane!.height }, (_, y) =>
    plane!.data.subarray(y * plane!.stride, y * plane!.stride + plane!.width),
  );
  expect(differences(new Uint8Array(Buffer.concat(rows)), pixels.data)).toBe(0);
});

it("decodes a region as soon as its rows have access points, and refuses one without", async () => {
  const file = fixture("jpg-baseline-420.jpg");
  const reader = (await openJpeg(() => engine, memoryBytes(file), { chunkSize: 4096 }))!;
  await reader.buildAccessPoints(64);
  expect(reader.rows).toBeGreaterThanOrEqual(64);
  expect(reader.isComplete).toBe(false);
  const early = await reader.decodePixels({ x: 0, y: 0, width: 600, height: 64 }, 1);
  await expect(reader.decodePixels({ x: 0, y: 0, width: 600, height: 400 }, 1)).rejects.toThrow(RangeError);
  await reader.buildAccessPoints();
  const all = await reader.decodePixels(whole(reader), 1);
  expect(differences(early.data, all.data.subarray(0, early.data.length))).toBe(0);
});

it("refuses regions outside the image", async () => {
  const reader = await openIndexed(fixture("jpg-gray.jpg"));
  await expect(reader.decodePixels({ x: 599, y: 0, width: 2, height: 1 }, 1)).rejects.toThrow(
    "inside 600 by 400",
  );
});

it("leaves kinds of JPEG that are not sequential, 8 bit and Huffman-coded to others", async () => {
  for (const name of ["jpg-progressive.jpg", "jpg-arithmetic.jpg"])
    expect(await openJpeg(() => engine, memoryBytes(fixture(name))), name).toBeUndefined();
});

it("decodes noise, whose blocks end with their last coefficient in a short code, as libjpeg does", async () => {
  const random = randomness(5);
  const [width, height] = [171, 93];
  const noise = new Uint8Array(width * height * 3).map(() => 98 + Math.floor(random() * 60));
  const file = await sharp(noise, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90, chromaSubsampling: "4:4:4" })
    .toBuffer();
  const reader = await openIndexed(file);
  const { data } = await reader.decodePixels(whole(reader), 1);
  expect(differences(data, await sharp(file).raw().toBuffer())).toBe(0);
});
