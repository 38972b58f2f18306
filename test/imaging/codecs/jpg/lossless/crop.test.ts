// Lossless crops: files with the source's coefficients, for any rectangle on the grid.

import { readFileSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { decode, encode, hasTools, picture, randomness } from "../make-matrix.ts";
import { differences, openIndexed, type Reader } from "../open.ts";
import { takeApart, withSegments } from "../segments.ts";

const fixture = (name: string) => new Uint8Array(readFileSync(`test/fixtures/${name}`));

/** The samples of all components, which upsampling does not blur. */
async function samples(reader: Reader, region: { x: number; y: number; width: number; height: number }) {
  const planes = await reader.decodePlanes(region, 1);
  return planes.map(({ data, stride, width, height }) =>
    Buffer.concat(Array.from({ length: height }, (_, y) => data.subarray(y * stride, y * stride + width))),
  );
}

async function confirmCut(reader: Reader, region: { x: number; y: number; width: number; height: number }) {
  expect(reader.canCrop(region), JSON.stringify(region)).toBe(true);
  const file = (await reader.crop(region))!;
  expect(file, JSON.stringify(region)).toBeDefined();
  const cut = await openIndexed(file);
  expect([cut.frame.width, cut.frame.height, cut.frame.colour]).toEqual([
    region.width,
    region.height,
    reader.frame.colour,
  ]);
  expect(cut.damaged).toBe(false);
  const [a, b] = [
    await samples(reader, region),
    await samples(cut, { x: 0, y: 0, width: region.width, height: region.height }),
  ];
  for (const [i, plane] of a.entries()) expect(differences(plane, b[i]!), JSON.stringify(region)).toBe(0);
  return file;
}

function randomOnGrid({ frame }: Reader, random: () => number) {
  const mcuWidth = frame.components.length === 1 ? 8 : 8 * frame.hMax;
  const mcuHeight = frame.components.length === 1 ? 8 : 8 * frame.vMax;
  const side = (size: number, unit: number): [number, number] => {
    const count = Math.ceil(size / unit);
    const from = Math.floor(random() * count);
    const to = from + 1 + Math.floor(random() * (count - from));
    return [from * unit, Math.min(size, to * unit)];
  };
  const [x, right] = side(frame.width, mcuWidth);
  const [y, bottom] = side(frame.height, mcuHeight);
  return { x, y, width: right - x, height: bottom - y };
}

const names = [
  "jpg-baseline-420.jpg",
  "jpg-baseline-422.jpg",
  "jpg-restart.jpg",
  "jpg-gray.jpg",
  "jpg-rgb-adobe0.jpg",
  "jpg-cmyk-adobe.jpg",
  "jpg-ycck-adobe.jpg",
];

describe.each(names)("cuts of %s", (name) => {
  it("hold the samples of the source in any rectangle on the grid", async () => {
    const random = randomness(2);
    const reader = await openIndexed(fixture(name));
    for (let i = 0; i < 25; i++) await confirmCut(reader, randomOnGrid(reader, random));
  });

  it("open in another decoder without a warning and carry no metadata", async () => {
    const reader = await openIndexed(fixture(name));
    const region = { x: 64, y: 32, width: 128, height: 96 };
    const file = (await reader.crop(region))!;
    const { width, height, exif, icc, xmp } = await sharp(file, { failOn: "warning" }).metadata();
    expect([width, height, exif, icc, xmp]).toEqual([128, 96, undefined, undefined, undefined]);
    await sharp(file, { failOn: "warning" }).raw().toBuffer();
    const codes = takeApart(file).segments.map(({ code }) => code);
    expect(codes.every((code) => [0xe0, 0xee, 0xdb, 0xc0, 0xc1, 0xc4].includes(code))).toBe(true);
  });
});

it("is not possible off the grid, nor from damaged data", async () => {
  const reader = await openIndexed(fixture("jpg-baseline-420.jpg"));
  for (const region of [
    { x: 8, y: 0, width: 16, height: 16 },
    { x: 0, y: 8, width: 16, height: 16 },
    { x: 0, y: 0, width: 24, height: 16 },
    { x: 0, y: 0, width: 16, height: 17 },
  ]) {
    expect(reader.canCrop(region)).toBe(false);
    expect(await reader.crop(region)).toBeUndefined();
  }
  const broken = await openIndexed(fixture("bad-trunc-50.jpg"));
  const { width, height } = broken.frame;
  expect(await broken.crop({ x: 0, y: 0, width, height })).toBeUndefined();
  expect(await broken.crop({ x: 0, y: 0, width: 64, height: 64 })).toBeDefined();
});

it("equals the samples of the source if it is larger than the module's buffer", async () => {
  const random = randomness(4);
  const side = 1280;
  const noise = Buffer.from(new Uint8Array(side * side).map(() => random() * 256));
  const source = await sharp(noise, { raw: { width: side, height: side, channels: 1 } })
    .jpeg({ quality: 100 })
    .toBuffer();
  const reader = await openIndexed(source);
  const file = await confirmCut(reader, { x: 16, y: 16, width: side - 16, height: side - 16 });
  expect(file.length).toBeGreaterThan(3 * 2 ** 19);
});

describe.skipIf(!hasTools)("needs cjpeg and djpeg of libjpeg-turbo-progs", () => {
  const ppm = picture(1234, 210, 8);
  const kinds: [string, string[]][] = [
    ["4:2:0", []],
    ["4:2:0 with restarts inside rows", ["-restart", "11B"]],
    ["4:4:4 with a restart for each MCU", ["-sample", "1x1", "-restart", "1B"]],
    ["4:2:2 with restarts at rows", ["-sample", "2x1", "-restart", "1"]],
    ["4:1:1", ["-sample", "4x1"]],
    ["mixed sampling", ["-sample", "2x2,2x1,1x2"]],
    ["gray", ["-grayscale"]],
  ];

  it.each(kinds)("decodes to the source's pixels in libjpeg without smoothing: %s", async (_, args) => {
    const random = randomness(6);
    const source = encode(ppm, ["-quality", "88", ...args]);
    const bands = args.includes("-grayscale") ? 1 : 3;
    const all = decode(source, ["-nosmooth"]);
    const reader = await openIndexed(source);
    for (let i = 0; i < 8; i++) {
      const region = randomOnGrid(reader, random);
      const tile = decode(await confirmCut(reader, region), ["-nosmooth"]);
      for (let y = 0; y < region.height; y++) {
        const from = ((region.y + y) * 1234 + region.x) * bands;
        const row = tile.subarray(y * region.width * bands, (y + 1) * region.width * bands);
        expect(differences(row, all.subarray(from, from + region.width * bands))).toBe(0);
      }
    }
  });

  it("returns nothing if an optimised table lacks the code for a jump", async () => {
    // a ramp: small differences from block to block, a large one from row end to row start, none in between
    const width = 1024;
    const head = Buffer.from(`P5 ${width} 64 255\n`);
    const ramp = Buffer.from(new Uint8Array(width * 64).map((_, i) => (i % width) >> 2));
    const reader = await openIndexed(encode(Buffer.concat([head, ramp]), ["-quality", "100", "-optimize"]));
    await confirmCut(reader, { x: 0, y: 0, width, height: 64 });
    await confirmCut(reader, { x: 0, y: 8, width, height: 40 });
    const part = { x: 256, y: 0, width: 256, height: 64 };
    expect(reader.canCrop(part)).toBe(true);
    expect(await reader.crop(part)).toBeUndefined();
  });

  it("names its tables and components so that libjpeg sees the same colours without a JFIF segment", async () => {
    const source = withSegments(encode(ppm, ["-quality", "88"]), (all) =>
      all.filter(({ code }) => code !== 0xe0),
    );
    const reader = await openIndexed(source);
    const cut = (await reader.crop({ x: 0, y: 0, width: 1234, height: 210 }))!;
    expect(differences(decode(cut), decode(source))).toBe(0);
  });
});
