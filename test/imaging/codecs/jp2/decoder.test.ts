// JPEG 2000: headers against the fixtures' facts, pixels against base.png and against other decoders.
// @module-tag slow

import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { scaleFactorsOf } from "../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { EncodeOptions } from "../../../../src/imaging/codecs/plan.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import { countingBytes, psnr } from "../counting.ts";
import { box, boxed, codestreamOf, compressRaw, encodeCodestream, u16 } from "./files.ts";
import { hasOpenJpegTools, opjDecompress } from "./openjpeg.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jp2");
const sound = expectedRows().filter(
  ({ file = "" }) => /\.(jp2|jph|j2k|j2c|jhc)$/.test(file) && !/^(bad|large)-/.test(file),
);
let base: Uint8Array;
beforeAll(async () => {
  base = await raw("base.png");
});

async function raw(name: string): Promise<Uint8Array> {
  return new Uint8Array(await sharp(fixture(name)).raw().toBuffer());
}

const probe = (file: Uint8Array) => codec.probe(memoryBytes(file), 1);
const whole = (header: ImageHeader) => ({ x: 0, y: 0, width: header.width, height: header.height });

async function decode(
  file: Uint8Array,
  scaleFactor = 1,
  region?: ReturnType<typeof whole>,
): Promise<PixelBuffer> {
  const header = await probe(file);
  return codec.decode(memoryBytes(file), { header, page: 1, region: region ?? whole(header), scaleFactor });
}

describe("jpeg 2000 header", () => {
  it.each(sound)("has size and bands of $file after reading few bytes", async (row) => {
    const bytes = countingBytes(fixture(row.file as string));
    const header = await codec.probe(bytes, 1);
    expect(header).toMatchObject({
      format: "jp2",
      width: Number(row.width),
      height: Number(row.height),
      bands: row.file === "jp2-palette.jp2" ? 3 : Number(row.bands), // the palette is expanded
      depth: row.format === "ushort" ? 16 : 8,
      orientation: 1,
      pages: 1,
    });
    expect(header.unsupported).toBeUndefined();
    expect(bytes.total()).toBeLessThanOrEqual(8 * 1024);
  });

  it("has the coding, tiles, levels and profile", async () => {
    const tiled = await probe(fixture("jp2-tiled-128.jp2"));
    expect(tiled.tile).toEqual({ width: 128, height: 128 });
    expect(scaleFactorsOf(codec, tiled)).toEqual([1, 2, 4, 8]); // made with -n 4: four resolutions
    const lossless = await probe(fixture("jp2-reversible.jp2"));
    expect(lossless.tile).toBeUndefined();
    expect(lossless.variant).toBe("jpeg2000, reversible, LRCP");
    expect(scaleFactorsOf(codec, lossless)).toEqual([1, 2, 4, 8, 16, 32]);
    expect((await probe(fixture("jp2-precincts-rpcl-plt-tlm.jp2"))).variant).toBe(
      "jpeg2000, irreversible, RPCL",
    );
    expect((await probe(fixture("htj2k-lossy.j2c"))).variant).toMatch(/^htj2k, irreversible/);
    expect((await probe(fixture("jp2-icc-displayp3.jp2"))).colour).toEqual({ from: "icc", srgb: false });
    expect(scaleFactorsOf(codec, await probe(fixture("jp2-layers-offset.jp2")))).toEqual([1]); // offset 17,23
    expect(scaleFactorsOf(codec, await probe(fixture("jp2-palette.jp2")))).toEqual([1]);
  });

  it("reads resolution and orientation, extended box lengths, and boxes behind the codestream", async () => {
    // 11811 pixels per metre = 300 dpi across, half of it down.
    const res = box("res ", box("resc", u16(11811), u16(2), u16(11811), u16(1), [0, 0]));
    const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0];
    const exif = box("uuid", [...new TextEncoder().encode("JpgTiffExif->JP2")], tiff);
    const file = boxed({
      codestream: codestreamOf("jp2-reversible.jp2"),
      size: [600, 400, 3],
      extra: res,
      behind: exif,
      extended: true,
    });
    const header = await probe(file);
    expect(header.orientation).toBe(6);
    expect(header.resolution?.x).toBeCloseTo(118.11, 6);
    expect(header.resolution?.y).toBeCloseTo(59.055, 6);
    expect(Buffer.compare((await decode(file)).data as Uint8Array, base)).toBe(0);
  });

  it("has one page", async () => {
    await expect(codec.probe(memoryBytes(fixture("jp2-gray.jp2")), 2)).rejects.toMatchObject({
      code: "page_not_found",
    });
  });
});

