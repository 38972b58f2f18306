// Thumbnails of images without random access: the first read leaves an overview, from which other sizes and
// tiles at those scales are read.
// @module-tag slow

import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { concatenate } from "../../../../src/base/bytes/concatenate.ts";
import type { SidecarAccess } from "../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { testHost } from "../../../host.ts";
import { sampled } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { countingBytes } from "../counting.ts";
import { type HeapBlocks, heapBlocks } from "../heap-blocks.ts";

/** The half of it has more than 2 megapixels, so that the quarter is the first level of the overview. */
const [width, height] = [2960, 2900];
const whole = { x: 0, y: 0, width, height };

/** Gradients with a little noise. */
const random = seeded(11);
const samples = new Uint8Array(width * height).map((_, i) => i / 1700 + random(9));
const picture = (space: "b-w" | "srgb" = "srgb") =>
  sharp(samples, { raw: { width, height, channels: 1 } }).toColourspace(space);
/** The formats that hold gray too do so, save for one. */
const inColour = sampled("formats of overviews in RGB", ["png", "tif"], 1);
const spaceOf = (format: string) => (inColour.includes(format) ? "srgb" : "b-w");

const files = {
  png: () => picture(spaceOf("png")).png({ compressionLevel: 1 }).toBuffer(),
  webp: () => picture().webp({ quality: 60, effort: 0 }).toBuffer(),
  gif: () => picture().gif({ effort: 1, colours: 16, dither: 0 }).toBuffer(),
  tif: () => picture(spaceOf("tif")).tiff({ compression: "lzw" }).toBuffer(),
} as const;

const same = (a: ArrayBufferView, b: ArrayBufferView) =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

/** Access of reads that are to do without, and may leave an overview. */
function leaving(room?: number) {
  const blocks = heapBlocks(room);
  const entries: Uint8Array[] = [];
  const access: SidecarAccess & { blocks: HeapBlocks } = {
    id: "absent",
    absent: true,
    blocks,
    load: async () => new Uint8Array(),
    keepEntry: async (entry) => void entries.push(entry.slice()),
  };
  return { access, blocks, entries };
}

