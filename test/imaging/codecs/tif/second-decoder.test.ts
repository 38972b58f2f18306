// TIFF compared with utif2, which is plain JavaScript and shares no code with libtiff, for files that utif2
// reads correctly.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { encodeTiff } from "../../../../src/imaging/codecs/tif/encode.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import { asRgba, utif } from "../../../second-decoders.ts";
import { noise } from "../../pipeline/pictures.ts";

const codec = createCodecs(testHost).decoder("tif");

/**
 * Files that utif2 does not check: a part of their names, and why utif2 cannot read them or reads them
 * differently.
 */
const notAsked: readonly (readonly [RegExp, string])[] = [
  [/bigtiff/, "it reads offsets of 32 bits alone"],
  [/planar-separate/, "it takes one plane after another for interleaved samples"],
  [/zstd|webp|jp2k/, "it has no such decompression and leaves the picture empty"],
  [/jpeg|pyramid/, "its JPEG decoder repeats chroma where libjpeg interpolates it, and rounds otherwise"],
  [/float/, "it does not undo predictor 3"],
  [/lab/, "it does not know CIELAB"],
  [/cmyk/, "it converts CMYK by an engine that it looks for in a browser's window"],
];

const names = expectedRows()
  .map(({ file = "" }) => file)
  .filter((file) => file.startsWith("tif-") && !notAsked.some(([kind]) => kind.test(file)));

async function decode(data: Uint8Array, page = 1): Promise<PixelBuffer> {
  const bytes = memoryBytes(data);
  const header = await codec.probe(bytes, page);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(bytes, { header, page, region, scaleFactor: 1 });
}

/** The upper 8 bits of wide samples, as utif2 shows them. */
const narrow = (data: Uint8Array | Uint16Array) =>
  data instanceof Uint16Array ? Uint8Array.from(data, (sample) => sample >> 8) : data;

const firstDifference = (a: Uint8Array, b: Uint8Array) => a.findIndex((sample, i) => sample !== b[i]);

describe("reading", () => {
  test("leaves eleven files to compare", () => expect(names).toHaveLength(11));

  test.each(names)("%s has the same samples as in utif2", async (name) => {
    const data = fixture(name);
    const own = asRgba(await decode(data));
    const theirs = utif(data);
    expect([own.width, own.height, own.data.length]).toEqual([
      theirs.width,
      theirs.height,
      theirs.data.length,
    ]);
    expect(firstDifference(narrow(own.data), theirs.data as Uint8Array)).toBe(-1);
  });

  test("more pages have the same samples as in utif2", async () => {
    const data = fixture("tif-multipage-3sizes.tif");
    for (const page of [2, 3]) {
      const theirs = utif(data, page - 1);
      const own = await decode(data, page);
      expect([own.width, own.height]).toEqual([theirs.width, theirs.height]);
      expect(firstDifference(own.data as Uint8Array, theirs.stored)).toBe(-1);
    }
  });
});

describe("writing", () => {
  for (const bands of [1, 2, 3, 4] as const)
    for (const depth of [8, 16] as const)
      test(`${bands} bands of ${depth} bit are the same samples for utif2`, async () => {
        const [width, height] = [301, 237];
        const pixels = noise(width, height, bands, depth, bands * depth);
        const theirs = utif(await encodeTiff(pixels, {}, testHost));
        expect([theirs.width, theirs.height, theirs.stored.length]).toEqual([
          width,
          height,
          pixels.data.byteLength,
        ]);
        expect(firstDifference(new Uint8Array(pixels.data.buffer), theirs.stored)).toBe(-1);
      });
});
