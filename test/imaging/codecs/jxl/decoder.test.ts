// JPEG XL masters: headers and pixels against libjxl, profiles against those that were put in.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { BitWriter } from "../../../../src/imaging/codecs/jxl/bits.ts";
import { embedInJxl } from "../../../../src/imaging/codecs/jxl/container.ts";
import { readJxlHeader } from "../../../../src/imaging/codecs/jxl/header.ts";
import { createImaging } from "../../../../src/imaging/imaging.ts";
import { grain } from "../../../grain.ts";
import { fixture, testHost } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { exifBlock } from "../../orientations.ts";
import { countingBytes, psnr } from "../counting.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jxl");
const png = codecs.decoder("png");
const hasTools = hasProgram("djxl");

/** Returns the file that cjxl makes of a picture. */
const cjxl = (input: Uint8Array, ...options: readonly string[]): Uint8Array => {
  const kind = input[0] === 0xff ? "jpg" : input[0] === 0x47 ? "gif" : "png";
  return converted("cjxl", [`in.${kind}`, "out.jxl", ...options], {
    input,
    from: `in.${kind}`,
    to: "out.jxl",
  });
};

/** Returns what djxl shows, upright, in sRGB by libvips. */
async function shownByLibjxl(jxl: Uint8Array) {
  const png = converted("djxl", ["in.jxl", "out.png"], { input: jxl, from: "in.jxl", to: "out.png" });
  return sharp(png).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
}

async function decode(file: Uint8Array, region?: ReturnType<typeof wholeOf>) {
  const header = await codec.probe(memoryBytes(file), 1);
  return codec.decode(memoryBytes(file), {
    header,
    page: 1,
    region: region ?? wholeOf(header),
    scaleFactor: 1,
  });
}
const wholeOf = ({ width, height }: ImageHeader) => ({ x: 0, y: 0, width, height });

/** Returns what we show: upright, in sRGB. */
async function shown(file: Uint8Array) {
  const master = await createImaging(testHost).open(file);
  const { bytes } = await master.derive({ format: "png" });
  return sharp(bytes).toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
}

