// Metadata of PNG files: read as other writers leave them, and read back by ExifTool (PNG specification 11.3;
// XMP part 3).

import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { readJpegMetadata } from "../../../../src/imaging/codecs/jpg/markers/metadata.ts";
import { pngEmbedder, readPngMetadata } from "../../../../src/imaging/codecs/png/metadata.ts";
import { fixture, testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { blockOf, hasExifTool, same, tagsOf, withTags } from "../../metadata/exiftool.ts";
import { makePng } from "./make-png.ts";

const read = (file: Uint8Array) => readPngMetadata(memoryBytes(file));
const embed = pngEmbedder(testHost);
const tagged = fixture("jpg-exif-xmp-iptc-gps.jpg");
const plain = fixture("base.png");

/** A small picture with chunks in front of it. */
const withChunks = (...before: (readonly [string, Uint8Array])[]) =>
  makePng({ width: 3, height: 2, depth: 8, type: 2, sample: () => 9, before });
const text = (...parts: (string | Uint8Array)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string, "latin1"))));

describe.skipIf(!hasExifTool)("reading", () => {
  test("returns the profile, EXIF, XMP and IPTC that ExifTool wrote, also after the picture", async () => {
    const [file] = Object.values(
      withTags({ "a.png": fixture("png-rgb8-iccp-adobergb.png") }, [
        "-Artist=Ann",
        "-GPSLatitude=48.2",
        "-XMP-dc:Title=t",
        "-IPTC:Headline=h",
      ]),
    );
    const blocks = await read(file!);
    for (const [kind, tag] of Object.entries({ icc: "icc_profile", exif: "exif", xmp: "xmp", iptc: "iptc" }))
      expect(same(blocks[kind as "icc"]!, blockOf(file!, "a.png", `-${tag}`))).toBe(true);
    expect(Object.keys(await readPngMetadata(memoryBytes(file!), "icc"))).toEqual(["icc"]);
  });

  test("returns what ImageMagick stores as texts of hexadecimal digits", async () => {
    const png = execFileSync("convert", ["jpg:-", "png:-"], { input: tagged, maxBuffer: 2 ** 26 });
    for (const kind of ["iptc", "8bim", "xmp"]) expect(png.includes(`Raw profile type ${kind}`)).toBe(true);
    const expected = await readJpegMetadata(memoryBytes(tagged));
    const { iptc, xmp } = await read(png);
    expect(same(iptc, expected.iptc)).toBe(true);
    expect(same(xmp, expected.xmp)).toBe(true);
  });

  test.each(["exif", "APP1"])(
    "returns EXIF from a text of type %s, as older writers store it",
    async (type) => {
      const { exif } = await readJpegMetadata(memoryBytes(tagged));
      const data = Buffer.concat([Buffer.from("Exif\0\0"), exif!]);
      const lines = data
        .toString("hex")
        .match(/.{1,72}/g)!
        .join("\n");
      const content = `\ngeneric profile\n${String(data.length).padStart(8)}\n${lines}\n`;
      const keyword = `Raw profile type ${type}\0`;
      for (const chunk of [
        ["tEXt", text(keyword, content)],
        ["zTXt", text(keyword, "\0", deflateSync(Buffer.from(content)))],
      ] as const)
        expect(same((await read(withChunks(chunk))).exif, exif)).toBe(true);
    },
  );

  test("takes nothing that inflates to more than 16 MiB or is broken", async () => {
    const bomb = deflateSync(Buffer.alloc(64 << 20));
    const xmp = text("XML:com.adobe.xmp\0\x01\0\0\0", bomb);
    expect(await read(withChunks(["iTXt", xmp], ["iCCP", text("p\0\0", bomb)]))).toEqual({});
    expect(await read(fixture("bomb-itxt-64M.png"))).toEqual({});
    const half = text("p\0\0", deflateSync(Buffer.alloc(3000)).subarray(0, 12));
    expect(await read(withChunks(["iCCP", half], ["zTXt", text("Raw profile type exif\0\0", half)]))).toEqual(
      {},
    );
  });

  test("never throws for damaged files", async () => {
    const file = await embed(plain, await readJpegMetadata(memoryBytes(tagged)));
    const below = seeded(3);
    for (let n = 0; n < 200; n++) {
      const damaged = file.slice(0, n % 3 === 0 ? 8 + below(file.length) : 8000);
      for (let k = 0; k < 6; k++) damaged[8 + below(5000)] = below(256);
      await read(damaged);
    }
  });
});

describe.skipIf(!hasExifTool)("writing", () => {
  test("puts chunks before the picture where ExifTool reads them, and leaves the picture unchanged", async () => {
    const { exif, xmp, iptc } = await readJpegMetadata(memoryBytes(tagged));
    const { icc } = await read(fixture("png-rgb8-iccp-adobergb.png"));
    const file = await embed(plain, { exif, xmp, iptc, icc });
    const tags = tagsOf({ "a.png": file, "b.jpg": tagged });
    const carried = Object.entries(tags["b.jpg"]!).filter(([name]) =>
      /^(IFD0|ExifIFD|GPS|IPTC|XMP)/.test(name),
    );
    expect(carried.length).toBeGreaterThan(15);
    expect(tags["a.png"]).toMatchObject(Object.fromEntries(carried));
    expect(tags["a.png"]).not.toHaveProperty("ExifTool:Warning");
    expect(same(blockOf(file, "a.png", "-icc_profile"), icc!)).toBe(true);
    expect(
      same(await sharp(file, { ignoreIcc: true }).raw().toBuffer(), await sharp(plain).raw().toBuffer()),
    ).toBe(true);
    expect(await read(file)).toEqual({ exif, xmp, iptc, icc });
  });

  test("replaces a profile instead of adding one", async () => {
    const { icc } = await readJpegMetadata(memoryBytes(fixture("jpg-icc-displayp3.jpg")));
    const file = await embed(fixture("png-rgb8-iccp-adobergb.png"), { icc });
    expect(Buffer.from(file).toString("latin1").split("iCCP").length).toBe(2);
    expect((await read(file)).icc).toEqual(icc);
  });
});
