// Coded planes: what was coded comes back, another decoder reads the same, and damage does no harm.

import { expect, test } from "vitest";
import { createTileCoder, maxSide } from "../../../../src/imaging/sidecar/tiles/tile-coder.ts";
import { seeded } from "../../../seeded.ts";
import { ownModule } from "../../../wasm/own-modules.ts";

const module = await ownModule("tiles");
const coder = createTileCoder(() => module);

const padded = (side: number) => Math.ceil(side / 16) * 16;

/** Decodes by the definition in wasm/tiles/README.md, one sample after another. */
function decodePlainly(coded: Uint8Array, width: number, height: number): Uint8Array {
  const [columns, rows] = [padded(width), padded(height)];
  const bandRows = rows / 16;
  const samples = new Uint8Array(columns * rows);
  const residuals = new Int16Array(columns * rows);
  let at = (columns * rows) / 32;
  let group = 0;
  for (let y = 0; y < bandRows; y++)
    for (let x = 0; x < columns; x += 16)
      for (let band = 0; band < 16; band++, group++) {
        const bits = (coded[group >> 1]! >> (group % 2 === 0 ? 0 : 4)) & 15;
        for (let i = 0; i < 16; i++) {
          const z = groupValue(coded.subarray(at), bits, i);
          residuals[(band * bandRows + y) * columns + x + i] = z % 2 === 0 ? z / 2 : -(z + 1) / 2;
        }
        at += 2 * bits;
      }
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const isFirst = y % bandRows === 0;
      const left = x > 0 ? samples[y * columns + x - 1]! : 0;
      const up = isFirst ? 0 : samples[(y - 1) * columns + x]!;
      const upperLeft = isFirst || x === 0 ? 0 : samples[(y - 1) * columns + x - 1]!;
      const [, median] = [left, up, left + up - upperLeft].sort((a, b) => a - b);
      samples[y * columns + x] = median! + residuals[y * columns + x]!;
    }
  const plane = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) plane.set(samples.subarray(y * columns, y * columns + width), y * width);
  return plane;
}

/** Value `i` of a group of 16 values of `bits` bits. */
function groupValue(group: Uint8Array, bits: number, i: number): number {
  if (bits === 8) return group[i]!;
  let [value, shift, at] = [0, 0, 0];
  if (bits & 4) {
    value |= (group[i % 8]! >> (4 * Math.floor(i / 8))) & 15;
    [shift, at] = [4, 8];
  }
  if (bits & 2) {
    value |= ((group[at + (i % 4)]! >> (2 * Math.floor(i / 4))) & 3) << shift;
    [shift, at] = [shift + 2, at + 4];
  }
  if (bits & 1) value |= ((group[at + (i >> 3)]! >> (i & 7)) & 1) << shift;
  return value;
}

const below = seeded(42);
const random = () => below(2 ** 20) / 2 ** 20;
const pictures: Record<string, (x: number, y: number) => number> = {
  noise: () => random() * 256,
  flat: () => 77,
  slope: (x, y) => x + 3 * y,
  grain: (x, y) => 100 + 60 * Math.sin(x / 31) * Math.cos(y / 17) + random() * 12,
  edges: (x, y) => (((x >> 3) + (y >> 4)) % 2 === 0 ? 0 : 255),
};

const sizes = [
  [256, 256],
  [1, 1],
  [16, 16],
  [17, 15],
  [255, 1],
  [1, 255],
  [130, 77],
] as const;

function paint(width: number, height: number, colour: (x: number, y: number) => number): Uint8Array {
  const plane = new Uint8Array(width * height);
  for (let i = 0; i < plane.length; i++) plane[i] = colour(i % width, Math.floor(i / width));
  return plane;
}

const packed = ({
  data,
  width,
  height,
  stride,
}: {
  data: Uint8Array;
  width: number;
  height: number;
  stride: number;
}) => {
  const all = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) all.set(data.subarray(y * stride, y * stride + width), y * width);
  return all;
};

test.each(Object.keys(pictures))("%s comes back in all sizes, also from a plain decoder", (name) => {
  for (const [width, height] of sizes) {
    const data = paint(width, height, pictures[name]!);
    const coded = coder.encode({ data, width, height, stride: width });
    const decoded = coder.decode(coded, width, height)!;
    expect(decoded.taken).toBe(coded.length);
    expect(packed(decoded.plane)).toEqual(data);
    expect(decodePlainly(coded, width, height)).toEqual(data);
  }
});

test("a plane is read from a larger one, and decoded in front of other bytes", () => {
  const data = paint(64, 40, pictures.grain!);
  const coded = coder.encode({ data: data.subarray(5 * 64 + 3), width: 20, height: 30, stride: 64 });
  const decoded = coder.decode(new Uint8Array([...coded, 1, 2, 3]), 20, 30)!;
  expect(decoded.taken).toBe(coded.length);
  for (let y = 0; y < 30; y++)
    expect(packed(decoded.plane).subarray(y * 20, y * 20 + 20)).toEqual(
      data.slice((y + 5) * 64 + 3, (y + 5) * 64 + 23),
    );
});