describe("jpeg 2000 pixels", () => {
  it.each(["jp2-reversible.jp2", "htj2k-lossless.jph", "htj2k-lossless.jhc"])(
    "equal the source exactly for the lossless %s",
    async (name) => {
      const { data, bands } = await decode(fixture(name));
      expect(bands).toBe(3);
      expect(Buffer.compare(data as Uint8Array, base)).toBe(0);
    },
  );

  it.each([
    "jp2-irreversible.jp2",
    "jp2-tiled-128.jp2",
    "jp2-precincts-rpcl-plt-tlm.jp2",
    "jp2-layers-offset.jp2",
    "j2k-raw.j2k",
    "htj2k-lossy.j2c",
  ])("are within 30 dB of the source for the lossy %s", async (name) => {
    expect(psnr((await decode(fixture(name))).data, base)).toBeGreaterThan(30);
  });

  it.each(["jp2-gray.jp2", "htj2k-gray.jph"])("of %s are one band near the source's luma", async (name) => {
    const { data, bands, interpretation } = await decode(fixture(name));
    expect({ bands, interpretation }).toEqual({ bands: 1, interpretation: "gray" });
    const luma = new Float64Array(240000).map((_, i) => {
      const [r = 0, g = 0, b = 0] = base.subarray(3 * i, 3 * i + 3);
      return 0.299 * r + 0.587 * g + 0.114 * b;
    });
    expect(psnr(data, luma)).toBeGreaterThan(name === "jp2-gray.jp2" ? 25 : 40);
  });

  it("of 16 bit keep their depth", async () => {
    const { data, bands } = await decode(fixture("jp2-rgb16.jp2"));
    expect(data).toBeInstanceOf(Uint16Array);
    expect(bands).toBe(3);
    const want = await sharp(fixture("png-rgb16.png"))
      .toColourspace("rgb16")
      .raw({ depth: "ushort" })
      .toBuffer();
    const samples = new Uint16Array(want.buffer, want.byteOffset, want.length / 2);
    expect(psnr(data, samples, 65535)).toBeGreaterThan(30);
  });

  it("are read if a tile-part extends to the end and zeros pad the file", async () => {
    const file = codestreamOf("jp2-gray.jp2");
    const sot = Buffer.from(file).indexOf(Uint8Array.of(0xff, 0x90, 0, 10));
    const padded = Uint8Array.from([...file, 0, 0]);
    padded.set([0, 0, 0, 0], sot + 6); // Psot (T.800 A.4.2)
    const { data } = await decode(file);
    expect(Buffer.compare((await decode(padded)).data as Uint8Array, data as Uint8Array)).toBe(0);
    await expect(decode(padded.subarray(0, file.length - 9))).rejects.toMatchObject({ code: "decode" });
  });

  it("of four components are RGB with alpha, exactly", async () => {
    const { data, bands, interpretation } = await decode(fixture("jp2-rgba8.jp2"));
    expect({ bands, interpretation }).toEqual({ bands: 4, interpretation: "rgb" });
    expect(Buffer.compare(data as Uint8Array, await raw("png-rgba8.png"))).toBe(0);
  });

  it("of a palette are its colours", async () => {
    const { data, bands } = await decode(fixture("jp2-palette.jp2"));
    expect(bands).toBe(3);
    expect(psnr(data, base)).toBeGreaterThan(25); // 256 colours of the source
    const red = [0, 1, 2].map((c) => data[(10 * 600 + 10) * 3 + c] as number);
    expect(red[0]).toBeGreaterThan(200);
    expect(Math.max(red[1] as number, red[2] as number)).toBeLessThan(60);
  });

  it("of a region equal the crop of the whole, at each scale", async () => {
    for (const [name, scale] of [
      ["jp2-tiled-128.jp2", 1],
      ["jp2-tiled-128.jp2", 4],
      ["htj2k-lossless.jph", 2],
      ["jp2-rgba8.jp2", 2],
      ["jp2-layers-offset.jp2", 1],
    ] as const) {
      const all = await decode(fixture(name), scale);
      const region = { x: 64, y: 128, width: 536, height: 200 };
      const part = await decode(fixture(name), scale, region);
      const want = await sharp(all.data, {
        raw: { width: all.width, height: all.height, channels: all.bands as 3 | 4 },
      })
        .extract({ left: 64 / scale, top: 128 / scale, width: 536 / scale, height: 200 / scale })
        .raw()
        .toBuffer();
      expect([part.width, part.height]).toEqual([536 / scale, 200 / scale]);
      expect(Buffer.compare(part.data as Uint8Array, want)).toBe(0);
    }
  });

  it.each(sound.map(({ file = "" }) => file))(
    "of %s at every offered scale show the same picture",
    async (name) => {
      const header = await probe(fixture(name));
      const full = await decode(fixture(name));
      const top = header.depth === 16 ? 65535 : 255;
      for (const scale of scaleFactorsOf(codec, header).slice(1)) {
        const small = await decode(fixture(name), scale);
        expect([small.width, small.height]).toEqual([
          Math.ceil(header.width / scale),
          Math.ceil(header.height / scale),
        ]);
        // The wavelet's low band is sharper than a box and is shifted by (s - 1) / 2 pixels to the upper
        // left.
        expect(psnr(small.data, boxReduced(full, scale), top)).toBeGreaterThan(15);
      }
    },
  );
});

