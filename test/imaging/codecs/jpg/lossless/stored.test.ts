// The parts of JPEG files that another container takes as they are.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { concatenate, ImagingError, memoryBytes } from "../../../../../src/base/index.ts";
import { storedJpeg } from "../../../../../src/imaging/codecs/jpg/lossless/stored.ts";
import { fixture } from "../../../../host.ts";
import { everything } from "../../../../sampled.ts";
import { seeded } from "../../../../seeded.ts";
import { passed } from "../../passed.ts";

async function partsOf(file: Uint8Array, strips: boolean): Promise<Uint8Array | undefined> {
  const stored = await storedJpeg(memoryBytes(file), strips);
  return stored && passed(file, stored);
}

const text = (value: string) => new TextEncoder().encode(value);

describe("a JPEG file", () => {
  test.each([
    ["jpg-baseline-420.jpg", 3, true],
    ["jpg-baseline-422.jpg", 3, true],
    ["jpg-progressive.jpg", 3, true],
    ["jpg-restart.jpg", 3, true],
    ["jpg-rgb-adobe0.jpg", 3, false],
    ["jpg-gray.jpg", 1, false],
    ["jpg-exif-xmp-iptc-gps.jpg", 3, true],
  ])("is taken as it is: %s", async (name, bands, isYcc) => {
    const file = fixture(name);
    expect(await storedJpeg(memoryBytes(file), false)).toMatchObject({ bands, isYcc });
    expect(await partsOf(file, false)).toEqual(file);
  });

  test.each(["jpg-cmyk-adobe.jpg", "jpg-ycck-adobe.jpg", "jpg-arithmetic.jpg", "base.png", "bad-text.jpg"])(
    "is not taken if not all programs read it: %s",
    async (name) => expect(await partsOf(fixture(name), false)).toBeUndefined(),
  );

  test("has its profile only if that fits its bands", async () => {
    const profileOf = async (name: string) =>
      (await storedJpeg(memoryBytes(fixture(name)), false))?.profile?.length;
    const of = async (name: string) => (await sharp(fixture(name)).metadata()).icc?.length;
    for (const name of ["jpg-icc-adobergb.jpg", "jpg-gray-icc.jpg"])
      expect(await profileOf(name), name).toBe(await of(name));
    expect(await profileOf("jpg-gray.jpg")).toBeUndefined();
    expect(await profileOf("badmeta-icc.jpg")).toBeUndefined();
  });

  test("loses all metadata but its profile, and no pixel, if it is stripped", async () => {
    const file = await sharp(fixture("jpg-icc-adobergb.jpg"))
      .keepMetadata()
      .withExif({ IFD0: { Artist: "Somebody" } })
      .jpeg()
      .toBuffer();
    const stripped = (await partsOf(new Uint8Array(file), true))!;
    const { exif, xmp, iptc, icc } = await sharp(stripped).metadata();
    expect([exif, xmp, iptc]).toEqual([undefined, undefined, undefined]);
    expect(icc?.length).toBeGreaterThan(100);
    expect(await sharp(stripped).raw().toBuffer()).toEqual(await sharp(file).raw().toBuffer());
    expect(Buffer.from(stripped).includes("Somebody")).toBe(false);
  });

  test("is not stripped if something else follows the image, which may have metadata of its own", async () => {
    const file = fixture("jpg-gray.jpg");
    const film = concatenate([file, text("a film")]);
    expect(await partsOf(film, false)).toEqual(film);
    expect(await partsOf(film, true)).toBeUndefined();
    const other = concatenate([file, fixture("jpg-exif-xmp-iptc-gps.jpg")]);
    const alone = (await partsOf(other, true))!;
    expect(alone).toHaveLength(other.length);
    expect(alone.subarray(0, file.length)).toEqual(file);
    expect(alone.subarray(file.length).every((byte) => byte === 0)).toBe(true);
    const mpf = concatenate([
      file.subarray(0, 2),
      Uint8Array.of(0xff, 0xe2, 0, 8),
      text("MPF\0ab"),
      file.subarray(2),
    ]);
    expect(await partsOf(mpf, true)).toBeUndefined();
  });

  test.each(["jpg-progressive.jpg", "jpg-gray.jpg"])(
    "loses metadata between and behind its scans, however it is split: %s",
    async (name) => {
      const file = fixture(name);
      const segment = (code: number, body: string) =>
        concatenate([Uint8Array.of(0xff, code, 0, body.length + 2), text(body)]);
      const secrets = concatenate([
        segment(0xe1, "Exif\0\0GPS"),
        Uint8Array.of(0xff),
        segment(0xfe, "GPS"),
        segment(0xe1, ""),
      ]);
      const buffer = Buffer.from(file);
      const places = [file.length - 2];
      // A marker in the data of a scan has no zero behind it.
      const first = buffer.indexOf(Uint8Array.of(0xff, 0xda));
      const second = buffer.indexOf(Uint8Array.of(0xff, 0xda), first + 2);
      if (second > 0) places.unshift(second);
      let secret: Uint8Array = file;
      for (const at of places.toReversed())
        secret = concatenate([secret.subarray(0, at), secrets, secret.subarray(at)]);
      expect(Buffer.from(secret).includes("GPS")).toBe(true);
      const clean = (await partsOf(secret, true))!;
      expect(clean).toHaveLength(secret.length);
      expect(Buffer.from(clean).includes("GPS")).toBe(false);
      expect(await sharp(clean).raw().toBuffer()).toEqual(await sharp(file).raw().toBuffer());
      expect(await partsOf(file, true)).toEqual(file);
    },
  );

  const count = everything ? 2000 : 200;
  test(`that is damaged in any way gives parts within it, or a plain error (${count} files)`, async () => {
    const below = seeded(2027);
    const files = ["jpg-exif-xmp-iptc-gps.jpg", "jpg-progressive.jpg", "jpg-icc-adobergb.jpg"].map(fixture);
    for (let n = 0; n < count; n++) {
      const source = files[below(files.length)]!;
      const file = source.slice(0, below(8) === 0 ? below(source.length) : source.length);
      // Nearly all that is read is at the front.
      for (let change = 1 + below(6); change > 0; change--)
        file[below(Math.min(file.length, 4096))] = below(256);
      for (const strips of [true, false]) {
        const stored = await storedJpeg(memoryBytes(file), strips).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ImagingError);
          return undefined;
        });
        let last = 0;
        for (const { offset, length } of stored?.parts ?? []) {
          expect(offset).toBeGreaterThanOrEqual(last);
          expect(length).toBeGreaterThanOrEqual(0);
          last = offset + length;
        }
        expect(last).toBeLessThanOrEqual(file.length);
      }
    }
  });
});