test("noise takes at most 3.2 % more than its samples, and a flat plane 4 %", () => {
  const sizeOf = (name: string) =>
    coder.encode({
      data: paint(maxSide, maxSide, pictures[name]!),
      width: maxSide,
      height: maxSide,
      stride: maxSide,
    }).length /
    maxSide ** 2;
  expect(sizeOf("noise")).toBeLessThan(1.032);
  expect(sizeOf("flat")).toBeLessThan(0.04);
});

test("damaged and cut bytes are refused or decoded to something, and the next plane is sound", () => {
  const data = paint(256, 100, pictures.grain!);
  const sound = coder.encode({ data, width: 256, height: 100, stride: 256 });
  expect(coder.decode(sound.subarray(0, -1), 256, 100)).toBeUndefined();
  expect(coder.decode(new Uint8Array(), 256, 100)).toBeUndefined();
  expect(coder.decode(new Uint8Array(sound.length).fill(0x99), 256, 100)).toBeUndefined();
  for (let n = 0; n < 200; n++) {
    const damaged = sound.slice();
    damaged[Math.floor(random() * damaged.length)] = random() * 256;
    const decoded = coder.decode(damaged.subarray(0, Math.floor(random() * damaged.length)), 256, 100);
    expect(decoded === undefined || decoded.taken <= damaged.length).toBe(true);
  }
  expect(packed(coder.decode(sound, 256, 100)!.plane)).toEqual(data);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 1],
  [1, 2],
  [2, 2],
  [3, 2],
  [4, 2],
] as const)("pixels of %i bands of %i bytes come back in all sizes", (bands, depth) => {
  for (const [width, height] of sizes) {
    const stride = width * bands * depth + 5;
    const bytes = new Uint8Array(3 + stride * height).map(() => random() * 256);
    const coded = coder.encodePixels({ bytes, at: 3, stride }, { width, height }, { bands, depth });
    const decoded = coder.decodePixels(coded, width, height, { bands, depth })!;
    expect(decoded.length).toBe(width * height * bands * depth);
    const rowBytes = width * bands * depth;
    for (let y = 0; y < height; y++)
      expect(
        Buffer.compare(
          decoded.subarray(y * rowBytes, (y + 1) * rowBytes),
          bytes.subarray(3 + y * stride, 3 + y * stride + rowBytes),
        ),
      ).toBe(0);
    expect(coder.decodePixels(coded.subarray(1), width, height, { bands, depth })).toBeUndefined();
  }
});

test.each([
  [1, 1, 300],
  [3, 1, 5400],
  [4, 2, 2100],
] as const)(
  "a row of tiles of %i bands of %i bytes is coded as each of them is, %i pixels wide",
  (bands, depth, width) => {
    const bytesPerPixel = bands * depth;
    const stride = width * bytesPerPixel + 7;
    const bytes = new Uint8Array(5 + 20 * stride).map(() => random() * 256);
    const tiles = [...coder.encodeRow({ bytes, at: 5, stride }, { width, height: 20 }, { bands, depth })];
    expect(tiles.length).toBe(Math.ceil(width / maxSide));
    for (const [n, tile] of tiles.entries()) {
      const at = 5 + n * maxSide * bytesPerPixel;
      const size = { width: Math.min(maxSide, width - n * maxSide), height: 20 };
      const alone = new Uint8Array(size.width * 20 * bytesPerPixel).map((_, i) => {
        const y = Math.floor(i / (size.width * bytesPerPixel));
        return bytes[at + y * stride + (i % (size.width * bytesPerPixel))]!;
      });
      const decoded = coder.decodePixels(tile, size.width, 20, { bands, depth })!;
      expect(Buffer.compare(decoded, alone)).toBe(0);
    }
  },
);

test("two rows of tiles that are coded alternately do not change each other", () => {
  const [width, height] = [3000, 3];
  const pictures = [0, 1].map(() => new Uint8Array(width * height * 3).map(() => random() * 256));
  const coded = (bytes: Uint8Array) =>
    coder.encodeRow({ bytes, at: 0, stride: width * 3 }, { width, height }, { bands: 3, depth: 1 });
  const [first, second] = pictures.map((bytes) => [...coded(bytes)]) as [Uint8Array[], Uint8Array[]];
  const [one, other] = pictures.map(coded) as [Generator<Uint8Array>, Generator<Uint8Array>];
  for (const [n, tile] of first.entries()) {
    expect(one.next().value).toEqual(tile);
    expect(other.next().value).toEqual(second[n]);
  }
});

test("planes of pixels are green, and red and blue minus green", () => {
  const bytes = new Uint8Array(40 * 30 * 3).map(() => random() * 256);
  const coded = coder.encodePixels(
    { bytes, at: 0, stride: 120 },
    { width: 40, height: 30 },
    { bands: 3, depth: 1 },
  );
  let at = 0;
  for (const [band, minus] of [
    [1, undefined],
    [0, 1],
    [2, 1],
  ] as const) {
    const { plane, taken } = coder.decode(coded.subarray(at), 40, 30)!;
    const expected = new Uint8Array(1200).map(
      (_, i) => bytes[3 * i + band]! - (minus === undefined ? 0 : bytes[3 * i + minus]!),
    );
    expect(packed(plane)).toEqual(expected);
    at += taken;
  }
});