/**
 * Returns means of scale x scale blocks that begin half a block early, at the positions of the low band's
 * samples.
 */
function boxReduced({ data, width, height, bands }: PixelBuffer, scale: number): Float64Array {
  const [w, h] = [Math.ceil(width / scale), Math.ceil(height / scale)];
  const out = new Float64Array(w * h * bands);
  const from = -Math.floor(scale / 2);
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++)
      for (let b = 0; b < bands; b++) {
        let sum = 0;
        let n = 0;
        for (let v = y * scale + from; v <= y * scale - from; v++)
          for (let u = x * scale + from; u <= x * scale - from; u++)
            if (u >= 0 && v >= 0 && u < width && v < height) {
              sum += data[(v * width + u) * bands + b] as number;
              n++;
            }
        out[(y * w + x) * bands + b] = sum / n;
      }
  return out;
}

describe("jpeg 2000 samples of other kinds", () => {
  const [width, height] = [24, 20];
  const samples = (bits: number, bands: number, low = 0) =>
    Array.from({ length: width * height * bands }, (_, i) => ((i * 997) % 2 ** bits) + low);

  it.each([
    [1, 8],
    [4, 8],
    [7, 8],
    [10, 16],
    [12, 16],
    [16, 16],
  ])("of %i bit are scaled to the full range of %i bit", async (bits, depth) => {
    const values = samples(bits, 1);
    for (const highThroughput of [false, true]) {
      const file = await encodeCodestream({ width, height, bands: 1, bits, values, highThroughput });
      const { data } = await decode(file);
      expect([...data]).toEqual(values.map((v) => Math.round((v * (2 ** depth - 1)) / (2 ** bits - 1))));
    }
  });

  // OpenJPEG's opj_decompress, ImageMagick and Pillow move them in the same way.
  const moved = (values: readonly number[], bits: number) => {
    const full = bits > 8 ? 65535 : 255;
    return values.map((v) => Math.round(((v + 2 ** (bits - 1)) * full) / (2 ** bits - 1)));
  };

  // The package writes other samples than it is given for signed ones of 8 bit: opj_decompress reads them so
  // too.
  it.each([12, 16])("that are signed, of %i bit, are moved to begin at zero, in HTJ2K", async (bits) => {
    const values = samples(bits, 1, -(2 ** (bits - 1)));
    const file = await encodeCodestream({
      width,
      height,
      bands: 1,
      bits,
      values,
      signed: true,
      highThroughput: true,
    });
    expect([...(await decode(file)).data]).toEqual(moved(values, bits));
  });

  it.skipIf(!hasOpenJpegTools).each([
    [8, 1],
    [8, 3],
    [12, 1],
    [16, 1],
    [12, 3],
  ])(
    "that are signed, of %i bit in %i components, are moved to begin at zero, in Part 1",
    async (bits, bands) => {
      const values = samples(bits, bands, -(2 ** (bits - 1)));
      const file = compressRaw({ width, height, bands, bits, values, signed: true });
      expect([...(await decode(file)).data]).toEqual(moved(values, bits));
    },
  );

  it("that cannot be decoded correctly are refused by name", async () => {
    const reason = async (file: Uint8Array) =>
      (await codec.probe(memoryBytes(file), 1)).unsupported?.replace(/^.*received /, "");
    const codestream = codestreamOf("jp2-reversible.jp2");
    const named = (enumerated: number) => boxed({ codestream, size: [600, 400, 3], enumerated });
    expect(await reason(named(20))).toBe("e-sRGB; convert the file.");
    // SIZ: 2 bytes of SOC, 40 of the segment's head, then 3 for each component; the last one is halved
    const unequal = codestream.slice();
    unequal.set([2, 2], 2 + 40 + 3 * 2 + 1);
    expect(await reason(boxed({ codestream: unequal, size: [600, 400, 3] }))).toBe(
      "one of unequal components; convert the file.",
    );
  });

  it.skipIf(!hasOpenJpegTools).each([2, 4])("of %i components have alpha", async (bands) => {
    const values = samples(8, bands);
    const pixels = await decode(compressRaw({ width, height, bands, bits: 8, values }));
    expect(pixels).toMatchObject({ bands, interpretation: bands === 2 ? "gray" : "rgb" });
    expect([...pixels.data]).toEqual(values);
  });

  it("are ycc or cmyk when the colour box says so, and reordered when cdef does", async () => {
    const codestream = codestreamOf("jp2-reversible.jp2");
    const ycc = await decode(boxed({ codestream, size: [600, 400, 3], enumerated: 18 }));
    expect(ycc.interpretation).toBe("ycc");
    expect(Buffer.compare(ycc.data as Uint8Array, base)).toBe(0);
    const four = codestreamOf("jp2-rgba8.jp2");
    const cmyk = await decode(boxed({ codestream: four, size: [600, 400, 4], enumerated: 12 }));
    expect(cmyk).toMatchObject({ bands: 4, interpretation: "cmyk" });
    expect(Buffer.compare(cmyk.data as Uint8Array, await raw("png-rgba8.png"))).toBe(0);
    const cdef = box("cdef", u16(3), ...[0, 1, 2].flatMap((c) => [u16(c), u16(0), u16(3 - c)]));
    const bgr = await decode(boxed({ codestream, size: [600, 400, 3], extra: cdef }));
    expect([...bgr.data.subarray(0, 3)]).toEqual([...base.subarray(0, 3)].reverse());
  });

  it.skipIf(!hasOpenJpegTools).each([
    ["both of the whole picture", 0, 0],
    ["both of its colour", 1, 1],
  ])("are gray with alpha if the definitions are %s", async (_, gray, alpha) => {
    const [width, height] = [24, 16];
    const values = Array.from({ length: width * height * 2 }, (_, i) => (i * 11) % 256);
    const codestream = compressRaw({ width, height, bands: 2, bits: 8, values });
    const cdef = box("cdef", u16(2), u16(0), u16(0), u16(gray), u16(1), u16(1), u16(alpha)); // T.800 table I.17
    const file = boxed({ codestream, size: [width, height, 2], enumerated: 17, extra: cdef });
    const pixels = await decode(file);
    expect([pixels.bands, pixels.interpretation]).toEqual([2, "gray"]);
    expect([...pixels.data]).toEqual(values);
  });

  it("are refused by name when they cannot be served", async () => {
    const codestream = codestreamOf("jp2-reversible.jp2");
    const wide = boxed({ codestream, size: [600, 400, 3], enumerated: 20 });
    expect((await probe(wide)).unsupported).toMatch(/e-sRGB/);
    await expect(decode(wide)).rejects.toMatchObject({ kind: "unsupported" });
    const files = {
      "premultiplied sYCC": alphaFile({ type: 2, association: 0, enumerated: 18 }),
      "alpha of one colour": alphaFile({ type: 2, association: 1 }),
      "opacity of one colour": alphaFile({ type: 1, association: 1 }),
    };
    for (const file of Object.values(files)) {
      expect((await probe(file)).unsupported).toMatch(/one alpha for all colours/);
      await expect(decode(file)).rejects.toMatchObject({ kind: "unsupported" });
    }
  });

  it("that were multiplied by alpha are divided by it", async () => {
    const stored = await raw("png-rgba8.png");
    const straight = await decode(alphaFile({ type: 1, association: 0 }));
    expect(Buffer.compare(straight.data as Uint8Array, stored)).toBe(0);
    const { data, bands, interpretation } = await decode(alphaFile({ type: 2, association: 0 }));
    expect({ bands, interpretation }).toEqual({ bands: 4, interpretation: "rgb" });
    const expected = stored.map((value, i) => {
      const alpha = stored[i - (i % 4) + 3]!;
      return i % 4 === 3 || alpha === 0 ? value : Math.min(255, Math.round((value * 255) / alpha));
    });
    expect(Buffer.compare(data as Uint8Array, expected)).toBe(0);
    expect(expected).not.toEqual(stored);
  });

  it.skipIf(!hasOpenJpegTools)("of gray that were multiplied by alpha are divided by it", async () => {
    const values = Array.from({ length: width * height * 2 }, (_, i) => (i * 31) % 256);
    const codestream = compressRaw({ width, height, bands: 2, bits: 8, values });
    const cdef = box("cdef", u16(2), ...[0, 1].flatMap((c) => [u16(c), u16(2 * c), u16(1 - c)]));
    const file = boxed({ codestream, size: [width, height, 2], enumerated: 17, extra: cdef });
    const { data, bands, interpretation } = await decode(file);
    expect({ bands, interpretation }).toEqual({ bands: 2, interpretation: "gray" });
    const expected = values.map((value, i) => {
      const alpha = values[i | 1]!;
      return i % 2 === 1 || alpha === 0 ? value : Math.min(255, Math.round((value * 255) / alpha));
    });
    expect([...data]).toEqual(expected);
  });
});

