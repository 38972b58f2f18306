// Files whose PhotometricInterpretation has more colours than they have samples: they are gray or RGB by
// their number, as in libvips and ImageMagick.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { type Field, plainFields, tiffFile } from "./tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");
const [width, height] = [12, 8];

async function shown(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  const pixels = await codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
  expect([header.bands, header.interpretation]).toEqual([pixels.bands, pixels.interpretation]);
  return { bands: pixels.bands, interpretation: pixels.interpretation, data: [...pixels.data] };
}

const samplesOf = (count: number, bits = 8) =>
  Array.from({ length: width * height * count }, (_, i) => (i * 77) % 2 ** bits);
function file(samples: number, photometric: number, bits: 8 | 16, ...more: readonly Field[]) {
  const values = samplesOf(samples, bits);
  const block = bits === 8 ? Uint8Array.from(values) : new Uint8Array(Uint16Array.from(values).buffer);
  return tiffFile([
    { fields: plainFields(width, height, samples, bits, photometric, ...more), blocks: [block] },
  ]);
}

const extra = (...kinds: number[]): Field => [338, 3, ...kinds];

describe.each<[string, number]>([
  ["RGB", 2],
  ["CMYK", 5],
  ["YCbCr", 6],
  ["a palette without a map", 3],
])("a TIFF marked as %s", (_, photometric) => {
  test.each([
    [1, 8],
    [1, 16],
    [2, 8],
  ] as const)("with %i samples of %i bit is gray", async (samples, bits) => {
    for (const fields of [[], [extra(0)], [extra(2)], [extra(0, 0, 0)]])
      expect(await shown(file(samples, photometric, bits, ...fields))).toEqual({
        bands: samples,
        interpretation: "gray",
        data: samplesOf(samples, bits),
      });
  });
});

test.each([
  ["CMYK", 5],
  ["a palette without a map", 3],
])("a TIFF marked as %s with three samples is RGB", async (_, photometric) => {
  for (const fields of [[], [extra(0)], [extra(0, 0, 0)]])
    expect(await shown(file(3, photometric, 8, ...fields))).toEqual({
      bands: 3,
      interpretation: "rgb",
      data: samplesOf(3),
    });
});

test("a TIFF marked as CIELab with one sample, which is L*, is refused by name", async () => {
  const { unsupported } = await codec.probe(memoryBytes(file(1, 8, 8)), 1);
  expect(unsupported).toContain("3 samples for CIELab, received 1");
});