describe.each(Object.keys(files) as (keyof typeof files)[])("a %s file", (format) => {
  let file: Uint8Array;
  let header: ImageHeader;
  const codecOf = () => createCodecs(testHost).decoder(format);
  const readOf = (region: Rectangle, scaleFactor: number) => ({ header, page: 1, region, scaleFactor });
  const thumbnail = () => readOf(whole, 8);
  const others = () => [
    readOf(whole, 4),
    readOf(whole, 16),
    readOf({ x: 2048, y: 0, width: width - 2048, height: 2048 }, 4),
    readOf({ x: 1024, y: 512, width: 512, height: 704 }, 8),
  ];
  const reads = new Map<string, PixelBuffer["data"]>();
  /** What the file alone has, decoded once for each region and scale. */
  const fromFile = async (read: ReturnType<typeof readOf>) => {
    const key = JSON.stringify([read.region, read.scaleFactor]);
    const data = reads.get(key) ?? (await codecOf().decode(memoryBytes(file), read)).data;
    reads.set(key, data);
    return data;
  };

  beforeAll(async () => {
    file = new Uint8Array(await files[format]());
    header = await codecOf().probe(memoryBytes(file), 1);
  });

  test("leaves an overview with its first thumbnail, and other sizes and tiles need no byte of the file", async () => {
    const { access, blocks, entries } = leaving();
    const codec = codecOf();
    const bytes = countingBytes(file);
    const { data } = await codec.decode(bytes, thumbnail(), access);
    expect(same(data, await fromFile(thumbnail()))).toBe(true);
    expect([entries.length, blocks.all.size > 0]).toEqual([1, true]);
    const once = bytes.total();
    const stored: SidecarAccess = { id: "stored", blocks, load: async () => entries[0]! };
    const fresh = codecOf();
    const none = countingBytes(file);
    for (const read of others()) {
      const expected = await fromFile(read);
      expect(same((await fresh.decode(none, read, stored)).data, expected)).toBe(true);
      // So do reads of the same process before the entry is stored.
      expect(same((await codec.decode(bytes, read, access)).data, expected)).toBe(true);
    }
    expect([none.total(), bytes.total(), entries.length]).toEqual([0, once, 1]);
  });

  test("leaves the overview that a build makes, with rows too", async () => {
    const { access, blocks, entries } = leaving();
    const pieces: Uint8Array[] = [];
    const take = async ({ data }: { data: ArrayLike<number> }) => void pieces.push(new Uint8Array(data));
    await codecOf().rows!.decode(memoryBytes(file), thumbnail(), 2048, take, access);
    expect(same(concatenate(pieces), await fromFile(thumbnail()))).toBe(true);
    const built = heapBlocks();
    const making = { id: "built", blocks: built, load: async () => new Uint8Array() };
    const entry = await codecOf().sidecar!.build(memoryBytes(file), { header, page: 1 }, making, "overview");
    expect(entries.map((left) => same(left, entry))).toEqual([true]);
    expect([...blocks.all.keys()]).toEqual([...built.all.keys()]);
    for (const [n, block] of built.all) expect(same(blocks.all.get(n)!, block)).toBe(true);
  });

  test("leaves nothing for a tile below the overview, nor if nothing is to be left", async () => {
    const tile = { x: 0, y: 0, width: 512, height: 512 };
    const { access, blocks, entries } = leaving();
    for (const scaleFactor of [1, 2])
      await codecOf().decode(memoryBytes(file), readOf(tile, scaleFactor), access);
    const { keepEntry, ...closed } = access;
    await codecOf().decode(memoryBytes(file), thumbnail(), closed);
    await codecOf().decode(memoryBytes(file), thumbnail(), { ...access, absent: false });
    expect([keepEntry !== undefined, entries.length, blocks.all.size]).toEqual([true, 0, 0]);
  });

  test("leaves nothing if it ends early", async () => {
    for (const part of [0.5, 0.9]) {
      const { access, blocks, entries } = leaving();
      const cut = memoryBytes(file.subarray(0, part * file.length));
      const alone = await codecOf()
        .decode(cut, thumbnail())
        .catch(({ kind }) => kind);
      const made = await codecOf()
        .decode(cut, thumbnail(), access)
        .catch(({ kind }) => kind);
      expect(made).toEqual(alone);
      expect([entries.length, blocks.all.size]).toEqual([0, 0]);
    }
  });

  test("is shown if there is no room for the overview, which is not left", async () => {
    const { access, blocks, entries } = leaving(1000);
    const { data } = await codecOf().decode(memoryBytes(file), thumbnail(), access);
    expect(same(data, await fromFile(thumbnail()))).toBe(true);
    expect([entries.length, blocks.all.size]).toEqual([0, 0]);
  });

  test("uses the overview or the pyramid for thumbnails, and the pyramid alone for what is below", () => {
    const { use, layers } = codecOf().sidecar!;
    const room = 2 ** 30;
    for (const read of [thumbnail(), ...others()])
      expect(use(read, file.length, room)).toEqual({ layers: ["overview", "pyramid"], way: "begin" });
    for (const scaleFactor of [1, 2])
      expect(use(readOf(whole, scaleFactor), file.length, room)?.layers).toEqual(["pyramid"]);
    expect(layers(header, file.length, room)).toEqual(["pyramid"]);
    // Room for the overview alone: a quarter of each side, and less.
    const little = (width * height * header.bands) / 3;
    expect(use(thumbnail(), file.length, little)?.layers).toEqual(["overview"]);
    expect(use(readOf(whole, 2), file.length, little)).toBeUndefined();
    expect(layers(header, file.length, little)).toEqual(["overview"]);
    expect(use(thumbnail(), file.length, 1000)).toBeUndefined();
    expect(layers(header, file.length, 1000)).toEqual([]);
  });
});

test("an overview that is lost is reported, and thumbnails are made from the file", async () => {
  const codecOf = () => createCodecs(testHost).decoder("png");
  const file = new Uint8Array(await files.png());
  const header = await codecOf().probe(memoryBytes(file), 1);
  const read = { header, page: 1, region: whole, scaleFactor: 8 };
  const { access, blocks, entries } = leaving();
  const { data } = await codecOf().decode(memoryBytes(file), read, access);
  blocks.all.clear();
  let losses = 0;
  const stored = { id: "lost", blocks, load: async () => entries[0]!, reportLoss: () => void losses++ };
  expect(same((await codecOf().decode(memoryBytes(file), read, stored)).data, data)).toBe(true);
  expect(losses).toBeGreaterThan(0);
});