/** The RGBA fixture with what its fourth channel is. */
function alphaFile(alpha: { type: number; association: number; enumerated?: number }): Uint8Array {
  const { type, association, enumerated } = alpha;
  const colours = [0, 1, 2].flatMap((c) => [u16(c), u16(0), u16(c + 1)]);
  const extra = box("cdef", u16(4), ...colours, u16(3), u16(type), u16(association));
  return boxed({ codestream: codestreamOf("jp2-rgba8.jp2"), size: [600, 400, 4], extra, enumerated });
}

describe("a jp2c box of a wrong length", () => {
  const sound = boxed({ codestream: codestreamOf("jp2-reversible.jp2"), size: [600, 400, 3] });
  const at = Buffer.from(sound).indexOf("jp2c") - 4;
  const stating = (length: number, behind: readonly number[] = []) => {
    const file = Uint8Array.from([...sound, ...behind]);
    new DataView(file.buffer).setUint32(at, length);
    return file;
  };
  const length = sound.length - at;
  it.each([
    ["beyond the end of the file", stating(length + 1000)],
    ["far beyond it", stating(0xffffffff)],
    ["within the codestream", stating(length - 1000)],
    ["of a few bytes", stating(20)],
    ["that takes in the next box", stating(length + 12, box("free", [0, 0, 0, 0]))],
  ])("(%s) does not matter if the codestream is complete", async (_, file) => {
    expect(Buffer.compare((await decode(file)).data as Uint8Array, base)).toBe(0);
  });

  it("does not turn the data after a truncated codestream into a picture", async () => {
    const codestream = codestreamOf("jp2-reversible.jp2").subarray(0, 20_000);
    const file = boxed({ codestream, size: [600, 400, 3], behind: box("free", new Array(400_000).fill(0)) });
    await expect(decode(file)).rejects.toThrow("ends early");
  });
});

