// The parts of JPEG files that another container takes as they are.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { concatenate, ImagingError, memoryBytes } from "../../../../../src/base/index.ts";
import { storedJpeg } from "../../../../../src/imaging/codecs/jpg/lossless/stored.ts";
import { fixture } from "../../../../host.ts";
import { everything } from "../../../../sampled.ts";
import { seeded } from "../../../../seeded.ts";

async function partsOf(file: Uint8Array, strips: boolean): Promise<Uint8Array | undefined> {
  const stored = await storedJpeg(memoryBytes(file), strips);
  return (
    stored && concatenate(stored.parts.map(({ offset, length }) => file.subarray(offset, offset + length)))
  );
}

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
    const film = concatenate([file, new TextEncoder().encode("a film")]);
    expect(await partsOf(film, false)).toEqual(film);
    expect(await partsOf(film, true)).toBeUndefined();
    const mpf = concatenate([
      file.subarray(0, 2),
      Uint8Array.of(0xff, 0xe2, 0, 8),
      new TextEncoder().encode("MPF\0ab"),
      file.subarray(2),
    ]);
    expect(await partsOf(mpf, true)).toBeUndefined();
  });

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
