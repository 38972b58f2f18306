// The parts of JP2 files that another container takes as they are.

import { expect, test } from "vitest";
import { concatenate, ImagingError, memoryBytes } from "../../../../src/base/index.ts";
import { storedJp2 } from "../../../../src/imaging/codecs/jp2/stored.ts";
import { fixture } from "../../../host.ts";
import { everything } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { passed } from "../passed.ts";

async function partsOf(file: Uint8Array, strips: boolean): Promise<Uint8Array | undefined> {
  const stored = await storedJp2(memoryBytes(file), strips);
  return stored && passed(file, stored);
}

test.each([
  ["jp2-gray.jp2", 1, false],
  ["jp2-reversible.jp2", 3, false],
  ["jp2-precincts-rpcl-plt-tlm.jp2", 3, false],
  ["jp2-icc-displayp3.jp2", 3, true],
])("a JP2 file is taken as it is: %s", async (name, bands, hasProfile) => {
  const stored = await storedJp2(memoryBytes(fixture(name)), false);
  expect([stored?.bands, stored?.profile !== undefined]).toEqual([bands, hasProfile]);
  expect(await partsOf(fixture(name), false)).toEqual(fixture(name));
});

test.each([
  "jp2-palette.jp2",
  "jp2-rgb16.jp2",
  "jp2-rgba8.jp2",
  "htj2k-lossless.jph",
  "j2k-raw.j2k",
  "jpg-gray.jpg",
])("a file is not taken if not all programs read it: %s", async (name) =>
  expect(await partsOf(fixture(name), false)).toBeUndefined(),
);

test("a JP2 file loses its other boxes if it is stripped", async () => {
  const file = fixture("jp2-gray.jp2");
  const box = (type: string, text: string) => {
    const bytes = new TextEncoder().encode(`    ${type}${text}`);
    new DataView(bytes.buffer).setUint32(0, bytes.length);
    return bytes;
  };
  // The signature and ftyp are the first 32 bytes.
  const more = concatenate([
    file.subarray(0, 32),
    box("xml ", "<a/>"),
    file.subarray(32),
    box("uuid", "0123456789abcdefEXIF"),
  ]);
  expect(await partsOf(more, false)).toEqual(more);
  expect(await partsOf(more, true)).toEqual(withoutComments(file));
});

/** Clears the one comment, which is in the main header. */
function withoutComments(file: Uint8Array): Uint8Array {
  const cleared = file.slice();
  const at = Buffer.from(file).indexOf(Uint8Array.of(0xff, 0x64));
  if (at > 0) cleared.fill(0, at + 4, at + 2 + new DataView(file.buffer, file.byteOffset).getUint16(at + 2));
  return cleared;
}

test.each(["jp2-gray.jp2", "jp2-tiled-128.jp2", "jp2-precincts-rpcl-plt-tlm.jp2"])(
  "a JP2 file loses the comments of its codestream, and what follows that, if it is stripped: %s",
  async (name) => {
    const file = fixture(name);
    const comment = concatenate([Uint8Array.of(0xff, 0x64, 0, 7, 0, 1), new TextEncoder().encode("GPS")]);
    const buffer = Buffer.from(file);
    const sot = buffer.indexOf(Uint8Array.of(0xff, 0x90, 0, 10));
    const sod = buffer.indexOf(Uint8Array.of(0xff, 0x93), sot);
    const more = concatenate([
      file.subarray(0, sot),
      comment,
      file.subarray(sot, sod),
      comment,
      file.subarray(sod),
      new TextEncoder().encode("GPS"),
    ]);
    const view = new DataView(more.buffer);
    const tilePart = sot + comment.length + 6;
    view.setUint32(tilePart, view.getUint32(tilePart) + comment.length);
    const box = buffer.indexOf("jp2c") - 4;
    if (view.getUint32(box) > 0) view.setUint32(box, more.length - box);
    const clean = (await partsOf(more, true))!;
    expect(Buffer.from(more).includes("GPS")).toBe(true);
    expect(Buffer.from(clean).includes("GPS")).toBe(false);
    expect(clean).toHaveLength(more.length);
    const expected = withoutComments(file);
    const after = clean.subarray(sod + 2 * comment.length, sod + 2 * comment.length + file.length - sod);
    expect(after).toEqual(expected.subarray(sod));
  },
);

const count = everything ? 2000 : 200;
test(`a damaged JP2 file gives parts within it, or a plain error (${count} files)`, async () => {
  const below = seeded(2028);
  const files = ["jp2-gray.jp2", "jp2-icc-displayp3.jp2"].map(fixture);
  for (let n = 0; n < count; n++) {
    const source = files[below(files.length)]!;
    const file = source.slice(0, below(8) === 0 ? below(source.length) : source.length);
    for (let change = 1 + below(6); change > 0; change--)
      file[below(Math.min(file.length, 1024))] = below(256);
    for (const strips of [true, false]) {
      const stored = await storedJp2(memoryBytes(file), strips).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ImagingError);
        return undefined;
      });
      let last = 0;
      for (const { offset, length } of stored?.parts ?? []) {
        expect(offset).toBeGreaterThanOrEqual(last);
        last = offset + length;
      }
      expect(last).toBeLessThanOrEqual(file.length);
    }
  }
});
