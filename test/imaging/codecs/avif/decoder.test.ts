// AVIF masters: headers against avifenc's options, pixels against libavif with dav1d, and libheif.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { embedInAvif } from "../../../../src/imaging/codecs/avif/describe.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { embedInJxl } from "../../../../src/imaging/codecs/jxl/container.ts";
import { createImaging } from "../../../../src/imaging/imaging.ts";
import { fixture, testHost } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { countingBytes, psnr } from "../counting.ts";
import { lentMemories } from "../lent-memories.ts";
import { avifdec } from "./avifdec.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("avif");
const png = codecs.decoder("png");
const hasTools = hasProgram("avifenc") && hasProgram("avifdec");

/** Returns the file that avifenc makes of a picture. */
function avifenc(input: Uint8Array, ...options: readonly string[]): Uint8Array {
  const from = input[0] === 0xff ? "in.jpg" : "in.png";
  return converted("avifenc", ["-s", "8", ...options, from, "out.avif"], { input, from, to: "out.avif" });
}

const wholeOf = ({ width, height }: ImageHeader) => ({ x: 0, y: 0, width, height });

async function decodeBy(decoder: typeof codec, file: Uint8Array, region?: ReturnType<typeof wholeOf>) {
  const header = await decoder.probe(memoryBytes(file), 1);
  const read = { header, page: 1, region: region ?? wholeOf(header), scaleFactor: 1 };
  return decoder.decode(memoryBytes(file), read);
}
const decode = (file: Uint8Array, region?: ReturnType<typeof wholeOf>) => decodeBy(codec, file, region);

/** Returns what we show: upright, in sRGB. */
async function shown(file: Uint8Array) {
  const master = await createImaging(testHost).open(file);
  return sharp((await master.derive({ format: "png" })).bytes)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
}

