import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { scaleFactorsOf } from "../../../../src/imaging/codecs/codec.ts";
import { recogniseFormat } from "../../../../src/imaging/codecs/formats.ts";
import type { ImageHeader, Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { storedScales } from "../../../../src/imaging/codecs/tif/directory/stages.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { grain } from "../../../grain.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import { type Field, jbigTiff, plainFields, tiffFile } from "./tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");
const rows = expectedRows().filter((row) => /^(tif-|bomb-.*\.tif$|bad-.*\.tif$)/.test(row.file ?? ""));
/** Refused, or not read by sharp, which other tests compare with another decoder. */
const REFUSED = /zstd|jp2k|lab/;
const served = rows.map((row) => row.file as string).filter((f) => f.startsWith("tif-") && !REFUSED.test(f));

async function decode(data: Uint8Array, part?: Rectangle, scaleFactor = 1, page = 1) {
  const header = await codec.probe(memoryBytes(data), page);
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page, region, scaleFactor });
}

/**
 * Turns a little-endian CMYK file into one of four bands without conversion: its profile (tag 34675, type 7)
 * gets a private tag, its photometric interpretation (tag 262, one SHORT) becomes RGB instead of CMYK.
 */
function asFourBands(data: Uint8Array): Uint8Array {
  const out = Buffer.from(data);
  out.writeUInt16LE(65_000, out.indexOf(Buffer.of(0x73, 0x87, 7, 0)));
  out.writeUInt16LE(2, out.indexOf(Buffer.of(6, 1, 3, 0, 1, 0, 0, 0, 5, 0)) + 8);
  return out;
}

/** Returns a page as libvips decodes it, without any colour conversion. */
async function reference(data: Uint8Array, header: ImageHeader, page = 0) {
  const image = sharp(header.interpretation === "cmyk" ? asFourBands(data) : data, {
    page,
    failOn: "none",
  });
  const space =
    header.depth === 16 ? (header.bands < 3 ? "grey16" : "rgb16") : header.bands < 3 ? "b-w" : "srgb";
  const { data: raw, info } = await image
    .toColourspace(space)
    .raw({ depth: header.depth === 16 ? "ushort" : "uchar" })
    .toBuffer({ resolveWithObject: true });
  const samples = header.depth === 16 ? new Uint16Array(Uint8Array.from(raw).buffer) : new Uint8Array(raw);
  return { info, samples };
}

function crop(pixels: PixelBuffer, { x, y, width, height }: Rectangle) {
  const { bands } = pixels;
  return Array.from({ length: height }, (_, row) => {
    const from = ((y + row) * pixels.width + x) * bands;
    return [...pixels.data.subarray(from, from + width * bands)];
  }).flat();
}

/** Counts reads. */
function counting(data: Uint8Array): ByteSource & { total: number; largest: number } {
  const inner = memoryBytes(data);
  const source = {
    size: data.length,
    total: 0,
    largest: 0,
    async read(offset: number, length: number) {
      const part = await inner.read(offset, length);
      source.total += part.length;
      source.largest = Math.max(source.largest, part.length);
      return part;
    },
  };
  return source;
}

