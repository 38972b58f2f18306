// The parts of JP2 files that another container takes as they are.

import { expect, test } from "vitest";
import { concatenate, ImagingError, memoryBytes } from "../../../../src/base/index.ts";
import { storedJp2 } from "../../../../src/imaging/codecs/jp2/stored.ts";
import { fixture } from "../../../host.ts";
import { everything } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";

async function partsOf(file: Uint8Array, strips: boolean): Promise<Uint8Array | undefined> {
  const stored = await storedJp2(memoryBytes(file), strips);
  return (
    stored && concatenate(stored.parts.map(({ offset, length }) => file.subarray(offset, offset + length)))
  );
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
  expect(await partsOf(more, true)).toEqual(file);
});

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