describe.skipIf(!hasTools)("an AVIF master", () => {
  test.each([
    ["base.png", [], { width: 600, height: 400, bands: 3, depth: 8, variant: "8 bit 4:4:4" }],
    ["base.png", ["-y", "420"], { variant: "8 bit 4:2:0" }],
    ["base.png", ["-y", "422"], { variant: "8 bit 4:2:2" }],
    ["base.png", ["-y", "400"], { bands: 1, interpretation: "gray", variant: "8 bit 4:0:0" }],
    ["png-rgba8.png", [], { bands: 4, depth: 8 }],
    ["png-rgba8.png", ["-y", "400"], { bands: 2, interpretation: "gray" }],
    ["base.png", ["-d", "10"], { depth: 16, variant: "10 bit 4:4:4" }],
    ["base.png", ["-d", "12"], { depth: 16, variant: "12 bit 4:4:4" }],
    ["base.png", ["--grid", "2x2"], { width: 600, height: 400, variant: "8 bit 4:4:4, grid of 4" }],
    ["png-rgba8.png", ["--grid", "2x2"], { bands: 4, variant: "8 bit 4:4:4, grid of 4" }],
    ["base.png", ["--cicp", "12/13/6"], { colour: { from: "cicp", codePoints: [12, 13], srgb: false } }],
    ["base.png", ["--cicp", "9/16/9", "-d", "10"], { colour: { codePoints: [9, 16] }, hdr: true }],
    ["png-rgb8-iccp-adobergb.png", [], { colour: { from: "icc", srgb: false } }],
    ["jpg-icc-displayp3-orient-6.jpg", [], { orientation: 6, colour: { from: "icc" } }],
  ])("%s by avifenc %j has the facts of its boxes after few bytes", async (name, options, facts) => {
    const bytes = countingBytes(avifenc(fixture(name), ...options));
    expect(await codec.probe(bytes, 1)).toMatchObject({ format: "avif", pages: 1, ...facts });
    expect(bytes.total()).toBeLessThan(24 * 1024);
  });

  test("says nothing of colours if they are sRGB", async () => {
    expect((await codec.probe(memoryBytes(avifenc(fixture("base.png"))), 1)).colour).toBeUndefined();
  });

  test.each([
    ["base.png", []],
    ["base.png", ["-y", "420"]],
    ["base.png", ["-y", "422"]],
    ["base.png", ["-y", "400"]],
    ["base.png", ["-d", "10"]],
    ["base.png", ["-d", "12"]],
    ["base.png", ["--grid", "2x2"]],
    ["base.png", ["-r", "limited"]],
    ["png-rgba8.png", []],
    ["png-rgba8.png", ["-p"]],
    ["png-rgb16.png", ["-d", "12"]],
    ["base.png", ["--lossless"]],
  ])("%s by avifenc %j has the samples that libavif and dav1d decode", async (name, options) => {
    const file = avifenc(fixture(name), ...options);
    const ours = await decode(file);
    const { data, bands } = await decodeBy(png, avifdec(file));
    const isDeep = ours.data instanceof Uint16Array;
    const count = ours.width * ours.height;
    const [found, expected]: [number[], number[]] = [[], []];
    for (let i = 0; i < count; i++)
      for (let band = 0; band < ours.bands; band++) {
        const isAlpha = ours.bands % 2 === 0 && band === ours.bands - 1;
        found.push(ours.data[i * ours.bands + band]!);
        const sample = data[i * bands + (isAlpha ? bands - 1 : band)]!;
        expected.push(isDeep ? sample : sample / 257);
      }
    // libyuv and libavif's own conversion round by up to two levels
    expect(psnr(found, expected, isDeep ? 65535 : 255)).toBeGreaterThan(options.includes("-p") ? 40 : 45);
  });

  test.each([
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => `jpg-orient-${orientation}.jpg`),
    "png-rgba8.png",
    "jpg-icc-displayp3-orient-6.jpg",
    "png-rgb8-iccp-adobergb.png",
  ])("%s is shown as libheif shows it", async (name) => {
    const file = avifenc(fixture(name));
    const [ours, expected] = [
      await shown(file),
      await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true }),
    ];
    expect([ours.info.width, ours.info.height]).toEqual([expected.info.width, expected.info.height]);
    const seen = (picture: typeof ours) =>
      sharp(picture.data, { raw: picture.info }).flatten().raw().toBuffer();
    expect(psnr(await seen(ours), await seen(expected))).toBeGreaterThan(40);
  });

  test("of Display P3 by code points is shown like one with the profile of Display P3", async () => {
    const source = fixture("jpg-icc-displayp3.jpg");
    const byProfile = await shown(avifenc(source, "--lossless"));
    const byCodes = await shown(avifenc(source, "--lossless", "--ignore-icc", "--cicp", "12/13/0"));
    expect(psnr(byCodes.data, byProfile.data)).toBeGreaterThan(45);
  });

  test("has its profile, EXIF and XMP", async () => {
    const exif = Buffer.from("MM\0*\0\0\0\x08\0\0\0\0\0\0", "latin1");
    const xmp = Buffer.from("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>");
    const pixels = await decode(avifenc(fixture("base.png")));
    const encoded = await codecs.encoder("avif").encode(pixels, {
      format: "avif",
      quality: 60,
      progressive: false,
      chroma: "444",
      encoder: "fast",
    });
    const ours = await embedInAvif(encoded, { exif, xmp });
    const { icc } = await sharp(fixture("jpg-icc-displayp3.jpg")).metadata();
    const theirs = avifenc(fixture("jpg-icc-displayp3.jpg"));
    const readAll = async (file: Uint8Array) =>
      codec.metadata?.read(memoryBytes(file), await codec.probe(memoryBytes(file), 1));
    const [own, foreign] = [await readAll(ours), await readAll(theirs)];
    expect(Buffer.from(own?.exif ?? []).equals(exif)).toBe(true);
    expect(Buffer.from(own?.xmp ?? []).equals(xmp)).toBe(true);
    expect(Buffer.from(foreign?.icc ?? []).equals(icc!)).toBe(true);
    expect((await decode(ours)).width).toBe(600);
  });

  test("has the same pixels in a part as in the whole", async () => {
    const file = avifenc(fixture("png-rgba8.png"), "-d", "10");
    const [whole, part] = [await decode(file), await decode(file, { x: 101, y: 53, width: 77, height: 90 })];
    for (const [x, y] of [
      [0, 0],
      [76, 89],
      [30, 64],
    ] as const)
      expect(part.data.slice((y * 77 + x) * 4, (y * 77 + x) * 4 + 4)).toEqual(
        whole.data.slice(((y + 53) * 600 + x + 101) * 4, ((y + 53) * 600 + x + 101) * 4 + 4),
      );
  });

  test("takes no more memory than is estimated", async () => {
    const picture = sharp(fixture("base.png")).resize(2400, 1600).png();
    const colour = new Uint8Array(await picture.toBuffer());
    const alpha = new Uint8Array(await picture.clone().ensureAlpha(0.5).toBuffer());
    const largest = lentMemories();
    for (const file of [
      avifenc(colour, "-s", "10"),
      avifenc(colour, "-s", "10", "-d", "12"),
      avifenc(alpha, "-s", "10"),
      avifenc(alpha, "-s", "10", "-d", "12"),
      avifenc(colour, "-s", "10", "--grid", "2x2"),
    ]) {
      const header = await codec.probe(memoryBytes(file), 1);
      await decode(file); // fails if the memory that it is lent is too small
      const read = { header, page: 1, region: wholeOf(header), scaleFactor: 1 };
      const [used, estimate] = [largest(), codec.memory(read, file.length)];
      expect(used).toBeGreaterThan(2 ** 24);
      expect(estimate).toBeLessThan(3 * used);
    }
  });
});

