// Metadata of the containers with similar readers and writers: TIFF, WebP, JPEG 2000 and GIF, compared with
// ExifTool.
// @module-tag slow

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../src/imaging/codecs/index.ts";
import type { Metadata } from "../../../src/imaging/metadata/metadata.ts";
import { fixture, testHost } from "../../host.ts";
import { seeded } from "../../seeded.ts";
import { blockOf, hasExifTool, same, type Tags, tagsOf, withTags } from "./exiftool.ts";

const codecs = createCodecs(testHost);

async function read(file: Uint8Array): Promise<Metadata> {
  const codec = codecs.recognise(file.subarray(0, 64))!;
  const bytes = memoryBytes(file);
  return codec.metadata!.read(bytes, await codec.probe(bytes, 1));
}

const embed = (format: "tif" | "webp" | "jp2", file: Uint8Array, blocks: Metadata) =>
  codecs.encoder(format).embed(file, blocks);

const tagged = fixture("jpg-exif-xmp-iptc-gps.jpg");
const p3 = async () => (await read(fixture("jpg-icc-displayp3.jpg"))).icc!;

/** Tags of the given groups. */
const groups = (tags: Tags, pattern: RegExp) =>
  Object.fromEntries(Object.entries(tags).filter(([name]) => pattern.test(name)));

const written = [
  "-Artist=Ann",
  "-ImageDescription=a picture",
  "-GPSLatitude=48.2",
  "-GPSLatitudeRef=N",
  "-ExposureTime=0.01",
  "-LensInfo=24 70 2.8 4",
  "-XMP-dc:Title=Prüfbild",
  "-IPTC:Headline=h",
  "-IPTC:Keywords=one",
];

describe.skipIf(!hasExifTool)("reading", () => {
  test.each([
    ["tif-strip-none.tif", /^(IFD0:(Artist|ImageDesc)|ExifIFD|GPS)/],
    ["tif-strip-none-bigendian.tif", /^(IFD0:(Artist|ImageDesc)|ExifIFD|GPS)/],
    ["webp-lossy.webp", /^(IFD0|ExifIFD|GPS)/],
    ["webp-lossless-alpha.webp", /^(IFD0|ExifIFD|GPS)/],
    ["jp2-tiled-128.jp2", /^(IFD0|ExifIFD|GPS)/],
  ])("%s returns what ExifTool wrote into it", async (name, exif) => {
    const [file] = Object.values(withTags({ [name]: fixture(name) }, written));
    const blocks = await read(file!);
    const icc = await p3();
    // EXIF and IPTC have no files of their own that ExifTool reads: a JPEG holds them
    const jpg = await codecs.encoder("jpg").embed(fixture("jpg-baseline-420.jpg"), { ...blocks, icc });
    const tags = tagsOf({ [name]: file!, "a.jpg": jpg });
    const expected = groups(tags[name]!, exif);
    expect(Object.keys(expected).length).toBeGreaterThan(6);
    expect(tags["a.jpg"]).toMatchObject(expected);
    expect(tags["a.jpg"]).not.toHaveProperty("ExifTool:Warning");
    expect(tags["a.jpg"]).toMatchObject(groups(tags[name]!, /^(XMP-dc|IPTC:(Headline|Keywords))/));
    expect(same(blocks.xmp, blockOf(file!, name, "-xmp"))).toBe(true);
    expect(blocks.iptc !== undefined).toBe(!name.endsWith("webp"));
  });

  test.each(["tif-cmyk-icc-lzw.tif", "jp2-icc-displayp3.jp2"])("%s returns its profile", async (name) => {
    expect(same((await read(fixture(name))).icc, blockOf(fixture(name), name, "-icc_profile"))).toBe(true);
  });

  test("IPTC in a TIFF that was stored as numbers of the other byte order comes as it was", async () => {
    const [file] = Object.values(
      withTags({ "a.tif": fixture("tif-strip-none.tif") }, ["-IPTC:Headline=123456"]),
    );
    const { iptc } = await read(file!);
    expect(iptc!.length % 4).toBe(0);
    const turned = Buffer.from(file!);
    const at = turned.indexOf(iptc!);
    turned.subarray(at, at + iptc!.length).swap32();
    expect((await read(new Uint8Array(turned))).iptc).toEqual(iptc);
  });

  test("a GIF returns XMP and a profile from its application extensions", async () => {
    const icc = await p3();
    const gif = Buffer.from(fixture("gif-static.gif"));
    const at = 13 + 3 * 256;
    const parts = [];
    for (let i = 0; i < icc.length; i += 255) {
      const part = icc.subarray(i, i + 255);
      parts.push(Buffer.from([part.length]), part);
    }
    const extension = Buffer.concat([
      Buffer.from("\x21\xff\x0bICCRGBG1012", "latin1"),
      ...parts,
      Buffer.from([0]),
    ]);
    const file = Buffer.concat([gif.subarray(0, at), extension, gif.subarray(at)]);
    const [both] = Object.values(withTags({ "a.gif": new Uint8Array(file) }, ["-XMP-dc:Title=t"]));
    const blocks = await read(both!);
    expect(same(blocks.icc, icc)).toBe(true);
    expect(same(blocks.xmp, blockOf(both!, "a.gif", "-xmp"))).toBe(true);
    expect(await read(fixture("gif-animated-4.gif"))).toEqual({});
  });

  test.each([
    ["tif", "tif-strip-none.tif"],
    ["tif", "tif-strip-none-bigendian.tif"],
    ["webp", "webp-lossy.webp"],
    ["jp2", "jp2-tiled-128.jp2"],
    ["gif", "gif-static.gif"],
  ] as const)("damage in %s never throws (%s)", async (format, name) => {
    const [file] = Object.values(withTags({ [name]: fixture(name) }, written));
    const codec = codecs.decoder(format);
    const header = await codec.probe(memoryBytes(file!), 1);
    const below = seeded(11);
    for (let n = 0; n < 60; n++) {
      const damaged = file!.slice(0, n % 4 === 0 ? 100 + below(file!.length - 100) : undefined);
      for (let k = 0; k < 10; k++) {
        const near =
          k % 2 === 0 ? below(1200) : damaged.length - 1 - below(Math.min(4000, damaged.length - 20));
        damaged[Math.min(damaged.length - 1, Math.max(16, near))] = below(256);
      }
      const blocks = await codec.metadata!.read(memoryBytes(damaged), header).catch((error: Error) => error);
      if (blocks instanceof Error) expect.fail(`${blocks.stack}`);
    }
  });
});