describe("damaged jpeg 2000", () => {
  const half = (name: string) => fixture(name).subarray(0, fixture(name).length / 2);
  it.each([
    ["bad-ihdr-mismatch.jp2", fixture("bad-ihdr-mismatch.jp2")],
    ["bad-siz-4294967295.j2k", fixture("bad-siz-4294967295.j2k")],
    ["bad-tiles-1x1-of-60000.j2k", fixture("bad-tiles-1x1-of-60000.j2k")],
    ["bad-trunc-50.jp2", fixture("bad-trunc-50.jp2")],
    ["half an HTJ2K file", half("htj2k-lossless.jph")],
    ["half a raw HTJ2K codestream", half("htj2k-lossless.jhc")],
    ["half a tiled file", half("jp2-tiled-128.jp2")],
    ["a main header cut short", fixture("j2k-raw.j2k").subarray(0, 60)],
    ["a signature alone", fixture("jp2-gray.jp2").subarray(0, 40)],
  ])("is refused (%s), and sound files decode after it", async (_, file) => {
    await expect(decode(file)).rejects.toSatisfy(
      (error) => error instanceof ImagingError && error.kind === "decode",
    );
    expect(Buffer.compare((await decode(fixture("jp2-reversible.jp2"))).data as Uint8Array, base)).toBe(0);
    expect(Buffer.compare((await decode(fixture("htj2k-lossless.jph"))).data as Uint8Array, base)).toBe(0);
  });

  it("never has more or fewer pixels than its header says, nor any error but an ImagingError", async () => {
    const file = fixture("jp2-gray.jp2");
    for (let seed = 1; seed <= 40; seed++) {
      const broken = file.slice();
      for (let n = 0; n < 4; n++) broken[(seed * 7919 + n * 104729 * seed) % file.length]! ^= 1 << (seed % 8);
      const result = await decode(broken).catch((error) => error);
      if (result instanceof Error) expect(result).toBeInstanceOf(ImagingError);
      else expect(result.data.length).toBe(result.width * result.height * result.bands);
    }
  });
});

