// WebP: headers against the fixtures' facts, pixels against sharp.

import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { EncodeOptions } from "../../../../src/imaging/codecs/plan.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import { countingBytes, psnr } from "../counting.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("webp");
const encoder = codecs.encoder("webp");
const sound = expectedRows().filter(({ file = "" }) => file.startsWith("webp-"));
const options: EncodeOptions = {
  format: "webp",
  quality: 80,
  progressive: false,
  chroma: "420",
  encoder: "fast",
};

const whole = (header: ImageHeader) => ({ x: 0, y: 0, width: header.width, height: header.height });

async function decode(file: Uint8Array, page = 1, region?: ReturnType<typeof whole>): Promise<PixelBuffer> {
  const header = await codec.probe(memoryBytes(file), page);
  return codec.decode(memoryBytes(file), { header, page, region: region ?? whole(header), scaleFactor: 1 });
}

async function raw(file: Uint8Array, page = 0): Promise<Uint8Array> {
  return new Uint8Array(await sharp(file, { page }).raw().toBuffer());
}

describe("webp header", () => {
  it.each(sound)("has size, bands, orientation and frames of $file after reading few bytes", async (row) => {
    const bytes = countingBytes(fixture(row.file as string));
    const header = await codec.probe(bytes, 1);
    expect(header).toMatchObject({
      width: Number(row.width),
      height: Number(row.height),
      bands: Number(row.bands),
      depth: 8,
      orientation: Number(row.orientation || 1),
      pages: Number(row.frames || 1),
    });
    expect(bytes.total()).toBeLessThanOrEqual(8 * 1024);
  });

  it("sees an ICC profile and the lossless kind", async () => {
    const picture = sharp(fixture("base.png")).resize(60, 40);
    const file = new Uint8Array(await picture.withIccProfile("p3").webp({ lossless: true }).toBuffer());
    const header = await codec.probe(memoryBytes(file), 1);
    expect(header).toMatchObject({ variant: "lossless", bands: 3, width: 60, height: 40 });
    expect(header.colour).toEqual({ from: "icc", srgb: false });
    const plain = await codec.probe(memoryBytes(fixture("webp-lossy.webp")), 1);
    expect(plain.variant).toBe("lossy");
    expect(plain.colour).toBeUndefined();
  });

  it("refuses a frame that is not there as page_not_found", async () => {
    await expect(codec.probe(memoryBytes(fixture("webp-animated-4.webp")), 5)).rejects.toMatchObject({
      kind: "not-found",
      code: "page_not_found",
    });
  });

  it("stays within 256 KiB and ends when an animation claims endless frames", async () => {
    const frames = 20000;
    const file = new Uint8Array(30 + frames * 24);
    const view = new DataView(file.buffer);
    const word = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
    word(0, "RIFF");
    view.setUint32(4, file.length - 8, true);
    word(8, "WEBPVP8X");
    view.setUint32(16, 10, true);
    view.setUint8(20, 2);
    for (let n = 0; n < frames; n++) {
      word(30 + n * 24, "ANMF");
      view.setUint32(34 + n * 24, 16, true);
    }
    const bytes = countingBytes(file);
    const header = await codec.probe(bytes, 1);
    expect(header.pages).toBeGreaterThan(1000);
    expect(bytes.total()).toBeLessThanOrEqual(256 * 1024);
    await expect(
      codec.decode(memoryBytes(file), {
        header,
        page: 1,
        region: { x: 0, y: 0, width: 1, height: 1 },
        scaleFactor: 1,
      }),
    ).rejects.toMatchObject({ kind: "decode" });
  });
});

