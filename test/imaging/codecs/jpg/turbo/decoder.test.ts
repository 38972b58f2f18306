// @module-tag slow
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { scaleFactorsOf } from "../../../../../src/imaging/codecs/codec.ts";
import type { Rectangle } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import type { PixelBuffer } from "../../../../../src/imaging/pipeline/pixels.ts";
import { resize } from "../../../../../src/imaging/pipeline/steps/resize.ts";
import { fixture, testHost } from "../../../../host.ts";
import fc from "../../../../properties.ts";
import { named, withFrame, withSegments } from "../segments.ts";

const codec = createCodecs(testHost).decoder("jpg");

/** Decodes with the decoder of whole files. */
async function decode(data: Uint8Array, scaleFactor = 1, region?: Rectangle): Promise<PixelBuffer> {
  const header = await codec.probe(memoryBytes(data), 1);
  const whole = { x: 0, y: 0, width: header.width, height: header.height };
  const read = { header, page: 1, region: region ?? whole, scaleFactor, whole: true as const };
  return codec.decode(memoryBytes(data), read);
}

/** The same file through sharp, as stored: without profile and orientation, so that no pixel is converted. */
function reference(data: Uint8Array, bands: number) {
  const bare = withSegments(data, (all) => all.filter((s) => s.code !== 0xe1 && s.code !== 0xe2));
  const image = sharp(bare, { failOn: "none" });
  if (bands === 4) return image.pipelineColourspace("cmyk").toColourspace("cmyk");
  return bands === 1 ? image.toColourspace("b-w") : image;
}

function difference(a: ArrayLike<number>, b: ArrayLike<number>): { max: number; mean: number } {
  expect(a.length).toBe(b.length);
  let max = 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const d = Math.abs(a[i]! - b[i]!);
    sum += d;
    if (d > max) max = d;
  }
  return { max, mean: sum / a.length };
}

/** A rectangle cut out of pixels. */
function cut(pixels: PixelBuffer, x: number, y: number, width: number, height: number): number[] {
  const rows = Array.from({ length: height }, (_, row) => {
    const from = ((y + row) * pixels.width + x) * pixels.bands;
    return [...pixels.data.subarray(from, from + width * pixels.bands)];
  });
  return rows.flat();
}

const sound: readonly (readonly [file: string, bands: number])[] = [
  ["jpg-1x1.jpg", 3],
  ["jpg-arithmetic.jpg", 3],
  ["jpg-baseline-420.jpg", 3],
  ["jpg-baseline-422.jpg", 3],
  ["jpg-cmyk-adobe.jpg", 4],
  ["jpg-cmyk-icc.jpg", 4],
  ["jpg-exif-xmp-iptc-gps.jpg", 3],
  ["jpg-gray-icc.jpg", 1],
  ["jpg-gray.jpg", 1],
  ["jpg-icc-adobergb.jpg", 3],
  ["jpg-icc-displayp3-orient-6.jpg", 3],
  ["jpg-orient-1.jpg", 3],
  ["jpg-orient-7.jpg", 3],
  ["jpg-progressive.jpg", 3],
  ["jpg-restart.jpg", 3],
  ["jpg-rgb-adobe0.jpg", 3],
  ["jpg-wide-5000x12.jpg", 3],
  ["jpg-ycck-adobe.jpg", 4],
  ["mislabelled-jpg.png", 1],
  ["polyglot-jpg-zip.jpg", 3],
  ["badmeta-icc.jpg", 3],
  ["bad-exif-orient-9.jpg", 3],
  ["bad-trunc-50.jpg", 3],
];