describe.skipIf(!hasExifTool)("writing", () => {
  test.each([
    ["tif", /^(IFD0:(Artist|Copyright)|ExifIFD|GPS|IPTC|XMP)/],
    ["webp", /^(IFD0|ExifIFD|GPS|XMP)/],
    ["jp2", /^(IFD0|ExifIFD|GPS|IPTC|XMP)/],
  ] as const)(
    "%s has blocks where ExifTool reads them, and the picture is unchanged",
    async (format, pattern) => {
      const { exif, xmp, iptc } = await read(tagged);
      const icc = await p3();
      const pixels = {
        width: 30,
        height: 21,
        bands: 3,
        interpretation: "rgb" as const,
        data: noise(30 * 21 * 3),
      };
      const plain = await codecs.encoder(format).encode(pixels, {
        format,
        quality: 80,
        progressive: false,
        chroma: "420",
        encoder: "fast",
        resolution: { x: 100, y: 50 },
      });
      const file = await embed(format, plain, { exif, xmp, iptc, icc });
      const tags = tagsOf({ [`a.${format}`]: file, "b.jpg": tagged });
      const a = tags[`a.${format}`]!;
      const expected = groups(tags["b.jpg"]!, pattern);
      expect(Object.keys(expected).length).toBeGreaterThan(12);
      expect(a).toMatchObject(expected);
      expect(a).toMatchObject({ "ICC_Profile:ProfileDescription": "sP3C" });
      expect(a).not.toHaveProperty("ExifTool:Warning");
      const again = await read(file);
      expect(same(again.icc, icc) && same(again.xmp, xmp)).toBe(true);
      const twice = await embed(format, file, { icc, xmp });
      expect(groups(tagsOf({ [`a.${format}`]: twice })[`a.${format}`]!, pattern)).toEqual(groups(a, pattern));
      const pixelsOf = async (bytes: Uint8Array) =>
        format === "jp2" ? codestream(bytes) : await sharp(bytes, { ignoreIcc: true }).raw().toBuffer();
      expect(same(await pixelsOf(file), await pixelsOf(plain))).toBe(true);
      if (format === "tif")
        expect(await sharp(file).metadata()).toMatchObject({ density: 254, hasProfile: true });
    },
  );

  test("JPEG 2000 holds a profile of matrices for every reader, and one of tables before the space that it replaces", async () => {
    const plain = fixture("jp2-tiled-128.jp2");
    const tables = Uint8Array.from(await p3());
    tables.set(Buffer.from("A2B0"), Buffer.from(tables).indexOf("rTRC")); // its name in the tag table
    for (const [icc, methods] of [
      [await p3(), [2]],
      [tables, [3, 1]],
    ] as const) {
      const file = await embed("jp2", plain, { icc });
      expect(methodsOf(file)).toEqual(methods);
      expect(same((await read(file)).icc, icc)).toBe(true);
    }
  });

  test("WebP with alpha has that in its flags besides the blocks", async () => {
    const plain = fixture("webp-lossless-alpha.webp");
    const file = await embed("webp", plain, { icc: await p3() });
    expect(file[20]! & 0x3e).toBe(0x30);
    expect(
      same(await sharp(file, { ignoreIcc: true }).raw().toBuffer(), await sharp(plain).raw().toBuffer()),
    ).toBe(true);
  });
});

/** METH of each colr box (T.800, I.5.3.3): 1 enumerated, 2 restricted profile, 3 any profile. */
const methodsOf = (file: Uint8Array) =>
  Buffer.from(file)
    .toString("latin1")
    .split("colr")
    .slice(1)
    .map((body) => body.charCodeAt(0));

/** Returns a JP2 from its codestream on. */
const codestream = (file: Uint8Array) => file.subarray(Buffer.from(file).indexOf("jp2c"));

function noise(length: number): Uint8Array {
  const below = seeded(5);
  return new Uint8Array(length).map(() => below(256));
}