describe.skipIf(!hasTools)("a JPEG XL master", () => {
  const lossless = ["-d", "0", "-e", "3"];

  test("regions of a picture with noise, which the decoder adds, are those of the whole", async () => {
    const [width, height] = [1800, 1200];
    const picture = await sharp(fixture("base.png")).resize(width, height).png().toBuffer();
    const file = cjxl(picture, "--photon_noise=ISO6400");
    const whole = await decode(file);
    for (const region of [{ x: 300, y: 200, width: 200, height: 150 }]) {
      const { data } = await decode(file, region);
      const { data: expected } = await sharp(whole.data, { raw: { width, height, channels: 3 } })
        .extract({ left: region.x, top: region.y, width: region.width, height: region.height })
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect(Buffer.from(data).equals(expected)).toBe(true);
    }
  });

  test.each([
    ["jpg-gray.jpg", [], { width: 600, height: 400, bands: 1, depth: 8, variant: "recoded JPEG, 8 bit" }],
    ["jpg-orient-6.jpg", [], { width: 200, height: 300, bands: 3, orientation: 6 }],
    ["base.png", [], { bands: 3, depth: 8, interpretation: "rgb", variant: "XYB, 8 bit" }],
    ["png-rgba8.png", lossless, { bands: 4, depth: 8, variant: "original colours, 8 bit" }],
    ["png-la8.png", [], { bands: 2, depth: 8, interpretation: "gray" }],
    ["png-rgba16.png", lossless, { bands: 4, depth: 16 }],
    ["gif-animated-4.gif", [], { width: 150, height: 100, pages: 1, bands: 4 }],
    ["png-rgb8-iccp-adobergb.png", lossless, { depth: 8, colour: { from: "icc", srgb: false } }],
    // more colours than sRGB has: of these, samples of 16 bits in BT.2020
    [
      "png-rgb8-iccp-adobergb.png",
      [],
      { depth: 16, colour: { from: "cicp", srgb: false, codePoints: [9, 13] } },
    ],
    ["base.png", ["-x", "color_space=RGB_D65_DCI_Rel_SRG", "-d", "0"], { colour: { codePoints: [12, 13] } }],
    ["base.png", ["-x", "color_space=RGB_D65_202_Rel_PeQ"], { hdr: true, depth: 8 }],
    [
      "base.png",
      ["-x", "color_space=RGB_D65_202_Rel_HLG", "-d", "0"],
      { hdr: true, colour: { codePoints: [9, 18] } },
    ],
    [
      "base.png",
      ["-x", "color_space=RGB_D65_SRG_Rel_g0.5", "-d", "0"],
      { colour: { from: "chunks", gamma: 0.5 } },
    ],
  ])("%s by cjxl %j has the facts of its headers after few bytes", async (name, options, facts) => {
    const bytes = countingBytes(cjxl(fixture(name), ...options));
    expect(await codec.probe(bytes, 1)).toMatchObject({ format: "jxl", ...facts });
    expect(bytes.total()).toBeLessThan(16 * 1024);
  });

  test.each([
    ["base.png", lossless],
    ["png-rgba8.png", lossless],
    ["png-la8.png", lossless],
    ["png-gray16.png", lossless],
    ["png-rgb16.png", lossless],
    ["png-rgb8-iccp-adobergb.png", lossless],
    ["png-rgb8-iccp-adobergb.png", ["-d", "0", "-e", "7"]],
  ])("%s without loss (%j) has its samples", async (name, options) => {
    const { data } = await decode(cjxl(fixture(name), ...options));
    const bytes = memoryBytes(fixture(name));
    const header = await png.probe(bytes, 1);
    const stored = await png.decode(bytes, { header, page: 1, region: wholeOf(header), scaleFactor: 1 });
    expect(data.BYTES_PER_ELEMENT).toBe(stored.data.BYTES_PER_ELEMENT);
    expect(data.length).toBe(stored.data.length);
    expect(data.every((value, i) => value === stored.data[i])).toBe(true);
  });

  test.each([
    ["base.png", []],
    ["base.png", ["-d", "3", "-p"]],
    ["base.png", ["-m", "1", "-d", "1"]],
    ["png-rgba8.png", []],
    ["png-la8.png", []],
    ["jpg-baseline-422.jpg", []],
    ["jpg-gray-icc.jpg", []],
    ["jpg-icc-displayp3-orient-6.jpg", []],
    ["png-rgb8-iccp-adobergb.png", []],
    ["png-rgb8-iccp-adobergb.png", lossless],
    ["gif-animated-4.gif", []],
    ["base.png", ["-x", "color_space=RGB_D65_DCI_Rel_SRG"]],
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => [`jpg-orient-${orientation}.jpg`, []] as const),
  ] as const)("%s (%j) is shown as libjxl shows it", async (name, options) => {
    const file = cjxl(fixture(name), ...options);
    const [ours, expected] = [await shown(file), await shownByLibjxl(file)];
    expect([ours.info.width, ours.info.height]).toEqual([expected.info.width, expected.info.height]);
    const rgb = (picture: typeof ours) =>
      sharp(picture.data, { raw: picture.info }).flatten().toColourspace("srgb").raw().toBuffer();
    expect(psnr(await rgb(ours), await rgb(expected))).toBeGreaterThan(42);
  });

  test("of high dynamic range is as bright in the shadows as the standard says", async () => {
    // The samples of the picture are taken for PQ: 97 is 26 cd/m2 (ITU-R BT.2408, table 1).
    const gray = sharp({
      create: { width: 64, height: 64, channels: 3, background: { r: 97, g: 97, b: 97 } },
    });
    const file = cjxl(
      new Uint8Array(await gray.png().toBuffer()),
      ...["-x", "color_space=RGB_D65_202_Rel_PeQ", "-d", "0"],
    );
    const { data } = await shown(file);
    const expected = 255 * (1.055 * (26 / 203) ** (1 / 2.4) - 0.055);
    expect(Math.abs(data[0]! - expected)).toBeLessThanOrEqual(1);
  });

  test("has the same pixels in a part as in the whole, in blocks and without", async () => {
    const picture = new Uint8Array(await grain(700, 1100, 30).png().toBuffer());
    for (const options of [["-e", "3"], lossless]) {
      const file = cjxl(picture, ...options);
      const whole = await decode(file);
      const region = { x: 123, y: 401, width: 333, height: 555 };
      const part = await decode(file, region);
      const { data, width, height, bands } = whole;
      const expected = await sharp(data as Uint8Array, { raw: { width, height, channels: bands as 3 } })
        .extract({ left: region.x, top: region.y, width: region.width, height: region.height })
        .raw()
        .toBuffer();
      expect(Buffer.compare(part.data as Uint8Array, expected)).toBe(0);
    }
  });

  test.each([
    "jpg-icc-displayp3.jpg",
    "jpg-gray-icc.jpg",
    "png-rgb8-iccp-adobergb.png",
    "jpg-icc-adobergb.jpg",
  ])("has the profile of %s, byte for byte", async (name) => {
    const file = cjxl(fixture(name), ...(name.endsWith("png") ? lossless : []));
    const header = await codec.probe(memoryBytes(file), 1);
    const { icc } = (await codec.metadata?.read(memoryBytes(file), header)) ?? {};
    expect(Buffer.from(icc ?? []).equals((await sharp(fixture(name)).metadata()).icc!)).toBe(true);
  });

  test("has EXIF and XMP of boxes that are not compressed", async () => {
    const [exif, xmp] = [exifBlock(1), Buffer.from("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")];
    const file = await embedInJxl(cjxl(fixture("base.png")), { exif, xmp });
    const header = await codec.probe(memoryBytes(file), 1);
    const found = (await codec.metadata?.read(memoryBytes(file), header)) ?? {};
    expect(Buffer.from(found.exif ?? []).equals(exif)).toBe(true);
    expect(Buffer.from(found.xmp ?? []).equals(xmp)).toBe(true);
    expect((await decode(file)).width).toBe(600);
  });

  test("whose profile is coded by prefix codes has it, as djxl confirms", async () => {
    const source = cjxl(fixture("png-rgb8-iccp-adobergb.png"), ...lossless);
    const { icc, stream, length } = await readJxlHeader(memoryBytes(source));
    const file = withPrefixCodes(source, icc!, stream.end, length);
    const found = await readJxlHeader(memoryBytes(file));
    expect(Buffer.compare(found.icc!, icc!)).toBe(0);
    expect((await shownByLibjxl(file)).data.equals((await shownByLibjxl(source)).data)).toBe(true);
  });

  test("whose profile has a platform with the name of a member of all objects is read", async () => {
    const source = cjxl(fixture("png-rgb8-iccp-adobergb.png"), ...lossless);
    const { icc, stream, length } = await readJxlHeader(memoryBytes(source));
    const odd = icc!.slice();
    odd.set(Buffer.from("constructor"), 40);
    const found = await readJxlHeader(memoryBytes(withPrefixCodes(source, odd, stream.end, length)));
    expect(Buffer.from(found.icc!).equals(odd)).toBe(true);
  });
});

