// What reads of a JPEG leave that are to do without a sidecar: the layer that they have made all of anyway.

import { beforeAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import type { SidecarAccess, SidecarLayer } from "../../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { grain } from "../../../../grain.ts";
import { testHost } from "../../../../host.ts";
import { countingBytes } from "../../counting.ts";
import { heapBlocks } from "../../heap-blocks.ts";

const codecOf = () => createCodecs(testHost).decoder("jpg");

const same = (a: ArrayBufferView, b: ArrayBufferView) =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

/** Access of reads that are to do without, and the entries that they leave. */
function leaving() {
  const entries: Uint8Array[] = [];
  const blocks = heapBlocks();
  const access: SidecarAccess = {
    id: "absent",
    absent: true,
    blocks,
    load: async () => new Uint8Array(),
    keepEntry: async (entry) => void entries.push(entry.slice()),
  };
  return { access, blocks, entries };
}

const builtOf = (file: Uint8Array, header: ImageHeader, layer: SidecarLayer) => {
  const access = { id: "built", blocks: heapBlocks(), load: async () => new Uint8Array() };
  return codecOf().sidecar!.build(memoryBytes(file), { header, page: 1 }, access, layer);
};

describe("a sequential file", () => {
  let file: Uint8Array;
  let header: ImageHeader;
  let ground: Uint8Array;
  const readOf = (region: Rectangle, scaleFactor = 1) => ({ header, page: 1, region, scaleFactor });
  const top = { x: 0, y: 0, width: 512, height: 64 };
  const bottom = { x: 512, y: 2944, width: 512, height: 56 };
  const whole = { x: 0, y: 0, width: 1200, height: 3000 };

  beforeAll(async () => {
    // Several of the pieces that are read together, so that the top ends long before the file.
    file = new Uint8Array(await grain(1200, 3000, 60).jpeg({ quality: 97 }).toBuffer());
    expect(file.length).toBeGreaterThan(3 * 2 ** 20);
    header = await codecOf().probe(memoryBytes(file), 1);
    ground = await builtOf(file, header, "ground");
  });

  test.each([
    ["a read at 1/8", whole, 8],
    ["a tile at 1/8, for which all access points are made too", { ...top, height: 512 }, 8],
    ["a tile at the bottom", bottom, 1],
    ["a picture at 1/2", whole, 2],
  ])("has its access points and small levels left by %s", async (_, region, scaleFactor) => {
    const { access, entries } = leaving();
    const read = readOf(region, scaleFactor);
    const codec = codecOf();
    const made = await codec.decode(memoryBytes(file), read, access);
    expect(made).toEqual(await codecOf().decode(memoryBytes(file), read));
    expect(entries.map((entry) => same(entry, ground))).toEqual([true]);
    // The next read is quick already, and leaves nothing more.
    const bytes = countingBytes(file);
    await codec.decode(bytes, readOf(top), access);
    expect(bytes.total()).toBeLessThan(file.length / 10);
    expect(entries).toHaveLength(1);
  });

  test("has nothing left by a tile at the top, until one at the bottom has read the rest", async () => {
    const { access, blocks, entries } = leaving();
    const codec = codecOf();
    const bytes = countingBytes(file);
    await codec.decode(bytes, readOf(top), access);
    expect(bytes.total()).toBeLessThan(file.length / 2);
    expect(entries).toEqual([]);
    await codec.decode(bytes, readOf(bottom), access);
    expect(entries.map((entry) => same(entry, ground))).toEqual([true]);
    expect(bytes.total()).toBeLessThan(1.1 * file.length);
    expect(blocks.all.size).toBe(0);
  });

  test("is read through what was left, by parts and at 1/8", async () => {
    const { access, entries } = leaving();
    await codecOf().decode(memoryBytes(file), readOf(whole, 8), access);
    const stored: SidecarAccess = { id: "stored", load: async () => entries[0]! };
    for (const read of [readOf(bottom), readOf(whole, 8)]) {
      const bytes = countingBytes(file);
      const made = await codecOf().decode(bytes, read, stored);
      expect(made).toEqual(await codecOf().decode(memoryBytes(file), read));
      expect(bytes.total()).toBeLessThan(file.length / 10);
    }
  });

  test("has nothing left where nothing is to be left, or its layer is there", async () => {
    const { access, entries } = leaving();
    const { keepEntry, ...closed } = access;
    await codecOf().decode(memoryBytes(file), readOf(bottom), closed);
    const present = { ...access, id: "present", absent: false, load: async () => ground };
    await codecOf().decode(memoryBytes(file), readOf(bottom), present);
    expect([keepEntry !== undefined, entries.length]).toEqual([true, 0]);
  });

  test("has nothing left if it ends early", async () => {
    const cut = file.subarray(0, file.length / 2);
    for (const scaleFactor of [1, 8]) {
      const { access, entries } = leaving();
      const { incomplete } = await codecOf().decode(memoryBytes(cut), readOf(whole, scaleFactor), access);
      expect([incomplete, entries.length]).toEqual([true, 0]);
    }
  });
});

describe("a progressive file", () => {
  let file: Uint8Array;
  let header: ImageHeader;
  const readOf = (scaleFactor: number, region = { x: 0, y: 0, width: 1200, height: 900 }) => ({
    header,
    page: 1,
    region,
    scaleFactor,
  });

  beforeAll(async () => {
    file = new Uint8Array(await grain(1200, 900, 40).jpeg({ quality: 90, progressive: true }).toBuffer());
    header = await codecOf().probe(memoryBytes(file), 1);
  });

  test("at 1/8 has its level left, from which it is read again without its scans", async () => {
    const { access, blocks, entries } = leaving();
    const codec = codecOf();
    const bytes = countingBytes(file);
    const made = await codec.decode(bytes, readOf(8), access);
    expect(made).toEqual(await codecOf().decode(memoryBytes(file), readOf(8)));
    const overview = await builtOf(file, header, "overview");
    expect(entries.map((entry) => same(entry, overview))).toEqual([true]);
    expect(blocks.all.size).toBe(0);
    const once = bytes.total();
    const part = { x: 400, y: 200, width: 512, height: 512 };
    const stored: SidecarAccess = { id: "stored", load: async () => entries[0]! };
    const none = countingBytes(file);
    const fresh = codecOf();
    for (const read of [readOf(8), readOf(8, part)]) {
      const expected = await codecOf().decode(memoryBytes(file), read);
      expect(await fresh.decode(none, read, stored)).toEqual(expected);
      expect(await codec.decode(bytes, read, access)).toEqual(expected);
    }
    expect([none.total(), bytes.total(), entries.length]).toEqual([0, once, 1]);
  });

  test("at other scales has nothing left, since its transcode is built first", async () => {
    for (const scaleFactor of [1, 4]) {
      const { access, entries } = leaving();
      await codecOf().decode(memoryBytes(file), readOf(scaleFactor), access);
      expect(entries).toEqual([]);
    }
  });

  test("has nothing left if it ends early", async () => {
    for (const part of [0.1, 0.7]) {
      const { access, entries } = leaving();
      const { incomplete } = await codecOf().decode(
        memoryBytes(file.subarray(0, part * file.length)),
        readOf(8),
        access,
      );
      expect([incomplete, entries.length]).toEqual([true, 0]);
    }
  });
});
