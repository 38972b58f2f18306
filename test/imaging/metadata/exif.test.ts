// Corrected and rewritten EXIF, compared with ExifTool and with bytes written by hand (TIFF 6.0, section 2;
// EXIF 2.32, 4.6).

import { describe, expect, test } from "vitest";
import { createCodecs } from "../../../src/imaging/codecs/index.ts";
import { readExif } from "../../../src/imaging/metadata/exif.ts";
import { correctedExif } from "../../../src/imaging/metadata/exif-edit.ts";
import {
  exifBlock,
  readExifFields,
  shortenedExif,
  swapBytes,
} from "../../../src/imaging/metadata/exif-fields.ts";
import { fixture, testHost } from "../../host.ts";
import { seeded } from "../../seeded.ts";
import { blockOf, hasExifTool, type Tags, tagsOf, withTags } from "./exiftool.ts";

const plain = fixture("jpg-baseline-420.jpg");
const { embed } = createCodecs(testHost).encoder("jpg");

/** Tags of blocks, each in a JPEG. */
async function tagsIn<Name extends string>(
  blocks: Readonly<Record<Name, Uint8Array>>,
): Promise<Record<Name, Tags>> {
  const files: Record<string, Uint8Array> = {};
  for (const [name, exif] of Object.entries<Uint8Array>(blocks))
    files[`${name}.jpg`] = await embed(plain, { exif });
  const found = tagsOf(files);
  return Object.fromEntries(
    Object.keys(blocks).map((name) => [
      name,
      Object.fromEntries(
        Object.entries(found[`${name}.jpg`]!).filter(([tag]) =>
          /^(IFD[01]|ExifIFD|GPS|InteropIFD|ExifTool:Warning)/.test(tag),
        ),
      ),
    ]),
  ) as Record<Name, Tags>;
}

/** A block that ExifTool wrote, with a thumbnail, in either byte order. */
function block(order: "II" | "MM", ...more: string[]): Uint8Array {
  const args = ["-n", `-ExifByteOrder=${order}`, "-Artist=Ann", "-GPSLatitude=48.2", "-GPSLatitudeRef=N"];
  const lens = ["-LensInfo=24 70 2.8 4", "-ExposureTime=0.01", "-ColorSpace=65535", "-InteropIndex=R03"];
  const [file] = Object.values(withTags({ "a.jpg": plain }, [...args, ...lens, ...more]));
  return blockOf(file!, "a.jpg", "-exif");
}

describe.skipIf(!hasExifTool).each(["II", "MM"] as const)("EXIF in byte order %s", (order) => {
  let made: Uint8Array | undefined;
  const turned = () => (made ??= block(order, "-Orientation=3"));

  test("accepts an orientation with or without an existing one, and preserves everything else", async () => {
    const without = block(order);
    const withOne = turned();
    const found = await tagsIn({
      without,
      added: correctedExif(without, { orientation: 6 })!,
      changed: correctedExif(withOne, { orientation: 6 })!,
      untold: correctedExif(without, { orientation: 1 })!,
      named: correctedExif(without, { srgb: true })!,
    });
    expect(Object.keys(found.without).length).toBeGreaterThan(12);
    expect(found.added).toEqual({ ...found.without, "IFD0:Orientation": 6 });
    expect(found.changed).toEqual(found.added);
    expect(found.untold).toEqual(found.without);
    expect(found.named).toEqual({
      ...found.without,
      "ExifIFD:ColorSpace": 1,
      "InteropIFD:InteropIndex": "R98",
    });
  });

  test("has the same contents when it is rewritten, in the other byte order too", async () => {
    const given = turned();
    const { little, fields } = readExifFields(given)!;
    const found = await tagsIn({
      given,
      anew: exifBlock({ little, fields })!,
      other: exifBlock({ little: !little, fields: swapBytes(fields) })!,
      shortened: shortenedExif(given)!,
    });
    expect(found.anew).toEqual(found.given);
    expect(found.other).toEqual(found.given);
    expect(found.shortened).toEqual(found.given);
  });
});

test("a field that claims more bytes than there are is left out alone", () => {
  const bytes = Buffer.alloc(8 + 2 + 2 * 12 + 4);
  bytes.write("MM\0*", "latin1");
  bytes.writeUInt32BE(8, 4);
  bytes.writeUInt16BE(2, 8);
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    bytes.writeUInt16BE(tag, at);
    bytes.writeUInt16BE(type, at + 2);
    bytes.writeUInt32BE(count, at + 4);
    bytes.writeUInt32BE(value, at + 8);
  };
  entry(10, 0x010f, 2, 0xffffffff, 8); // Make
  entry(22, 0x0112, 3, 1, 8 * 65536); // Orientation
  const { fields } = readExifFields(new Uint8Array(bytes))!;
  expect(fields.map(({ tag, value }) => [tag, ...value])).toEqual([[0x0112, 0, 8]]);
});

test("an orientation alone makes a block, and nothing makes none", () => {
  expect(readExif(correctedExif(undefined, { orientation: 5 })!).orientation).toBe(5);
  expect(readExif(correctedExif(Uint8Array.of(1, 2, 3), { orientation: 5 })!).orientation).toBe(5);
  expect(correctedExif(undefined, { orientation: 1, srgb: true })).toBeUndefined();
});

test.skipIf(!hasExifTool)(
  "EXIF too long for a JPEG segment loses its largest parts, and finally is omitted",
  async () => {
    const given = readExifFields(block("II"))!;
    const long = (tag: number) => ({ tag, type: 7, value: new Uint8Array(70_000) });
    const withLong = (tag: number) =>
      exifBlock({
        ...given,
        fields: given.fields.map((field) =>
          field.tag === 0x8769 ? { ...field, fields: [...field.fields!, long(tag)] } : field,
        ),
      })!;
    const found = await tagsIn({
      given: exifBlock(given)!,
      maker: withLong(0x927c),
      comment: withLong(0x9286),
    });
    expect(found.maker).toEqual(found.given);
    expect(found.comment).toEqual({});
  },
);

test.skipIf(!hasExifTool)("damaged blocks never throw, and never become longer than what was added", () => {
  const given = block("MM", "-Orientation=3");
  const below = seeded(9);
  for (let n = 0; n < 1000; n++) {
    const damaged = given.slice(0, n % 4 === 0 ? below(given.length) : undefined);
    for (let k = 0; k < 4; k++) damaged[below(Math.max(1, damaged.length))] = below(256);
    const corrected = correctedExif(damaged, { orientation: 6, srgb: true });
    expect(corrected!.length).toBeLessThanOrEqual(2 * damaged.length + 64);
    const read = readExifFields(damaged);
    if (read) expect(exifBlock(read)?.length ?? 0).toBeLessThanOrEqual(6 * damaged.length);
  }
});