describe("jpeg 2000 output", () => {
  const options: EncodeOptions = {
    format: "jp2",
    quality: 90,
    progressive: false,
    chroma: "444",
    encoder: "fast",
    resolution: { x: 118.11, y: 59.055 },
  };
  const encode = (pixels: PixelBuffer) => codecs.encoder("jp2").encode(pixels, options);
  const rgb = () =>
    ({ width: 600, height: 400, bands: 3, interpretation: "rgb", data: base }) satisfies PixelBuffer;

  it("differs from the picture by a PSNR above 40 dB, with its resolution, and no high-throughput file", async () => {
    const file = await encode(rgb());
    const header = await probe(file);
    expect(header).toMatchObject({ width: 600, height: 400, bands: 3, interpretation: "rgb" });
    expect(header.variant).toMatch(/^jpeg2000, irreversible/);
    expect(header.resolution?.x).toBeCloseTo(118.11, 2);
    expect(header.resolution?.y).toBeCloseTo(59.055, 2);
    expect(psnr((await decode(file)).data, base)).toBeGreaterThan(40);
    const gray = base.filter((_, i) => i % 3 === 1);
    const small = await encode({ width: 600, height: 400, bands: 1, interpretation: "gray", data: gray });
    expect(psnr((await decode(small)).data, gray)).toBeGreaterThan(40);
  });

  it("has the boxes of a JP2 file in order", async () => {
    const file = await encode(rgb());
    const view = new DataView(file.buffer, file.byteOffset, file.length);
    const names: string[] = [];
    let at = 0;
    while (at < file.length) {
      names.push(new TextDecoder().decode(file.subarray(at + 4, at + 8)));
      at += view.getUint32(at);
    }
    expect(names).toEqual(["jP  ", "ftyp", "jp2h", "jp2c"]);
    expect(at).toBe(file.length);
    expect(file.subarray(-2)).toEqual(Uint8Array.of(0xff, 0xd9));
  });

  it.each([
    [1, 1],
    [3, 2],
    [1, 50],
    [33, 31],
  ])("accepts a picture of %i by %i", async (width, height) => {
    const data = new Uint8Array(width * height * 3).fill(128);
    const back = await decode(await encode({ width, height, bands: 3, interpretation: "rgb", data }));
    expect([back.width, back.height]).toEqual([width, height]);
    expect(back.data.every((value) => Math.abs(value - 128) <= 4)).toBe(true);
  });

  it.skipIf(!hasOpenJpegTools)("is read by another decoder", async () => {
    const ppm = opjDecompress(await encode(rgb()), [], { from: "jp2" });
    expect(psnr(ppm.subarray(ppm.length - base.length), base)).toBeGreaterThan(40);
  });

  it("refuses alpha", async () => {
    const data = new Uint8Array(16);
    await expect(
      encode({ width: 2, height: 2, bands: 4, interpretation: "rgb", data }),
    ).rejects.toMatchObject({
      kind: "encode",
    });
  });
});
