// Metadata of JPEG files: read as ExifTool reads them, and read back by it (EXIF 2.32, 4.5.4; ICC.1, B.4; XMP
// part 3).

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { embedInJpeg, readJpegMetadata } from "../../../../../src/imaging/codecs/jpg/markers/metadata.ts";
import type { Metadata } from "../../../../../src/imaging/metadata/metadata.ts";
import { fixture } from "../../../../host.ts";
import { seeded } from "../../../../seeded.ts";
import { blockOf, hasExifTool, same, tagsOf, withTags } from "../../../metadata/exiftool.ts";
import { named, takeApart, withSegments } from "../segments.ts";

const plain = fixture("jpg-baseline-420.jpg");
const tagged = fixture("jpg-exif-xmp-iptc-gps.jpg");
const read = (file: Uint8Array) => readJpegMetadata(memoryBytes(file));
const noise = (length: number) => new Uint8Array(length).map(seeded(length).bind(null, 256));

/** APP2 segments of a profile in parts of 60000 bytes, numbered from 1. */
function iccSegments(profile: Uint8Array) {
  const count = Math.ceil(profile.length / 60000);
  return Array.from({ length: count }, (_, i) =>
    named(0xe2, "ICC_PROFILE\0", [i + 1, count, ...profile.subarray(i * 60000, (i + 1) * 60000)]),
  );
}

describe.skipIf(!hasExifTool)("reading", () => {
  test("returns EXIF, XMP and IPTC like ExifTool", async () => {
    const blocks = await read(tagged);
    for (const kind of ["exif", "xmp", "iptc"] as const)
      expect(same(blocks[kind]!, blockOf(tagged, "a.jpg", `-${kind}`))).toBe(true);
    expect(blocks.icc).toBeUndefined();
  });

  test("joins the parts of a profile in any order, and ignores one with a missing or repeated part", async () => {
    const profile = noise(200_000);
    const parts = iccSegments(profile);
    const order = (...numbers: number[]) =>
      withSegments(plain, (own) => [...own, ...numbers.map((n) => parts[n]!)]);
    expect(same((await read(order(2, 0, 3, 1))).icc, profile)).toBe(true);
    expect((await read(order(0, 1, 3))).icc).toBeUndefined();
    expect((await read(order(0, 1, 1, 3))).icc).toBeUndefined();
  });

  test("joins XMP that is spread over segments to one packet", async () => {
    const text = "long text ".repeat(15_000);
    const [file] = Object.values(
      withTags({ "a.jpg": plain }, [`-XMP-dc:Description=${text}`, "-XMP-dc:Title=t"]),
    );
    const { xmp } = await read(file!);
    const tags = tagsOf({ "a.jpg": file!, "a.xmp": xmp! });
    expect(tags["a.xmp"]).toMatchObject({ "XMP-dc:Title": "t" });
    const description = tags["a.xmp"]!["XMP-dc:Description"] as string;
    expect(description.length).toBeGreaterThan(100_000);
    expect(tags["a.jpg"]!["XMP-dc:Description"] === description).toBe(true);
    expect(new TextDecoder().decode(xmp)).not.toContain("HasExtendedXMP");
  });

  test("leaves damaged segments out and never throws", async () => {
    const below = seeded(7);
    const header = plain.length - takeApart(plain).rest.length;
    for (let n = 0; n < 300; n++) {
      const file = tagged.slice(0, n % 3 === 0 ? below(tagged.length) : undefined);
      for (let k = 0; k < 8; k++) file[below(header + 3600)] = below(256);
      await read(file);
    }
    const broken = withSegments(plain, (own) => [
      ...own,
      named(0xe1, "Exif\0", []),
      named(0xed, "Photoshop 3.0\0", Buffer.from("8BIM\x04\x04\0\0\xff\xff\xff\xff", "latin1")),
    ]);
    expect(await read(broken)).toEqual({});
  });
});

describe.skipIf(!hasExifTool)("writing", () => {
  const blocks: Metadata = { icc: noise(150_000) };

  test("puts blocks after JFIF in the usual order, where ExifTool reads them, and leaves the picture unchanged", async () => {
    const { exif, xmp, iptc } = await read(tagged);
    const { icc } = await read(fixture("jpg-icc-displayp3.jpg"));
    const file = await embedInJpeg(plain, { exif, xmp, iptc, icc });
    const codes = takeApart(file).segments.map(({ code }) => code);
    expect(codes.slice(0, 6)).toEqual([0xe0, 0xe1, 0xe1, 0xed, 0xe2, 0xdb]);
    const tags = tagsOf({ "a.jpg": file, "b.jpg": tagged });
    const carried = Object.entries(tags["b.jpg"]!).filter(([name]) =>
      /^(IFD0|ExifIFD|GPS|IPTC|XMP)/.test(name),
    );
    expect(carried.length).toBeGreaterThan(15);
    expect(tags["a.jpg"]).toMatchObject(Object.fromEntries(carried));
    expect(tags["a.jpg"]).toMatchObject({ "ICC_Profile:ProfileDescription": "sP3C" });
    expect(
      same(await sharp(file, { ignoreIcc: true }).raw().toBuffer(), await sharp(plain).raw().toBuffer()),
    ).toBe(true);
  });

  test("splits long profiles and long XMP so that other readers join them", async () => {
    const file = await embedInJpeg(plain, {
      ...blocks,
      xmp: await longXmp(),
    });
    expect(same(blockOf(file, "a.jpg", "-icc_profile"), blocks.icc!)).toBe(true);
    expect(tagsOf({ "a.jpg": file })["a.jpg"]).toMatchObject({ "XMP-dc:Title": "x".repeat(70_000) });
  });

  test("replaces the file's own blocks of the same kinds and keeps the others", async () => {
    const once = await embedInJpeg(tagged, blocks);
    const twice = await embedInJpeg(once, blocks);
    expect(same(twice, once)).toBe(true);
    const after = await read(once);
    expect(same(after.icc, blocks.icc)).toBe(true);
    expect({ ...after, icc: undefined }).toEqual(await read(tagged));
  });
});

/** A packet with a title of 70000 letters, written by hand. */
async function longXmp(): Promise<Uint8Array> {
  return new TextEncoder().encode(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">${"x".repeat(70_000)}</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`,
  );
}