describe("decoding a JPEG file", () => {
  it.each(sound)("returns the same samples of %s as another decoder", async (file, bands) => {
    const data = fixture(file);
    const pixels = await decode(data);
    const expected = await reference(data, bands).raw().toBuffer({ resolveWithObject: true });
    expect([pixels.width, pixels.height, pixels.bands]).toEqual([
      expected.info.width,
      expected.info.height,
      bands,
    ]);
    expect(difference(pixels.data, expected.data).max).toBeLessThanOrEqual(1);
  });

  // SHA-256 (first half) of the samples of djpeg 2.1.5 -scale 1/2, 1/4, 1/8; "filtered": made of those at
  // 1/2, see below
  const scaled: readonly (readonly [file: string, ...sums: string[]])[] = [
    [
      "jpg-baseline-420.jpg",
      "9427ea1d171f449c4446aeec08ffb804",
      "0a0eaa051685c31d37777ac3be7c26e6",
      "b6d7d747c141cda2a0f6fe24a6f494c4",
    ],
    [
      "jpg-baseline-422.jpg",
      "1c2cdd2d9c6431d6c263ed0842ba49b9",
      "f047952896a7bed0f6b96d6ed4445156",
      "8bd00bf4304ef67079a1aa0363ffcb1d",
    ],
    ["jpg-gray.jpg", "87ef88ea7862a9640d64a31c2b63fa02", "filtered", "8629083ee75d76a0273f7d20649bc9d3"],
    [
      "jpg-icc-adobergb.jpg",
      "a986bbd1234c768a33c10704447994e8",
      "filtered",
      "2ee4d0c590378156b9b3052b4b0b7e95",
    ],
    [
      "jpg-progressive.jpg",
      "9427ea1d171f449c4446aeec08ffb804",
      "0a0eaa051685c31d37777ac3be7c26e6",
      "b6d7d747c141cda2a0f6fe24a6f494c4",
    ],
    [
      "jpg-rgb-adobe0.jpg",
      "e65f321bed9159a55b7d56a22462e858",
      "filtered",
      "3ffe7eba395c46ff98d92610d1749389",
    ],
  ];
  it.each(scaled)("returns the same scaled samples of %s as djpeg", async (file, ...sums) => {
    for (const [i, scale] of [2, 4, 8].entries()) {
      if (sums[i] === "filtered") continue;
      const { data } = await decode(fixture(file), scale);
      const sum = Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(data))).toString("hex");
      expect(sum.slice(0, 32)).toBe(sums[i]);
    }
  });

  const filtered = sound.filter(([file]) => /gray|cmyk|rgb|displayp3/.test(file));
  it.each(filtered)(
    "makes %s at 1/4, where no component is halved, from 1/2 with Lanczos-3",
    async (file) => {
      const half = await decode(fixture(file), 2);
      const axis = (length: number) => ({ size: Math.ceil(length / 2), origin: 0, scale: 2 });
      const expected = resize(half, axis(half.width), axis(half.height));
      const quarter = await decode(fixture(file), 4);
      expect([quarter.width, quarter.height]).toEqual([expected.width, expected.height]);
      expect(difference(quarter.data, expected.data).max).toBeLessThanOrEqual(1);
    },
  );

  const averaged = sound.filter(([file]) => /gray|cmyk|ycck|displayp3|restart|polyglot/.test(file));
  it.each(averaged)("scales %s to about the mean of the pixels that fall together", async (file, bands) => {
    const whole = await reference(fixture(file), bands).raw().toBuffer({ resolveWithObject: true });
    const { width, height } = whole.info;
    for (const scale of [2, 8]) {
      const pixels = await decode(fixture(file), scale);
      expect([pixels.width, pixels.height]).toEqual([Math.ceil(width / scale), Math.ceil(height / scale)]);
      const means = Float64Array.from(pixels.data, (_, i) => {
        const [left, top] = [Math.floor(i / bands) % pixels.width, Math.floor(i / bands / pixels.width)];
        let sum = 0;
        let count = 0;
        for (let y = top * scale; y < Math.min(height, (top + 1) * scale); y++)
          for (let x = left * scale; x < Math.min(width, (left + 1) * scale); x++, count++)
            sum += whole.data[(y * width + x) * bands + (i % bands)]!;
        return sum / count;
      });
      expect(difference(pixels.data, means).mean).toBeLessThan(1);
    }
  });

  it("reads 4 components without an Adobe segment as it reads them with one", async () => {
    const plain = withSegments(fixture("jpg-cmyk-adobe.jpg"), (all) => all.filter((s) => s.code !== 0xee));
    const [adobe, bare] = [await decode(fixture("jpg-cmyk-adobe.jpg")), await decode(plain)];
    expect(bare.interpretation).toBe("cmyk");
    expect(bare.data.every((value, i) => value === adobe.data[i])).toBe(true);
  });

  it("reads components named R, G and B as they are", async () => {
    const rgb = fixture("jpg-rgb-adobe0.jpg");
    const letters = withSegments(
      withFrame(rgb, (f) => ({ ...f, body: f.body.with(6, 82).with(9, 71).with(12, 66) })),
      (all) => all.filter((s) => s.code !== 0xee),
    );
    const scan = letters.findIndex((byte, i) => byte === 0xff && letters[i + 1] === 0xda);
    letters.set([82, letters[scan + 6]!, 71, letters[scan + 8]!, 66], scan + 5);
    expect(difference((await decode(letters)).data, (await decode(rgb)).data).max).toBe(0);
  });

  it.each([
    "jpg-baseline-420.jpg",
    "jpg-progressive.jpg",
    "jpg-restart.jpg",
    "jpg-ycck-adobe.jpg",
    "jpg-arithmetic.jpg",
  ])("decodes regions of %s that equal the crop of the whole", async (file) => {
    const data = fixture(file);
    const header = await codec.probe(memoryBytes(data), 1);
    for (const s of scaleFactorsOf(codec, header)) {
      const whole = await decode(data, s);
      const edge = 8 * Math.ceil(280 / 8);
      for (const [x, y, width, height] of [
        [0, 0, 64, 16],
        [128, 64, 256, 128],
        [48, 120, 16, 8],
        [edge, edge, 600 - edge, 400 - edge],
        [592, 392, 8, 8],
      ] as const) {
        const part = await decode(data, s, { x, y, width, height });
        expect([part.width, part.height]).toEqual([Math.ceil(width / s), Math.ceil(height / s)]);
        expect([...part.data]).toEqual(cut(whole, x / s, y / s, part.width, part.height));
      }
    }
  });

  it("rounds the size of a scaled picture up", async () => {
    const pixels = await decode(fixture("jpg-wide-5000x12.jpg"), 8);
    expect([pixels.width, pixels.height]).toEqual([625, 2]);
    const one = await decode(fixture("jpg-1x1.jpg"), 8);
    expect([one.width, one.height, one.data.length]).toEqual([1, 1, 3]);
  });

  it("serves concurrent calls", async () => {
    const files = ["jpg-baseline-420.jpg", "jpg-gray.jpg", "jpg-cmyk-adobe.jpg", "jpg-arithmetic.jpg"];
    const alone: PixelBuffer[] = [];
    for (const file of files) alone.push(await decode(fixture(file)));
    const together = await Promise.all(files.map((file) => decode(fixture(file))));
    together.forEach((pixels, i) => {
      expect(difference(pixels.data, alone[i]!.data).max).toBe(0);
    });
  });

  it("decodes a source of unknown length", async () => {
    const data = fixture("jpg-gray.jpg");
    const bytes = { read: memoryBytes(data).read };
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: 600, height: 400 };
    const pixels = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
    expect(difference(pixels.data, (await decode(data)).data).max).toBe(0);
  });

  it("refuses a file that has changed since its header was read", async () => {
    const header = await codec.probe(memoryBytes(fixture("jpg-baseline-420.jpg")), 1);
    const region = { x: 0, y: 0, width: 600, height: 400 };
    await expect(
      codec.decode(memoryBytes(fixture("jpg-orient-1.jpg")), { header, page: 1, region, scaleFactor: 1 }),
    ).rejects.toMatchObject({ kind: "decode", code: "header_mismatch" });
  });

  it("refuses a picture that does not fit its memory, and includes that in the estimate", async () => {
    const data = fixture("bad-dims-65500.jpg");
    const header = await codec.probe(memoryBytes(data), 1);
    const region = { x: 0, y: 0, width: 65500, height: 65500 };
    const read = { header, page: 1, region, scaleFactor: 1 };
    for (const each of [read, { ...read, whole: true as const }]) {
      expect(codec.memory(each, data.length)).toBeGreaterThan(2 * 3 * 65500 ** 2);
      await expect(codec.decode(memoryBytes(data), each)).rejects.toMatchObject({ kind: "too-large" });
    }
  });

  it("estimates the file and coefficients of all components for progressive files that are decoded whole", async () => {
    const header = await codec.probe(memoryBytes(fixture("jpg-progressive.jpg")), 1);
    const region = { x: 0, y: 0, width: 600, height: 400 };
    const read = { header, page: 1, region, scaleFactor: 8 };
    const most = 64 * 2 ** 20;
    expect(codec.memory({ ...read, whole: true }, most) - most).toBeGreaterThanOrEqual(2 * 600 * 400 * 3);
    // Only blocks of a transcode are in memory, however large the file.
    expect(codec.memory(read, most)).toBe(codec.memory(read, 1_000_000));
  });

  it("refuses a file of very many scans", async () => {
    const data = fixture("jpg-progressive.jpg");
    const scan = new Uint8Array([0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0x00]);
    const many = Buffer.concat([
      data.subarray(0, -2),
      ...Array<Uint8Array>(101).fill(scan),
      data.subarray(-2),
    ]);
    await expect(decode(new Uint8Array(many))).rejects.toMatchObject({
      kind: "decode",
      code: "too_many_scans",
    });
  });

  it("decodes a sound file right after a hundred failures", async () => {
    const tables = withSegments(fixture("jpg-baseline-420.jpg"), (all) =>
      all.map((s) => (s.code === 0xc4 ? { ...s, body: s.body.map((_, i) => (i === 0 ? 0 : 255)) } : s)),
    );
    const arithmetic = fixture("jpg-arithmetic.jpg").slice(0, 5000);
    for (let i = 0; i < 100; i++) {
      await expect(decode(tables)).rejects.toMatchObject({ kind: "decode", code: "damaged_image" });
      if (i % 5 === 0) await expect(decode(arithmetic)).rejects.toMatchObject({ code: "damaged_image" });
    }
    for (const file of ["jpg-baseline-420.jpg", "jpg-arithmetic.jpg"]) {
      const expected = await reference(fixture(file), 3).raw().toBuffer();
      expect(difference((await decode(fixture(file))).data, expected).max).toBeLessThanOrEqual(1);
    }
  });

  it("returns a picture of the header's size or an ImagingError, whatever bytes are changed", async () => {
    for (const file of ["jpg-orient-1.jpg", "jpg-progressive.jpg", "jpg-ycck-adobe.jpg"]) {
      const data = fixture(file);
      const flip = fc.tuple(fc.nat({ max: 2000 }), fc.nat(255));
      await fc.assert(
        fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 5 }), async (flips) => {
          const bad = data.slice();
          for (const [at, value] of flips) bad[at] = value;
          try {
            const header = await codec.probe(memoryBytes(bad), 1);
            if (header.width * header.height > 4e6) return;
            const pixels = await decode(bad);
            expect(pixels.data.length).toBe(header.width * header.height * header.bands);
          } catch (error) {
            expect(error).toBeInstanceOf(ImagingError);
          }
        }),
        { numRuns: 40 },
      );
    }
  });

  it("interprets colour as a JFIF segment says even without further hints", async () => {
    const data = withSegments(fixture("jpg-baseline-420.jpg"), (all) => [
      named(0xe0, "JFIF\0", [1, 1, 0, 0, 1, 0, 1, 0, 0]),
      ...all.filter((s) => s.code !== 0xe0),
    ]);
    expect([...(await decode(data)).data.subarray(0, 3)]).toEqual([220, 20, 20]);
  });
});
