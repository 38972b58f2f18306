// Colours of JPEG 2000 beyond gray and RGB, and components of unlike kinds, by arithmetic and against
// opj_decompress.

import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { recogniseFormat } from "../../../../src/imaging/codecs/formats.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { toSrgb } from "../../../../src/imaging/pipeline/steps/to-srgb.ts";
import { testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { box, boxed, compressRaw, u16, u32 } from "./files.ts";
import { hasOpenJpegTools, opjDecompress } from "./openjpeg.ts";

const codec = createCodecs(testHost).decoder("jp2");
const [width, height] = [24, 16];
const pixels = width * height;

const probe = (file: Uint8Array) => codec.probe(memoryBytes(file), 1);

async function decode(file: Uint8Array) {
  const header = await probe(file);
  const region = { x: 0, y: 0, width, height };
  return codec.decode(memoryBytes(file), { header, page: 1, region, scaleFactor: 1 });
}

const noise = (bands: number, below: number, seed = 1) => {
  const next = seeded(seed);
  return Array.from({ length: pixels * bands }, () => next(below));
};
const compress = (bands: number, bits: number, values: readonly number[]) =>
  new Uint8Array(compressRaw({ width, height, bands, bits, values }));

/** Returns a file whose colr box names a space by number, followed by fields. */
function named(codestream: Uint8Array, components: number, space: number, fields: readonly number[] = []) {
  const file = boxed({ codestream, size: [width, height, components], enumerated: space });
  if (fields.length === 0) return file;
  const out = Buffer.from(file);
  const at = out.indexOf("colr") - 4;
  const header = out.indexOf("jp2h") - 4;
  const added = fields.flatMap(u32);
  out.writeUInt32BE(out.readUInt32BE(at) + added.length, at);
  out.writeUInt32BE(out.readUInt32BE(header) + added.length, header);
  const end = at + 15;
  return new Uint8Array(Buffer.concat([out.subarray(0, end), Uint8Array.from(added), out.subarray(end)]));
}

const illuminants = { D50: 0x00443530, D65: 0x00443635 } as const;
const scaled = (value: number, from: number, range: number, full: number) =>
  Math.round(Math.max(0, Math.min(1, (value - from) / range)) * full);

describe.skipIf(!hasOpenJpegTools)("CIELab in JPEG 2000", () => {
  it.each([8, 12])(
    "of %i bits has the ranges of ITU-T T.801, M.11.7.4, if the file has none",
    async (bits) => {
      const values = noise(3, 2 ** bits);
      const file = named(compress(3, bits, values), 3, 14);
      const { interpretation, data } = await decode(file);
      expect(interpretation).toBe("lab");
      const [top, full] = [2 ** bits - 1, bits > 8 ? 65535 : 255];
      expect([...data]).toEqual(
        values.map((sample, i) => {
          if (i % 3 === 0) return scaled((sample * 100) / top, 0, 100, full);
          if (i % 3 === 1) return scaled(((sample - 2 ** (bits - 1)) * 170) / top, -128, 255, full);
          return scaled(((sample - (3 * 2 ** bits) / 8) * 200) / top, -128, 255, full);
        }),
      );
      expect((await probe(file)).labWhite).toBeUndefined();
    },
  );

  it("has the ranges, the offsets and the white point of the file", async () => {
    const values = noise(3, 256);
    const fields = [100, 0, 255, 128, 300, 100, illuminants.D65];
    const file = named(compress(3, 8, values), 3, 14, fields);
    const { data } = await decode(file);
    expect([...data]).toEqual(
      values.map(
        (sample, i) => [sample, sample, scaled(((sample - 100) * 300) / 255, -128, 255, 255)].at(i % 3)!,
      ),
    );
    const [x = 0, y = 0] = (await probe(file)).labWhite ?? [];
    expect(x).toBeCloseTo(0.3127, 3);
    expect(y).toBeCloseTo(0.329, 3);
  });

  it("under an unnamed illuminant, such as one given by temperature, is refused", async () => {
    const fields = [100, 0, 255, 128, 255, 128, 0x43540000 + 6000];
    const file = named(compress(3, 8, noise(3, 256)), 3, 14, fields);
    expect((await probe(file)).unsupported).toContain("a standard illuminant");
  });

  it.each([
    ["by default", []],
    ["by fields", [100, 0, 200, 120, 180, 110, illuminants.D50]],
  ])("is the sRGB of opj_decompress, %s", async (_, fields) => {
    // Colours inside sRGB, so that gamut mapping does not matter.
    const next = seeded(4);
    const values = Array.from({ length: pixels * 3 }, (_, i) =>
      i % 3 === 0 ? 90 + next(90) : 110 + next(25),
    );
    const file = named(compress(3, 8, values), 3, 14, fields);
    const ppm = Buffer.from(opjDecompress(file, [], { from: "jp2" }));
    // It puts out 16 bits, the high byte first.
    const theirs = Array.from({ length: pixels * 3 }, (_, i) =>
      ppm.readUInt16BE(ppm.length - pixels * 6 + 2 * i),
    );
    const ours = toSrgb(await decode(file)).data;
    const apart = theirs.flatMap((value, i) => (Math.abs(ours[i]! - value / 257) > 2 ? [i] : []));
    expect(apart).toEqual([]);
  });
});

describe.skipIf(!hasOpenJpegTools)("JPEG 2000", () => {
  it.each([
    ["0, of which 0 is white", 0, (value: number) => 255 - value],
    ["15, of which 0 is black", 15, (value: number) => value],
  ] as const)("of the bi-level space %s, is gray", async (_, space, shown) => {
    const bilevel = noise(1, 2);
    const { interpretation, data } = await decode(named(compress(1, 1, bilevel), 1, space));
    expect(interpretation).toBe("gray");
    expect([...data]).toEqual(bilevel.map((value) => shown(value * 255)));
    const bytes = noise(1, 256);
    expect([...(await decode(named(compress(1, 8, bytes), 1, space))).data]).toEqual(bytes.map(shown));
  });

  it("of inks with alpha has five bands", async () => {
    const values = noise(5, 256);
    const rows = [0, 1, 2, 3, 4].flatMap((c) => [u16(c), u16(c === 4 ? 1 : 0), u16(c === 4 ? 0 : c + 1)]);
    const file = boxed({
      codestream: compress(5, 8, values),
      size: [width, height, 5],
      enumerated: 12,
      extra: box("cdef", u16(5), ...rows),
    });
    const { interpretation, bands, data } = await decode(file);
    expect([interpretation, bands]).toEqual(["cmyk", 5]);
    expect([...data]).toEqual(values);
    expect(toSrgb(await decode(file)).bands).toBe(4);
  });

  it("of a JPX brand that does not claim to be JP2 is read", async () => {
    const values = noise(3, 256);
    const file = Buffer.from(boxed({ codestream: compress(3, 8, values), size: [width, height, 3] }));
    const at = file.indexOf("ftypjp2 ");
    file.write("jpx ", at + 4, "latin1");
    file.write("jpxb", at + 12, "latin1");
    expect(recogniseFormat(file.subarray(0, 64))).toBe("jp2");
    expect([...(await decode(new Uint8Array(file))).data]).toEqual(values);
  });

  it("of components of unlike depths fills the range of the deepest", async () => {
    // Made as 8 bits; then SIZ says 5 and 12 for two of them. Samples are coded about the middle of their
    // range.
    const depths = [8, 5, 12];
    const next = seeded(7);
    const values = Array.from(
      { length: pixels * 3 },
      (_, i) => [next(256), 112 + next(32), next(256)][i % 3]!,
    );
    const codestream = compress(3, 8, values);
    depths.forEach((bits, c) => {
      codestream[2 + 40 + 3 * c] = bits - 1;
    });
    const { data } = await decode(boxed({ codestream, size: [width, height, 3] }));
    expect(data).toBeInstanceOf(Uint16Array);
    expect([...data]).toEqual(
      values.map((value, i) => {
        const bits = depths[i % 3]!;
        return Math.round(((value - 128 + 2 ** (bits - 1)) * 65535) / (2 ** bits - 1));
      }),
    );
  });

  it("of a palette and a separate component has both", async () => {
    const values = noise(2, 4).map((value, i) => (i % 2 === 0 ? value : value * 60));
    const colours = [
      [255, 0, 10],
      [0, 200, 20],
      [7, 80, 30],
      [90, 100, 255],
    ];
    const palette = box("pclr", u16(4), [3, 7, 7, 7], colours.flat());
    const mapping = box("cmap", ...[0, 1, 2].map((column) => [0, 0, 1, column]), [0, 1, 0, 0]);
    const channels = [0, 1, 2, 3].flatMap((c) => [u16(c), u16(c === 3 ? 1 : 0), u16(c === 3 ? 0 : c + 1)]);
    const extra = [...palette, ...mapping, ...box("cdef", u16(4), ...channels)];
    const { bands, data } = await decode(
      boxed({ codestream: compress(2, 8, values), size: [width, height, 2], extra }),
    );
    expect(bands).toBe(4);
    expect([...data]).toEqual(
      Array.from({ length: pixels }, (_, i) => [...colours[values[2 * i]!]!, values[2 * i + 1]!]).flat(),
    );
  });
});
