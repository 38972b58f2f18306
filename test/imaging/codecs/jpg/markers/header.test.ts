import { describe, expect, it } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { recogniseFormat } from "../../../../../src/imaging/codecs/formats.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { expectedRows, fixture, testHost } from "../../../../host.ts";
import fc from "../../../../properties.ts";
import { named, type Segment, withFrame, withSegments } from "../segments.ts";

const codec = createCodecs(testHost).decoder("jpg");
const probe = (data: Uint8Array) => codec.probe(memoryBytes(data), 1);
const plain = fixture("jpg-baseline-420.jpg");

/** A JFIF segment: units, X and Y density. */
const jfif = (unit: number, x: number, y: number): Segment =>
  named(0xe0, "JFIF\0", [1, 1, unit, x >> 8, x & 255, y >> 8, y & 255, 0, 0]);

/** A big-endian EXIF segment with orientation 8 and 254 pixels per inch, and a JPEG thumbnail behind. */
const exif = (thumbnail: Uint8Array = new Uint8Array()): Segment => {
  const block = new Uint8Array(8 + 2 + 2 * 12 + 4 + 8 + thumbnail.length);
  const view = new DataView(block.buffer);
  [0x4d4d, 42, 0, 8, 2, 0x0112, 3, 0, 1, 8, 0, 0x011a, 5, 0, 1, 0, 38].forEach((value, i) => {
    view.setUint16(2 * i, value);
  });
  view.setUint32(38, 254);
  view.setUint32(42, 1);
  block.set(thumbnail, 46);
  return named(0xe1, "Exif\0\0", block);
};

/** Counts the bytes that are read. */
function counted(data: Uint8Array): ByteSource & { total: number } {
  const inner = memoryBytes(data);
  const source = {
    size: data.length,
    total: 0,
    async read(offset: number, length: number) {
      const bytes = await inner.read(offset, length);
      source.total += bytes.length;
      return bytes;
    },
  };
  return source;
}

