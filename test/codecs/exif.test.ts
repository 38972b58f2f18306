import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { readExif } from "../../src/codecs/exif.ts";

type Entry = readonly [tag: number, type: number, value: number | readonly [number, number]];

/** A TIFF block of one directory; rationals are stored after it. */
function block(little: boolean, entries: readonly Entry[], options: { prefix?: boolean } = {}): Uint8Array {
  const start = options.prefix ? 6 : 0;
  const after = 8 + 2 + entries.length * 12 + 4;
  const bytes = new Uint8Array(start + after + entries.length * 8);
  if (options.prefix) bytes.set([0x45, 0x78, 0x69, 0x66, 0, 0]);
  const view = new DataView(bytes.buffer, start);
  view.setUint16(0, little ? 0x4949 : 0x4d4d);
  view.setUint16(2, 42, little);
  view.setUint32(4, 8, little);
  view.setUint16(8, entries.length, little);
  entries.forEach(([tag, type, value], i) => {
    const at = 10 + i * 12;
    view.setUint16(at, tag, little);
    view.setUint16(at + 2, type, little);
    view.setUint32(at + 4, 1, little);
    if (typeof value !== "number") {
      view.setUint32(at + 8, after + i * 8, little);
      view.setUint32(after + i * 8, value[0], little);
      view.setUint32(after + i * 8 + 4, value[1], little);
    } else if (type === 3) view.setUint16(at + 8, value, little);
    else view.setUint32(at + 8, value, little);
  });
  return bytes;
}

describe("readExif", () => {
  it.each([true, false])(
    "reads orientation and resolution in either byte order (little endian: %s)",
    (little) => {
      const entries: Entry[] = [
        [0x0112, 3, 6],
        [0x011a, 5, [600, 2]],
        [0x011b, 5, [150, 1]],
        [0x0128, 3, 2],
      ];
      for (const prefix of [true, false]) {
        const exif = readExif(block(little, entries, { prefix }));
        expect(exif.orientation).toBe(6);
        expect(exif.resolution?.x).toBeCloseTo(300 / 2.54, 9);
        expect(exif.resolution?.y).toBeCloseTo(150 / 2.54, 9);
      }
    },
  );

  it("takes centimetres as they are, inches where no unit is given, and nothing where the unit is none", () => {
    const of = (unit?: number) =>
      readExif(
        block(true, [
          [0x011a, 5, [254, 1]],
          [0x011b, 5, [254, 1]],
          ...(unit === undefined ? [] : ([[0x0128, 3, unit]] as Entry[])),
        ]),
      ).resolution;
    expect(of(3)).toEqual({ x: 254, y: 254 });
    expect(of()?.x).toBeCloseTo(100, 9);
    expect(of(1)).toBeUndefined();
    expect(of(77)).toBeUndefined();
  });

  it.each([0, 9, 65535])("counts the orientation %s as 1", (value) => {
    expect(readExif(block(true, [[0x0112, 3, value]])).orientation).toBe(1);
  });

  it("takes no resolution from a zero denominator, a zero value or an offset outside the block", () => {
    expect(readExif(block(true, [[0x011a, 5, [300, 0]]])).resolution).toBeUndefined();
    expect(readExif(block(true, [[0x011a, 5, [0, 1]]])).resolution).toBeUndefined();
    expect(readExif(block(true, [[0x011a, 5, 0xfffffff0]])).resolution).toBeUndefined();
  });

  it("reads what is there of a directory that is cut off", () => {
    const whole = block(false, [
      [0x0112, 3, 8],
      [0x0100, 3, 1],
    ]);
    expect(readExif(whole.subarray(0, 8 + 2 + 12)).orientation).toBe(8);
  });

  it("reads what another program wrote", async () => {
    const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
      .withMetadata({ orientation: 5, density: 254 })
      .jpeg()
      .toBuffer();
    const { exif } = await sharp(jpeg).metadata();
    const read = readExif(exif as Uint8Array);
    expect(read.orientation).toBe(5);
    expect(read.resolution?.x).toBeCloseTo(100, 3);
  });

  it("never throws and keeps its ranges, whatever the bytes", () => {
    const sound = block(true, [
      [0x0112, 3, 6],
      [0x011a, 5, [300, 1]],
    ]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(sound.length), fc.boolean(), (noise, at, tail) => {
        const bytes = tail ? new Uint8Array([...sound.subarray(0, at), ...noise]) : noise;
        const { orientation, resolution } = readExif(bytes);
        expect(orientation >= 1 && orientation <= 8 && Number.isInteger(orientation)).toBe(true);
        if (resolution) expect(resolution.x > 0 && Number.isFinite(resolution.y)).toBe(true);
      }),
    );
  });
});