/**
 * Returns a codestream with its profile written in plain bytes, by a prefix code of eight bits for each
 * (ISO/IEC 18181-1, C.2 and E.4).
 */
function withPrefixCodes(source: Uint8Array, icc: Uint8Array, end: number, length: number): Uint8Array {
  const bits = new BitWriter();
  for (let at = 0; at < end; at++) bits.put((source[at >> 3]! >> (at & 7)) & 1, 1);
  const number = (value: number) => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
  // no table of tags, then one command: all bytes behind the header as they are
  const commands = [0, 1, ...number(icc.length - 128)];
  const usual = new Uint8Array(128);
  usual.set([icc.length >> 24, icc.length >> 16, icc.length >> 8, icc.length]);
  usual[8] = 4;
  usual.set(Buffer.from("mntrRGB XYZ "), 12);
  usual.set(Buffer.from("acsp"), 36);
  if (icc[40] === 0x4d) usual.set(Buffer.from("SFT"), 41); // behind the M of this profile
  usual.set([246, 214, 0, 1], 70);
  usual.set([211, 45], 78);
  usual.set(icc.subarray(4, 8), 80);
  const header = [...icc.subarray(0, 128)].map((byte, i) => (byte - usual[i]!) & 255);
  const coded = [
    ...number(icc.length),
    ...number(commands.length),
    ...commands,
    ...header,
    ...icc.subarray(128),
  ];
  bits.put(3, 2); // its size in twelve bits
  bits.put(coded.length, 12);
  bits.put(0, 1);
  bits.put(0, 1); // no repetitions
  bits.put(1, 1);
  bits.put(0, 2); // all contexts in one cluster
  bits.put(1, 1); // a prefix code
  bits.put(15, 4); // integers up to 2^15 are symbols
  bits.put(1, 1);
  bits.put(7, 4);
  bits.put(127, 7); // of 256 symbols
  bits.put(0, 2); // in the long form: all lengths are 8
  for (const symbol of [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    if (symbol === 8) bits.put(1, 2);
    else bits.put(0, 2);
  for (const byte of coded) for (let bit = 7; bit >= 0; bit--) bits.put((byte >> bit) & 1, 1);
  bits.align();
  return new Uint8Array([...bits.bytes(), ...source.subarray(length)]);
}

describe("a JPEG XL file that is not sound", () => {
  test.skipIf(!hasTools)("is refused as damaged if it is cut, and a sound one decodes after it", async () => {
    const sound = cjxl(fixture("base.png"));
    for (const length of [13, 40, 500, sound.length - 200])
      await expect(decode(sound.subarray(0, length)), `${length}`).rejects.toSatisfy(
        (error) => error instanceof ImagingError && error.kind === "decode",
      );
    expect((await decode(sound)).width).toBe(600);
  });

  test("of a gigapixel in few bytes is estimated to need more memory than there is", async () => {
    const bits = new BitWriter();
    bits.put(0x0aff, 16);
    bits.put(0, 1);
    for (let i = 0; i < 2; i++) {
      if (i === 1) bits.put(0, 3);
      bits.put(2, 2);
      bits.put(32_767, 18);
    }
    bits.put(1, 1);
    bits.put(1, 1);
    bits.align();
    const file = new Uint8Array([...bits.bytes(), ...new Uint8Array(180)]);
    const header = await codec.probe(memoryBytes(file), 1);
    expect(header).toMatchObject({ width: 32_768, height: 32_768 });
    const read = { header, page: 1, region: wholeOf(header), scaleFactor: 1 };
    expect(codec.memory(read, file.length)).toBeGreaterThan(2 ** 30);
    await expect(decode(file, { x: 0, y: 0, width: 8, height: 8 })).rejects.toMatchObject({ kind: "decode" });
  });

  test("has no page but the first", async () => {
    await expect(codec.probe(memoryBytes(fixture("base.png")), 2)).rejects.toMatchObject({
      code: "page_not_found",
    });
  });
});
