// How many pages a file has, and what it says if there are more.

import { expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";

const codec = createCodecs(testHost).decoder("tif");

/** A file of `pages` directories of two fields, width and height, little endian (TIFF 6.0, section 2). */
function chainOf(pages: number): Uint8Array {
  const length = 2 + 2 * 12 + 4;
  const file = new Uint8Array(8 + pages * length);
  const view = new DataView(file.buffer);
  file.set([0x49, 0x49, 42, 0, 8]);
  for (let n = 0; n < pages; n++) {
    const at = 8 + n * length;
    view.setUint16(at, 2, true);
    for (const [i, tag] of [256, 257].entries()) {
      view.setUint16(at + 2 + 12 * i, tag, true);
      view.setUint16(at + 4 + 12 * i, 3, true);
      view.setUint32(at + 6 + 12 * i, 1, true);
      view.setUint16(at + 10 + 12 * i, 16, true);
    }
    view.setUint32(at + length - 4, n + 1 < pages ? at + length : 0, true);
  }
  return file;
}

test("a file has up to 100,000 pages, and says if it has more", async () => {
  const whole = await codec.probe(memoryBytes(chainOf(100_000)), 100_000);
  expect(whole.pages).toBe(100_000);
  expect(whole.pagesCut).toBeUndefined();
  const longer = memoryBytes(chainOf(100_001));
  expect(await codec.probe(longer, 1)).toMatchObject({ pages: 100_000, pagesCut: "limit" });
  await expect(codec.probe(longer, 100_001)).rejects.toMatchObject({ code: "page_not_found" });
});

test("the chain of a version of a file is followed once", async () => {
  const data = chainOf(5000);
  let total = 0;
  const inner = memoryBytes(data);
  const bytes: ByteSource = {
    size: data.length,
    async read(offset, length) {
      total += length;
      return inner.read(offset, length);
    },
  };
  await codec.probe(bytes, 1, "one");
  expect(total).toBeGreaterThan(data.length / 2);
  total = 0;
  expect((await codec.probe(bytes, 5000, "one")).pages).toBe(5000);
  expect(total).toBeLessThan(data.length);
  const sound = chainOf(3);
  expect((await codec.probe(memoryBytes(sound), 1, "two")).pages).toBe(3);
});
