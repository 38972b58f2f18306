// Bytes of a sidecar in blocks: what is cached, what is loaded, and which damage is detected.

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { notedDigest } from "../../../src/base/bytes/digest.ts";
import { ImagingError } from "../../../src/base/imaging-error.ts";
import { blockSource, createBlockCache } from "../../../src/imaging/sidecar/block-reader.ts";
import {
  blockBytes,
  blockWriter,
  loadBlockList,
  saveBlockList,
} from "../../../src/imaging/sidecar/blocks.ts";
import { type HeapBlocks, heapBlocks } from "../codecs/heap-blocks.ts";
import { sequence } from "../codecs/jpg/transcode/sources.ts";

const noise = (length: number, seed = 7) => {
  const next = sequence(seed);
  return new Uint8Array(length).map(() => 256 * next());
};

/** Much quicker than comparing element by element. */
const same = (a: ArrayBufferView, b: ArrayBufferView) =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

/** Writes bytes in chunks of a size that divides no block. */
async function written(bytes: Uint8Array, blocks: HeapBlocks) {
  const writer = blockWriter(blocks);
  for (let at = 0; at < bytes.length; at += 99_991) await writer.add(bytes.slice(at, at + 99_991));
  return writer.end();
}

/** Blocks that cannot be remade; `lost` counts the unusable ones. */
const from = (blocks: HeapBlocks) => ({
  current: () => blocks,
  losses: 0,
  onLost() {
    this.losses++;
  },
});

const gone = () => new ImagingError("decode", "lost", { code: "header_mismatch" });

describe("bytes in blocks", () => {
  const bytes = noise(2.5 * blockBytes);

  test("have blocks whose SHA-256 is noted for the store", async () => {
    const kept: Uint8Array[] = [];
    const writer = blockWriter({ room: bytes.length, keep: async (_, block) => void kept.push(block) });
    await writer.add(bytes);
    const { digests } = await writer.end();
    expect(kept.length).toBe(3);
    expect(same(Buffer.concat(kept), bytes)).toBe(true);
    for (const [number, block] of kept.entries()) {
      const digest = createHash("sha256").update(block).digest();
      expect(Buffer.from(notedDigest(block)!)).toEqual(digest);
      expect(same(digests.subarray(16 * number, 16 * number + 16), digest.subarray(0, 16))).toBe(true);
    }
  });

  test("come back as they were, over the borders of blocks and up to the end", async () => {
    const blocks = heapBlocks();
    const list = await written(bytes, blocks);
    expect([...blocks.all.values()].map(({ length }) => length)).toEqual([
      blockBytes,
      blockBytes,
      blockBytes / 2,
    ]);
    const source = blockSource(createBlockCache().reader(list, from(blocks)), gone);
    expect(source.size).toBe(bytes.length);
    for (const [offset, length] of [
      [0, 10],
      [blockBytes - 3, 6],
      [blockBytes - 1, blockBytes + 2],
      [bytes.length - 5, 100],
      [bytes.length, 1],
    ] as const)
      expect(same(await source.read(offset, length), bytes.slice(offset, offset + length))).toBe(true);
  });

  test("are borrowed unchanged, once they are cached", async () => {
    const blocks = heapBlocks();
    const list = await written(bytes, blocks);
    const source = blockSource(createBlockCache().reader(list, from(blocks)), gone);
    const places = [
      [0, 10],
      [blockBytes - 3, 6],
      [bytes.length - 5, 100],
      [blockBytes - 1, blockBytes + 2],
      [bytes.length, 1],
      [77, 0],
    ] as const;
    const ranges = places.map(([offset, length]) => ({ offset, length }));
    expect(source.borrow?.(ranges)).toBeUndefined();
    await source.read(0, blockBytes);
    expect(source.borrow?.(ranges)).toBeUndefined();
    await source.read(blockBytes, bytes.length);
    const lent = source.borrow?.(ranges);
    for (const [i, [offset, length]] of places.entries())
      expect(Buffer.compare(lent?.[i] as Uint8Array, bytes.subarray(offset, offset + length))).toBe(0);
  });

  test("are handed over block by block, in spite of other reads", async () => {
    const blocks = heapBlocks();
    await written(bytes, blocks);
    expect(blocks.peak()).toBe(blockBytes);
  });

  test("are loaded once for concurrent readers, and not again while there is room", async () => {
    const blocks = heapBlocks();
    const list = await written(bytes, blocks);
    const source = blockSource(createBlockCache().reader(list, from(blocks)), gone);
    await Promise.all([1, 2, 3, 4].map((n) => source.read(n * 1000, 1000)));
    await source.read(0, blockBytes);
    expect(blocks.loads).toEqual([0]);
  });

  test("take 48 MiB of memory at most, of however many blocks", async () => {
    const blocks = heapBlocks();
    const large = new Uint8Array(56 * blockBytes);
    for (let n = 0; n < 56; n++) large[n * blockBytes] = n;
    const list = await written(large, blocks);
    const cache = createBlockCache();
    const source = blockSource(cache.reader(list, from(blocks)), gone);
    for (let n = 0; n < 56; n++) expect((await source.read(n * blockBytes, 1))[0]).toBe(n);
    expect(cache.weight).toBe(48 * blockBytes);
    expect((await source.read(0, 1))[0]).toBe(0);
    expect(blocks.loads).toHaveLength(57);
  });

  test("are lost if one is missing, cut short, changed or another's, and remade if possible", async () => {
    const blocks = heapBlocks();
    const list = await written(bytes, blocks);
    const sound = blocks.all.get(1) as Uint8Array;
    const unsound = [
      undefined,
      sound.slice(1),
      sound.with(777, sound[777]! ^ 1),
      noise(blockBytes, 8),
      blocks.all.get(0),
    ];
    for (const block of unsound) {
      if (block) blocks.all.set(1, block);
      else blocks.all.delete(1);
      const origin = from(blocks);
      const source = blockSource(createBlockCache().reader(list, origin), gone);
      await expect(source.read(blockBytes + 100, 10)).rejects.toMatchObject({ code: "header_mismatch" });
      expect(await source.read(100, 10)).toEqual(bytes.slice(100, 110));
      expect(origin.losses).toBe(1);
      const again = async (n: number) => bytes.slice(n * blockBytes, (n + 1) * blockBytes);
      const sure = blockSource(createBlockCache().reader(list, { ...origin, again }), gone);
      expect(await sure.read(blockBytes + 100, 10)).toEqual(bytes.slice(blockBytes + 100, blockBytes + 110));
    }
  });

  test("are refused by their number as soon as there is no room for them", async () => {
    const blocks = heapBlocks(blockBytes);
    await expect(written(bytes, blocks)).rejects.toMatchObject({ kind: "unsupported" });
    expect(blocks.all.size).toBeLessThanOrEqual(1);
  });

  test("are described by a record that is refused if its parts do not agree", () => {
    const record = { first: 3, size: blockBytes + 1, digests: noise(32) };
    const saved = saveBlockList(record);
    expect(loadBlockList(saved)).toEqual(record);
    expect(loadBlockList(saved.slice(0, -1))).toBeUndefined();
    expect(loadBlockList(saved.slice(0, 4))).toBeUndefined();
    expect(loadBlockList(saveBlockList({ ...record, size: blockBytes }))).toBeUndefined();
    expect(loadBlockList(saveBlockList({ ...record, size: Number.NaN }))).toBeUndefined();
    expect(loadBlockList(saveBlockList({ ...record, first: -1 }))).toBeUndefined();
  });
});
