// PNG held against the image rs library (@jsquash/png), which shares no code with libvips. It is no judge of
// damaged files: it checks no checksums, so that it reads changed pictures without an error.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { encodePng } from "../../../../src/imaging/codecs/png/encode.ts";
import { pngInstances } from "../../../../src/imaging/codecs/png/module.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import { asRgba, jsquashPng, type Rgba } from "../../../second-decoders.ts";
import { noise } from "../../pipeline/pictures.ts";
import { allKinds, makePng, samplesOf, sequence } from "./make-png.ts";

const codec = createCodecs(testHost).decoder("png");
const host = { ...testHost, instances: pngInstances(() => testHost.wasm("png")) };

async function decode(file: Uint8Array): Promise<PixelBuffer> {
  const bytes = memoryBytes(file);
  const header = await codec.probe(bytes, 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
}

function expectSame(actual: Rgba, expected: Rgba): void {
  expect([actual.width, actual.height, actual.data.length]).toEqual([
    expected.width,
    expected.height,
    expected.data.length,
  ]);
  expect(actual.data.findIndex((sample, i) => sample !== expected.data[i])).toBe(-1);
}

describe("reading", () => {
  const sound = expectedRows().filter(
    ({ file = "" }) => file.endsWith(".png") && !/^(bad|bomb|mislabelled)/.test(file),
  );

  test.each(sound)("$file has the same samples as in image-rs", async ({ file, format }) => {
    const data = fixture(file!);
    expectSame(asRgba(await decode(data)), await jsquashPng(data, format === "ushort" ? 16 : 8));
  });

  for (const [type, depth] of allKinds)
    for (const interlaced of [false, true])
      test(`colour type ${type}, ${depth} bit${interlaced ? ", interlaced" : ""} has the same samples as in image-rs`, async () => {
        const next = sequence(type * 100 + depth);
        const palette = new Uint8Array(3 * 2 ** depth).map(() => next() >>> 24);
        const file = makePng({
          width: 45,
          height: 37,
          depth,
          type,
          interlaced,
          sample: () => (next() >>> 8) % 2 ** depth,
          filter: (row) => (row * 3 + 1) % 5,
          before: type === 3 ? [["PLTE", palette]] : [],
        });
        const own = await decode(file);
        expect(own.bands).toBe(type === 3 ? 3 : samplesOf[type]);
        expectSame(asRgba(own), await jsquashPng(file, depth === 16 ? 16 : 8));
      });
});

describe("writing", () => {
  for (const bands of [1, 2, 3, 4] as const)
    for (const depth of [8, 16] as const)
      test(`${bands} bands of ${depth} bit are the same samples for image rs`, async () => {
        const pixels = noise(61, 37, bands, depth, bands * depth);
        expectSame(await jsquashPng(await encodePng(pixels, {}, host), depth), asRgba(pixels));
      });
});