test("a gain map is a fact of AVIF and of JPEG XL", async () => {
  const plain = heif("avif", "av01", [64, 64]);
  const withMap = heif("avif", "av01", [64, 64], "tmap");
  expect((await codec.probe(memoryBytes(plain), 1)).gainMap).toBeUndefined();
  expect((await codec.probe(memoryBytes(withMap), 1)).gainMap).toBe(true);
  const gray = { width: 8, height: 8, bands: 1, interpretation: "gray", data: new Uint8Array(64) } as const;
  const jxl = await codecs.encoder("jxl").encode(gray, {
    format: "jxl",
    quality: 80,
    progressive: false,
    chroma: "420",
    encoder: "fast",
  });
  const boxed = await embedInJxl(jxl, { xmp: Buffer.from("<x/>") });
  const jhgm = Buffer.concat([boxed, Buffer.from("\0\0\0\x0cjhgm\0\0\0\0", "latin1")]);
  expect((await codecs.decoder("jxl").probe(memoryBytes(boxed), 1)).gainMap).toBeUndefined();
  expect((await codecs.decoder("jxl").probe(memoryBytes(jhgm), 1)).gainMap).toBe(true);
});

/** A HEIF file of one item without data, of this type and size. */
function heif(
  brand: string,
  type: string,
  [width, height]: readonly [number, number],
  more = "",
): Uint8Array {
  const u32 = (value: number) => [value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255);
  const box = (name: string, ...content: (number[] | string)[]): number[] => {
    const body = content.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part)] : part));
    return [...u32(8 + body.length), ...Buffer.from(name), ...body];
  };
  const infe = (item: number, kind: string) => box("infe", [2, 0, 0, 0, 0, item, 0, 0], `${kind}\0`);
  const entries = [...infe(1, type), ...(more ? infe(2, more) : [])];
  const properties = [...box("ispe", u32(0), u32(width), u32(height)), ...box("av1C", [0x81, 0, 0x0c, 0])];
  const ipma = box("ipma", u32(0), u32(1), [0, 1, 2, 1, 2]);
  const meta = box(
    "meta",
    u32(0),
    box("pitm", u32(0), [0, 1]),
    box("iinf", u32(0), [0, more ? 2 : 1], entries),
    box("iprp", box("ipco", properties), ipma),
  );
  return Uint8Array.from([...box("ftyp", brand, u32(0), brand), ...meta, ...box("mdat", [0, 0])]);
}

describe("an AVIF file that is not sound", () => {
  test.skipIf(!hasTools)("is refused as damaged if it is cut, and a sound one decodes after it", async () => {
    const sound = avifenc(fixture("base.png"));
    for (const length of [16, 100, 400, sound.length - 3000])
      await expect(decode(sound.subarray(0, length)), `${length}`).rejects.toSatisfy(
        (error) => error instanceof ImagingError && error.kind === "decode",
      );
    expect((await decode(sound)).width).toBe(600);
  });

  test("of a gigapixel in few bytes is refused before it is decoded", async () => {
    const file = heif("avif", "av01", [32_000, 32_000]);
    expect(file.length).toBeLessThan(300);
    const header = await codec.probe(memoryBytes(file), 1);
    expect(header).toMatchObject({ width: 32_000, unsupported: expect.stringContaining("32000x32000") });
    await expect(decode(file)).rejects.toMatchObject({ kind: "unsupported" });
  });

  test("of a size that only its header has takes the memory of what it is estimated for", async () => {
    const file = heif("avif", "av01", [4000, 4000]);
    const largest = lentMemories();
    await expect(decode(file, { x: 0, y: 0, width: 8, height: 8 })).rejects.toMatchObject({ kind: "decode" });
    expect(largest()).toBeLessThan(2 ** 25);
  });

  test.each(["iinf", "av1C", "ispe", "pitm", "ipma"])("is damaged if its box %s is empty", async (name) => {
    const file = heif("avif", "av01", [64, 64]);
    const at = Buffer.from(file).indexOf(name) - 4;
    const length = new DataView(file.buffer).getUint32(at);
    new DataView(file.buffer).setUint32(at, 8);
    // the rest of it becomes a box of its own
    if (length >= 16) new DataView(file.buffer).setUint32(at + 8, length - 8);
    await expect(codec.probe(memoryBytes(file), 1)).rejects.toMatchObject({ kind: "decode" });
  });

  test.each([
    ["heic", "hvc1", /HEIC: .* HEVC/],
    ["mif1", "jpeg", /HEIF file with JPEG/],
    ["mif1", "unci", /HEIF file of a kind/],
  ])("of the brand %s with %s is refused by name", async (brand, type, reason) => {
    const file = heif(brand, type, [64, 64]);
    const decoder = codecs.recognise(file.subarray(0, 64));
    const header = await decoder!.probe(memoryBytes(file), 1);
    expect(header.unsupported).toMatch(reason);
    expect(header.unsupported).toMatch(/Convert it to AVIF, JPEG or TIFF/);
  });
});
