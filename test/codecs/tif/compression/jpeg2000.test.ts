// JPEG 2000 in TIFF: tiles that opj_compress has made, which hold what opj_decompress would read of them, since
// they are without loss.

import { describe, expect, test } from "vitest";
import { createCodecs } from "../../../../src/codecs/index.ts";
import { memoryBytes } from "../../../../src/lib/byte-source.ts";
import { toSrgb } from "../../../../src/pipeline/steps/to-srgb.ts";
import { fixture, testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { compressRaw, hasOpenJpegTools } from "../../jp2/files.ts";
import { type Field, plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).byFormat("tif");
const side = 64;
const [width, height] = [150, 100];
const across = Math.ceil(width / side);

async function decode(data: Uint8Array, scaleFactor = 1) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor });
}

/** Samples of whole tiles, those beyond the edge too. */
function picture(samples: number, bits: number): (x: number, y: number, sample: number) => number {
  const noise = seeded(3);
  const top = 2 ** bits - 1;
  const values = Array.from({ length: 192 * 128 * samples }, (_, i) => {
    const [x, y] = [Math.floor(i / samples) % 192, Math.floor(i / samples / 192)];
    const ramp = ((x + 2 * y + 40 * (i % samples)) % 448) / 448;
    return Math.min(top, Math.round(ramp * top) + noise(8));
  });
  return (x, y, sample) => values[(y * 192 + x) * samples + sample]!;
}

interface Kind {
  readonly compression: number;
  readonly samples: number;
  readonly bits: 8 | 16;
  readonly photometric: number;
  readonly options?: readonly string[];
}

function tiff({ compression, samples, bits, photometric, options }: Kind) {
  const at = picture(samples, bits);
  const blocks = Array.from({ length: across * Math.ceil(height / side) }, (_, tile) => {
    const [left, top] = [(tile % across) * side, Math.floor(tile / across) * side];
    const values = Array.from({ length: side * side * samples }, (_, i) => {
      const pixel = Math.floor(i / samples);
      return at(left + (pixel % side), top + Math.floor(pixel / side), i % samples);
    });
    return compressRaw({ width: side, height: side, bands: samples, bits, values }, options);
  });
  const more: Field[] = [
    [259, 3, compression],
    [322, 3, side],
    [323, 3, side],
  ];
  if (samples === 4 && photometric === 2) more.push([338, 3, 2]);
  const fields = plainFields(width, height, samples, bits, photometric, ...more);
  return { at, data: tiffFile([{ fields: fields.filter(([tag]) => tag !== 278), blocks, tiled: true }]) };
}

const expected = (at: ReturnType<typeof picture>, samples: number) =>
  Array.from({ length: width * height * samples }, (_, i) => {
    const pixel = Math.floor(i / samples);
    return at(pixel % width, Math.floor(pixel / width), i % samples);
  });

describe.skipIf(!hasOpenJpegTools)("JPEG 2000 in TIFF", () => {
  test.each<[string, Kind]>([
    ["gray", { compression: 34712, samples: 1, bits: 8, photometric: 1 }],
    ["RGB of 16 bits", { compression: 34712, samples: 3, bits: 16, photometric: 2 }],
    ["RGB of Aperio", { compression: 33005, samples: 3, bits: 8, photometric: 2 }],
    [
      "RGB with a transform of its own",
      { compression: 33005, samples: 3, bits: 8, photometric: 2, options: ["-n", "3", "-mct", "1"] },
    ],
    ["RGB with alpha", { compression: 34712, samples: 4, bits: 8, photometric: 2 }],
    ["CMYK", { compression: 34712, samples: 4, bits: 8, photometric: 5 }],
  ])("of %s has the samples that went in", async (_, kind) => {
    const { at, data } = tiff(kind);
    const pixels = await decode(data);
    expect([pixels.width, pixels.height, pixels.bands]).toEqual([width, height, kind.samples]);
    const stored = expected(at, kind.samples);
    expect([...pixels.data]).toEqual(stored);
  });

  test.each([
    [33003, 2],
    [33004, 2],
    [34712, 6],
  ])(
    "of luma and chroma (compression %i, photometric interpretation %i) is RGB",
    async (compression, photometric) => {
      const { at, data } = tiff({ compression, samples: 3, bits: 8, photometric });
      const pixels = await decode(data);
      expect(pixels.interpretation).toBe("rgb");
      const ycc = {
        width,
        height,
        bands: 3,
        interpretation: "ycc",
        data: Uint8Array.from(expected(at, 3)),
      } as const;
      expect([...pixels.data]).toEqual([...toSrgb(ycc).data]);
    },
  );

  test("is reduced by the levels of its tiles", async () => {
    const kind = { compression: 33005, samples: 1, bits: 8, photometric: 1 } as const;
    const { data } = tiff(kind);
    const half = await decode(data, 2);
    expect([half.width, half.height]).toEqual([75, 50]);
    const full = await decode(data);
    let sum = 0;
    for (let i = 0; i < half.data.length; i++)
      sum += half.data[i]! - full.data[2 * Math.floor(i / 75) * width + 2 * (i % 75)]!;
    expect(Math.abs(sum / half.data.length)).toBeLessThan(4);
  });

  test.each<[string, Kind, RegExp]>([
    ["fewer components", { compression: 33005, samples: 1, bits: 8, photometric: 1 }, /1 of 8 bits/],
    ["deeper components", { compression: 33005, samples: 3, bits: 16, photometric: 2 }, /3 of 16 bits/],
  ])("of tiles with %s than the file says is damaged", async (_, kind, received) => {
    const { data } = tiff(kind);
    // What the fields say: three samples of 8 bits.
    const blocks = [...blocksOf(data)];
    const fields = plainFields(width, height, 3, 8, 2, [259, 3, 33005], [322, 3, side], [323, 3, side]);
    const file = tiffFile([{ fields: fields.filter(([tag]) => tag !== 278), blocks, tiled: true }]);
    await expect(decode(file)).rejects.toThrow(received);
  });

  test("of other depths is refused by name", async () => {
    const fields = plainFields(16, 16, 1, 12, 1, [259, 3, 34712]);
    const { unsupported } = await codec.probe(
      memoryBytes(tiffFile([{ fields, blocks: [new Uint8Array(9)] }])),
      1,
    );
    expect(unsupported).toMatch(/8 or 16 bits in JPEG 2000, received 12 bits/);
  });

  test("that is damaged is an error, whatever its bytes", async () => {
    const file = fixture("tif-jp2k-tiled.tif");
    const next = seeded(8);
    let errors = 0;
    for (let n = 0; n < 20; n++) {
      const changed = file.slice();
      for (let i = 0; i < 8; i++) changed[8 + next(file.length - 500)] = next(256);
      await decode(changed).catch((error) => {
        expect(error).toMatchObject({ kind: "decode" });
        errors++;
      });
    }
    expect(errors).toBeGreaterThan(0);
  });
});

/** The codestreams of a file of ours, in its order. */
function* blocksOf(data: Uint8Array): Iterable<Uint8Array> {
  const bytes = Buffer.from(data);
  const start = Uint8Array.of(0xff, 0x4f, 0xff, 0x51);
  for (let at = bytes.indexOf(start); at >= 0; ) {
    const next = bytes.indexOf(start, at + 4);
    const end = next < 0 ? bytes.lastIndexOf(Uint8Array.of(0xff, 0xd9)) + 2 : next;
    yield data.slice(at, end);
    at = next;
  }
}