describe("webp pixels", () => {
  it.each(sound.filter((row) => row.frames === "1"))("equal sharp's for $file", async ({ file = "" }) => {
    const pixels = await decode(fixture(file));
    const want = await raw(fixture(file));
    expect(pixels.data.length).toBe(want.length);
    expect(psnr(pixels.data, want)).toBeGreaterThan(50);
  });

  it("equal the source exactly for a lossless picture with alpha", async () => {
    const pixels = await decode(fixture("webp-lossless-alpha.webp"));
    expect(pixels).toMatchObject({ width: 600, height: 400, bands: 4, interpretation: "rgb" });
    expect(Buffer.compare(pixels.data as Uint8Array, await raw(fixture("png-rgba8.png")))).toBe(0);
  });

  it.each([1, 2, 3, 4])("equal sharp's for frame %i of an animation", async (page) => {
    const pixels = await decode(fixture("webp-animated-4.webp"), page);
    expect(pixels).toMatchObject({ width: 150, height: 100, bands: 3 });
    expect(psnr(pixels.data, await raw(fixture("webp-animated-4.webp"), page - 1))).toBeGreaterThan(50);
  });

  it("compose frames of an animation with partial, transparent updates as sharp does", async () => {
    const file = new Uint8Array(
      await sharp(fixture("gif-animated-4.gif"), { animated: true })
        .webp({ lossless: true, mixed: false, minSize: true })
        .toBuffer(),
    );
    const { pages } = await codec.probe(memoryBytes(file), 1);
    expect(pages).toBe(4);
    for (let page = 1; page <= pages; page++) {
      const { data, bands } = await decode(file, page);
      const picture = sharp(file, { page: page - 1 });
      const want = await (bands === 3 ? picture.removeAlpha() : picture.ensureAlpha()).raw().toBuffer();
      expect(psnr(data, want)).toBeGreaterThan(50);
    }
  });

  it("of a region equal the crop of the whole", async () => {
    for (const name of ["webp-lossy.webp", "webp-lossy-alpha.webp"]) {
      const all = await decode(fixture(name));
      const region = { x: 37, y: 51, width: 100, height: 83 };
      const part = await decode(fixture(name), 1, region);
      const want = await sharp(all.data, {
        raw: { width: all.width, height: all.height, channels: all.bands as 3 | 4 },
      })
        .extract({ left: 37, top: 51, width: 100, height: 83 })
        .raw()
        .toBuffer();
      expect(Buffer.compare(part.data as Uint8Array, want)).toBe(0);
    }
  });
});

describe("damaged webp", () => {
  const cut = (length: number) => fixture("webp-lossy.webp").subarray(0, length);
  const flipped = fixture("webp-lossy.webp").map((byte, i) => (i > 30 && i < 400 ? byte ^ 0xff : byte));
  it.each([
    ["bad-trunc-50.webp", fixture("bad-trunc-50.webp")],
    ["a header cut short", cut(18)],
    ["a body cut short", cut(4000)],
    ["broken partitions", flipped],
  ])("is refused (%s), and a sound file decodes after it", async (_, file) => {
    await expect(decode(file)).rejects.toSatisfy(
      (error) => error instanceof ImagingError && error.kind === "decode",
    );
    expect((await decode(fixture("webp-lossy.webp"))).width).toBe(600);
  });
});

describe("webp output", () => {
  it.each([1, 2, 3, 4] as const)("keeps the colours and the exact alpha of %i bands", async (bands) => {
    const rgba = await raw(fixture("png-rgba8.png"));
    const from = { 1: [1], 2: [1, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3] }[bands];
    const data = new Uint8Array(240000 * bands).map((_, i) => {
      return rgba[Math.floor(i / bands) * 4 + (from[i % bands] as number)] as number;
    });
    const interpretation = bands < 3 ? "gray" : "rgb";
    const encoded = await encoder.encode({ width: 600, height: 400, bands, interpretation, data }, options);
    const read = sharp(encoded as Uint8Array);
    expect(await read.metadata()).toMatchObject({
      format: "webp",
      width: 600,
      height: 400,
      hasAlpha: bands % 2 === 0,
    });
    const back = await read.ensureAlpha().raw().toBuffer();
    const green = { got: [] as number[], want: [] as number[] };
    let alphaKept = true;
    for (let i = 0; i < 240000; i++) {
      const alpha = bands % 2 ? 255 : (rgba[4 * i + 3] as number);
      alphaKept &&= back[4 * i + 3] === alpha;
      if (alpha === 0) continue; // colour under full transparency is not preserved
      green.got.push(back[4 * i + 1] as number);
      green.want.push(rgba[4 * i + 1] as number);
    }
    expect(alphaKept).toBe(true);
    expect(psnr(green.got, green.want)).toBeGreaterThan(30);
  });

  it("uses no alpha chunk for an opaque picture, and is as large as libwebp's in sharp", async () => {
    const { data, info } = await sharp(fixture("base.png"))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixels = { ...info, bands: 4, interpretation: "rgb", data: new Uint8Array(data) } as const;
    const encoded = await encoder.encode(pixels, options);
    expect(new TextDecoder().decode(encoded.subarray(8, 16))).toBe("WEBPVP8 ");
    const peer = await sharp(fixture("base.png")).webp({ quality: 80 }).toBuffer();
    expect(Math.abs(encoded.length / peer.length - 1)).toBeLessThan(0.02);
  });

  it("refuses a side over 16383 pixels", async () => {
    const pixels = {
      width: 16384,
      height: 1,
      bands: 1,
      interpretation: "gray",
      data: new Uint8Array(16384),
    } as const;
    await expect(encoder.encode(pixels, options)).rejects.toMatchObject({ kind: "encode" });
  });
});