describe("header", () => {
  test.each(rows)("of $file has the facts of the fixture list", async (row) => {
    const source = counting(fixture(row.file as string));
    const header = await codec.probe(source, 1);
    const depth = row.format === "uchar" ? 8 : 16;
    expect([header.width, header.height]).toEqual([Number(row.width), Number(row.height)]);
    expect([header.bands, header.depth]).toEqual([Number(row.bands), depth]);
    expect(header.orientation).toBe(row.file === "tif-orient-6.tif" ? 6 : 1);
    expect(header.pages).toBe(row.file === "tif-multipage-3sizes.tif" ? 3 : 1);
    expect(header.colour?.from === "icc").toBe(row.file === "tif-cmyk-icc-lzw.tif");
    expect(source.total).toBeLessThanOrEqual(256 * 1024);
  });

  test("has the resolution in pixels per centimetre from inches and from centimetres", async () => {
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } });
    for (const resolutionUnit of ["inch", "cm"] as const) {
      // sharp takes pixels per millimetre
      const data = await picture.clone().tiff({ xres: 10, yres: 20, resolutionUnit }).toBuffer();
      const { resolution } = await codec.probe(memoryBytes(data), 1);
      expect(resolution?.x).toBeCloseTo(100, 3);
      expect(resolution?.y).toBeCloseTo(200, 3);
    }
  });

  test("names each page and refuses a missing page", async () => {
    const bytes = memoryBytes(fixture("tif-multipage-3sizes.tif"));
    const sizes = await Promise.all([1, 2, 3].map(async (page) => (await codec.probe(bytes, page)).height));
    expect(sizes).toEqual([100, 150, 200]);
    await expect(codec.probe(bytes, 4)).rejects.toMatchObject({
      kind: "not-found",
      code: "page_not_found",
    });
    await expect(codec.probe(bytes, 0)).rejects.toMatchObject({ code: "page_not_found" });
  });

  test("says why a file is refused, and decoding refuses it", async () => {
    const header = await codec.probe(memoryBytes(jbigTiff()), 1);
    expect(header.unsupported).toContain("jbig");
    await expect(decode(jbigTiff())).rejects.toMatchObject({ kind: "unsupported" });
  });

  test("recognises both byte orders, classic and big", () => {
    const heads = ["tif-strip-none.tif", "tif-strip-none-bigendian.tif", "tif-bigtiff-bigendian-tiled.tif"];
    for (const file of heads) expect(recogniseFormat(fixture(file).subarray(0, 64))).toBe("tif");
    expect(recogniseFormat(fixture("67352ccc-d1b0-11e1-89ae-279075081939.png").subarray(0, 64))).not.toBe(
      "tif",
    );
    expect(recogniseFormat(new Uint8Array())).not.toBe("tif");
  });
});

describe("pixels", () => {
  test.each(served.filter((file) => !file.includes("float")))(
    "of %s equal those of libvips",
    async (file) => {
      const data = fixture(file);
      const header = await codec.probe(memoryBytes(data), 1);
      const { info, samples } = await reference(data, header);
      const pixels = await decode(data);
      expect([pixels.width, pixels.height, pixels.bands]).toEqual([info.width, info.height, info.channels]);
      expect(pixels.interpretation).toBe(header.interpretation);
      expect(Buffer.compare(Buffer.from(pixels.data.buffer), Buffer.from(samples.buffer))).toBe(0);
    },
  );

  test("of floating point are clamped to 0..1 and become 16 bit", async () => {
    const data = fixture("tif-gray-float32.tif");
    const { data: raw, info } = await sharp(data)
      .raw({ depth: "float" })
      .toBuffer({ resolveWithObject: true });
    const values = new Float32Array(Uint8Array.from(raw).buffer).filter((_, i) => i % info.channels === 0);
    const pixels = await decode(data);
    expect(pixels.data).toBeInstanceOf(Uint16Array);
    expect([...pixels.data]).toEqual([...values].map((v) => Math.round(Math.min(1, Math.max(0, v)) * 65535)));
  });

  test("of further pages equal those of libvips", async () => {
    const data = fixture("tif-multipage-3sizes.tif");
    for (const page of [2, 3]) {
      const header = await codec.probe(memoryBytes(data), page);
      const { samples } = await reference(data, header, page - 1);
      expect((await decode(data, undefined, 1, page)).data).toEqual(samples);
    }
  });

  test.each(served)("of a region of %s equal the crop of the whole", async (file) => {
    const whole = await decode(fixture(file));
    const { width, height } = whole;
    const parts = [
      { x: 0, y: 0, width: 1, height: 1 },
      { x: width - 1, y: height - 1, width: 1, height: 1 },
      { x: 17, y: 33, width: 101, height: Math.min(61, height - 33) },
      { x: width - 50, y: Math.floor(height / 3), width: 50, height: Math.floor(height / 2) },
    ];
    for (const part of parts) {
      const pixels = await decode(fixture(file), part);
      expect([pixels.width, pixels.height]).toEqual([part.width, part.height]);
      expect([...pixels.data]).toEqual(crop(whole, part));
    }
  });
});