describe("the header of a JPEG file", () => {
  const sound = expectedRows().filter(
    ({ file, width }) => /(^jpg-|^badmeta|orient-9|^polyglot|^mislabelled)/.test(file!) && width !== "",
  );

  it.each(sound.map((row) => [row.file!, row] as const))("reads the facts of %s", async (file, row) => {
    const header = await probe(fixture(file));
    expect(header).toMatchObject({
      format: "jpg",
      width: Number(row.width),
      height: Number(row.height),
      bands: Number(row.bands),
      depth: 8,
      interpretation: { "1": "gray", "3": "rgb", "4": "cmyk" }[row.bands!],
      orientation: Number(row.orientation || 1),
      pages: 1,
    });
    expect(header.colour?.from === "icc").toBe(row.icc === "yes");
    expect(header.unsupported).toBeUndefined();
    expect(recogniseFormat(fixture(file).subarray(0, 64))).toBe("jpg");
  });

  it.each([
    ["jpg-baseline-420.jpg", "baseline"],
    ["jpg-progressive.jpg", "progressive"],
    ["jpg-arithmetic.jpg", "arithmetic"],
  ])("names the kind of %s: %s", async (file, variant) => {
    expect((await probe(fixture(file))).variant).toBe(variant);
  });

  it("prefers the JFIF density to that of EXIF and uses the latter if JFIF has no unit", async () => {
    const of = async (...front: Segment[]) =>
      (await probe(withSegments(plain, (rest) => [...front, ...rest.filter((s) => s.code !== 0xe0)])))
        .resolution;
    expect(await of(jfif(2, 118, 59), exif())).toEqual({ x: 118, y: 59 });
    expect((await of(jfif(1, 300, 600)))?.y).toBeCloseTo(600 / 2.54, 9);
    expect((await of(jfif(0, 3, 4), exif()))?.x).toBeCloseTo(100, 9);
    expect(await of(jfif(0, 1, 1))).toBeUndefined();
  });

  it("is not taken from a thumbnail inside EXIF", async () => {
    const header = await probe(withSegments(plain, (rest) => [exif(fixture("jpg-1x1.jpg")), ...rest]));
    expect([header.width, header.height, header.orientation]).toEqual([600, 400, 8]);
  });

  it("is found after fill bytes and stray bytes between segments", async () => {
    const data = new Uint8Array([...plain.subarray(0, 2), 0xff, 0xff, 0xff, 0, 7, ...plain.subarray(2)]);
    expect((await probe(data)).width).toBe(600);
  });

  it("costs few bytes behind 5 MB of metadata", async () => {
    const bulk = Array.from({ length: 80 }, () => ({ code: 0xed, body: new Uint8Array(65533).fill(0xff) }));
    const source = counted(withSegments(plain, (rest) => [...bulk, ...rest]));
    expect((await codec.probe(source, 1)).width).toBe(600);
    expect(source.size).toBeGreaterThan(5e6);
    expect(source.total).toBeLessThan(256 * 1024);
  });

  it.each<[string, (frame: Segment) => Segment, RegExp]>([
    ["12 bits per sample", (f) => ({ code: 0xc1, body: f.body.with(0, 12) }), /12 bits/],
    ["lossless coding", (f) => ({ ...f, code: 0xc3 }), /lossless/],
    ["hierarchical coding", (f) => ({ ...f, code: 0xc5 }), /hierarchical/],
    ["JPEG-LS", (f) => ({ ...f, code: 0xf7 }), /JPEG-LS/],
    ["its height after the scan", (f) => ({ ...f, body: f.body.with(1, 0).with(2, 0) }), /height/],
    ["a side above 65500", (f) => ({ ...f, body: f.body.with(3, 255).with(4, 255) }), /65500/],
    ["two components", (f) => ({ ...f, body: f.body.slice(0, 12).with(5, 2) }), /2 components/],
  ])("reports that a file with %s cannot be decoded, and decode refuses it", async (_, change, words) => {
    const data = withFrame(plain, change);
    const header = await probe(data);
    expect(header.unsupported).toMatch(words);
    const region = { x: 0, y: 0, width: header.width, height: header.height };
    await expect(
      codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 }),
    ).rejects.toMatchObject({ kind: "unsupported" });
  });

  // For a component, 1/4 of its own size compared with its size in the response: 1/4 of the picture, for
  // colour possibly half of that.
  it.each<[string, readonly number[], boolean, boolean]>([
    ["4:4:4", [0x11, 0x11, 0x11], true, true],
    ["4:4:4 with other factors", [0x22, 0x22, 0x22], true, true],
    ["4:2:2", [0x21, 0x11, 0x11], false, true],
    ["4:4:0", [0x12, 0x11, 0x11], false, true],
    ["4:2:0", [0x22, 0x11, 0x11], false, true],
    ["4:1:1", [0x41, 0x11, 0x11], false, false],
    ["4:1:0", [0x42, 0x11, 0x11], false, false],
    ["luma of half the height", [0x21, 0x12, 0x11], false, false],
  ])("says if samples of %s at 1/4 replace a resampling", async (_, [y, b, r], inFull, halved) => {
    const data = withFrame(plain, (f) => ({ ...f, body: f.body.with(7, y!).with(10, b!).with(13, r!) }));
    const header = await probe(data);
    const exact = (halvesColour: boolean) =>
      codec.scales
        ?.of(header, halvesColour)
        .flatMap(({ factor, quality }) => (quality === "exact" ? [factor] : []));
    expect(exact(false)).toEqual(inFull ? [4] : []);
    expect(exact(true)).toEqual(halved ? [4] : []);
  });

  it("refuses another page than the first", async () => {
    await expect(codec.probe(memoryBytes(plain), 2)).rejects.toMatchObject({
      kind: "not-found",
      code: "page_not_found",
    });
  });

  it.each(["bad-empty.jpg", "bad-svg.jpg", "bad-text.jpg", "base.png"])(
    "refuses %s as no JPEG",
    async (file) => {
      expect(recogniseFormat(fixture(file).subarray(0, 64))).not.toBe("jpg");
      await expect(probe(fixture(file))).rejects.toMatchObject({ kind: "decode", code: "not_an_image" });
    },
  );

  it("refuses files that end, repeat their frame or scan before it", async () => {
    const frameless = withSegments(plain, (all) => all.filter((s) => s.code !== 0xc0));
    const twice = withSegments(plain, (all) => all.flatMap((s) => (s.code === 0xc0 ? [s, s] : [s])));
    const noWidth = withFrame(plain, (f) => ({ ...f, body: f.body.with(3, 0).with(4, 0) }));
    const noSampling = withFrame(plain, (f) => ({ ...f, body: f.body.with(7, 0x05) }));
    const endless = new Uint8Array(300_000).fill(0xff).with(1, 0xd8);
    for (const data of [plain.subarray(0, 150), frameless, twice, noWidth, noSampling, endless])
      await expect(probe(data)).rejects.toMatchObject({ kind: "decode", code: "damaged_header" });
  });

  it("is either read or refused with a decode error, whatever byte is changed or wherever the file ends", async () => {
    const small = fixture("jpg-1x1.jpg");
    await fc.assert(
      fc.asyncProperty(fc.nat(small.length - 1), fc.nat(255), fc.boolean(), async (at, value, cut) => {
        try {
          await probe(cut ? small.subarray(0, at) : small.with(at, value));
        } catch (error) {
          expect(error).toBeInstanceOf(ImagingError);
          expect((error as ImagingError).kind).toBe("decode");
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a gain map", () => {
  const xmp = (packet: string) => named(0xe1, `http://ns.adobe.com/xap/1.0/\0${packet}`, []);
  it.each([
    ["ISO 21496-1", named(0xe2, "urn:iso:std:iso:ts:21496:-1\0", [0, 0, 0, 0]), true],
    ["Ultra HDR 1.0", xmp('<rdf:Description hdrgm:Version="1.0"/>'), true],
    ["another name of ISO", named(0xe2, "urn:iso:std:iso:ts:21496:-2\0", [0, 0, 0, 0]), undefined],
    ["XMP without it", xmp('<rdf:Description xmp:Rating="1"/>'), undefined],
  ])("of %s is a fact of the header", async (_, segment, expected) => {
    const header = await probe(withSegments(plain, (segments) => [segment, ...segments]));
    expect(header.gainMap).toBe(expected);
  });
});