describe("pyramid levels", () => {
  test.each([
    ["tif-pyramid-multipage.tif", (level: number) => ({ page: level })],
    ["tif-pyramid-subifd.tif", (level: number) => ({ tiff: { subifd: level - 1 } })],
  ])("of %s serve as scale factors, with their own pixels", async (file, options) => {
    const data = fixture(file);
    const header = await codec.probe(memoryBytes(data), 1);
    expect(storedScales(header)).toEqual([1, 2, 4, 8]);
    expect(scaleFactorsOf(codec, header)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
    for (const [level, scale] of [2, 4, 8].entries()) {
      const stored = await sharp(data, options(level + 1))
        .raw()
        .toBuffer({ resolveWithObject: true });
      const pixels = await decode(data, undefined, scale);
      expect([pixels.width, pixels.height]).toEqual([Math.ceil(600 / scale), Math.ceil(400 / scale)]);
      expect([pixels.width, pixels.height]).toEqual([stored.info.width, stored.info.height]);
      expect(Buffer.compare(Buffer.from(pixels.data.buffer), stored.data)).toBe(0);
      const part = { x: 200, y: 104, width: 400, height: 296 };
      const smaller = { x: 200 / scale, y: 104 / scale, width: 400 / scale, height: 296 / scale };
      expect([...(await decode(data, part, scale)).data]).toEqual(crop(pixels, smaller));
    }
  });

  test("whose size is rounded down are used too, with their last column and row repeated", async () => {
    const picture = sharp(fixture("tif-strip-none.tif")).resize(603, 401, { fit: "fill" });
    const data = await picture
      .clone()
      .tiff({ tile: true, pyramid: true, tileWidth: 64, tileHeight: 64 })
      .toBuffer();
    const header = await codec.probe(memoryBytes(data), 1);
    // libvips writes 301x200 for the level at 1/2, although ceil(603/2) is 302 and ceil(401/2) is 201.
    expect(storedScales(header)).toEqual([1, 2, 4, 8, 16]);
    expect(header.pages).toBe(1);
    for (const [level, scale] of [2, 4, 8].entries()) {
      const stored = await sharp(data, { page: level + 1 })
        .raw()
        .toBuffer({ resolveWithObject: true });
      const { width, height } = stored.info;
      expect([width, height]).toEqual([Math.floor(603 / scale), Math.floor(401 / scale)]);
      const whole = await decode(data, undefined, scale);
      expect([whole.width, whole.height]).toEqual([width + 1, height + 1]);
      expect(crop(whole, { x: 0, y: 0, width, height })).toEqual([...stored.data]);
      const edges = [
        [
          { x: width, y: 0, width: 1, height: height + 1 },
          { x: width - 1, y: 0, width: 1, height: height + 1 },
        ],
        [
          { x: 0, y: height, width, height: 1 },
          { x: 0, y: height - 1, width, height: 1 },
        ],
      ] as const;
      for (const [edge, before] of edges) {
        expect(crop(whole, edge)).toEqual(crop(whole, before));
        const part = {
          x: edge.x * scale,
          y: edge.y * scale,
          width: Math.min(edge.width * scale, 603 - edge.x * scale),
          height: Math.min(edge.height * scale, 401 - edge.y * scale),
        };
        expect([...(await decode(data, part, scale)).data]).toEqual(crop(whole, edge));
      }
    }
  });

  test("whose size is rounded down are averaged like any other", async () => {
    const gray = (width: number, height: number, value: number, ...more: Field[]) => ({
      fields: plainFields(width, height, 1, 8, 1, ...more),
      blocks: [new Uint8Array(width * height).fill(value)],
    });
    // At 1/32 of 67 by 35 there are 3 by 2 pixels; of the level at 1/2, stored as 33 by 17, come 3 by 2 boxes
    // of 16.
    const data = tiffFile([gray(67, 35, 10), gray(33, 17, 20, [254, 4, 1])]);
    const pixels = await decode(data, undefined, 32);
    expect([pixels.width, pixels.height, ...pixels.data]).toEqual([3, 2, 20, 20, 20, 20, 20, 20]);
    const corner = await decode(data, { x: 64, y: 32, width: 3, height: 3 }, 32);
    expect([corner.width, corner.height, ...corner.data]).toEqual([1, 1, 20]);
    // The level lacks all pixels of some boxes: 65 by 33, stored as 32 by 16.
    const bare = tiffFile([gray(65, 33, 10), gray(32, 16, 20, [254, 4, 1])]);
    const last = await decode(bare, { x: 64, y: 32, width: 1, height: 1 }, 32);
    expect([last.width, last.height, ...last.data]).toEqual([1, 1, 20]);
  });
});

describe("reading", () => {
  test("a region of a tiled file reads its tiles only", async () => {
    const noise = await grain(2048, 2048, 40)
      .tiff({ compression: "deflate", tile: true, tileWidth: 256, tileHeight: 256 })
      .toBuffer();
    const probe = counting(noise);
    const header = await codec.probe(probe, 1);
    expect(probe.total).toBeLessThan(32 * 1024);
    const perTile = noise.length / 64;
    const source = counting(noise);
    const region = { x: 256, y: 512, width: 512, height: 256 };
    await codec.decode(source, { header, page: 1, region, scaleFactor: 1 });
    expect(source.total).toBeGreaterThan(perTile);
    expect(source.total).toBeLessThan(2.2 * perTile + 4096);
  });

  test("a picture of 900 million pixels in one strip works by region, and reports what the whole would take", async () => {
    const data = fixture("bomb-deflate-30000x30000-1bit.tif");
    const header = await codec.probe(memoryBytes(data), 1);
    const region = { x: 29_000, y: 29_500, width: 512, height: 500 };
    const pixels = await codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
    expect(pixels.data).toHaveLength(512 * 500);
    const whole = { x: 0, y: 0, width: 30_000, height: 30_000 };
    const memory = (part: Rectangle) =>
      codec.memory({ header, page: 1, region: part, scaleFactor: 1 }, data.length);
    expect(memory(whole)).toBeGreaterThan(30_000 * 30_000);
    // The strip alone is 30000 * 30000 / 8 bytes, of which some rows are held at a time.
    expect(memory(region)).toBeLessThan(16 << 20);
  });

  test("a region of one uncompressed strip reads its rows only", async () => {
    const fields = plainFields(3000, 2000, 3, 8, 2);
    const strip = new Uint8Array(3000 * 2000 * 3).map((_, i) => (i * 31) >> 5);
    const source = counting(tiffFile([{ fields, blocks: [strip] }]));
    const header = await codec.probe(source, 1);
    const region = { x: 10, y: 1500, width: 40, height: 300 };
    const request = { header, page: 1, region, scaleFactor: 1 };
    const pixels = await codec.decode(source, request);
    const whole = { width: 3000, height: 2000, bands: 3, interpretation: "rgb", data: strip } as const;
    expect([...pixels.data]).toEqual(crop(whole, region));
    expect(source.total).toBeLessThan(300 * 9000 + 48 * 1024);
    expect(codec.memory(request, source.size ?? 0)).toBeLessThan(16 << 20);
  });

  test("memory counts the result and one tile for a tiled file", async () => {
    const data = fixture("tif-bigtiff-bigendian-tiled.tif");
    const header = await codec.probe(memoryBytes(data), 1);
    const region = { x: 0, y: 0, width: 128, height: 128 };
    const memory = codec.memory({ header, page: 1, region, scaleFactor: 1 }, data.length);
    expect(memory).toBeGreaterThan(2 * 128 * 128 * 3);
    expect(memory).toBeLessThan(16 << 20);
  });
});
