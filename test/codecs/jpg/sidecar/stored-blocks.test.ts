// What is kept beside an index in blocks, as the twin of a progressive file: what is kept, what is loaded to read a region, and
// what is noticed.

import { beforeAll, describe, expect, test } from "vitest";
import type { ImageHeader, IndexAccess } from "../../../../src/codecs/codec.ts";
import { createCodecs } from "../../../../src/codecs/index.ts";
import {
  blockBytes,
  blockSource,
  blockWriter,
  createBlockCache,
  loadStoredBlocks,
  saveStoredBlocks,
} from "../../../../src/codecs/jpg/sidecar/stored-blocks.ts";
import { memoryBytes } from "../../../../src/lib/byte-source.ts";
import { grain } from "../../../grain.ts";
import { fixture, testHost } from "../../../host.ts";
import { countingBytes } from "../../counting.ts";
import { type HeapBlocks, heapBlocks } from "../../index-blocks.ts";
import { sequence } from "../transcode/sources.ts";

const noise = (length: number, seed = 7) => {
  const next = sequence(seed);
  return Uint8Array.from({ length }, () => 256 * next());
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

/** Blocks that nobody can make again; `lost` counts those that do not do. */
const from = (blocks: HeapBlocks) => ({
  current: () => blocks,
  losses: 0,
  lost() {
    this.losses++;
  },
});

describe("bytes in blocks", () => {
  const bytes = noise(2.5 * blockBytes);

  test("come back as they were, over the borders of blocks and up to the end", async () => {
    const blocks = heapBlocks();
    const twin = await written(bytes, blocks);
    expect([...blocks.all.values()].map(({ length }) => length)).toEqual([
      blockBytes,
      blockBytes,
      blockBytes / 2,
    ]);
    const source = blockSource(createBlockCache().reader(twin, from(blocks)));
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

  test("are handed over one block after the other, whatever comes in between", async () => {
    const blocks = heapBlocks();
    await written(bytes, blocks);
    expect(blocks.peak()).toBe(blockBytes);
  });

  test("are loaded once for all who read at the same time, and not again while there is room", async () => {
    const blocks = heapBlocks();
    const twin = await written(bytes, blocks);
    const source = blockSource(createBlockCache().reader(twin, from(blocks)));
    await Promise.all([1, 2, 3, 4].map((n) => source.read(n * 1000, 1000)));
    await source.read(0, blockBytes);
    expect(blocks.loads).toEqual([0]);
  });

  test("take 48 MiB of memory at most, of however many blocks", async () => {
    const blocks = heapBlocks();
    const large = new Uint8Array(56 * blockBytes);
    for (let n = 0; n < 56; n++) large[n * blockBytes] = n;
    const twin = await written(large, blocks);
    const cache = createBlockCache();
    const source = blockSource(cache.reader(twin, from(blocks)));
    for (let n = 0; n < 56; n++) expect((await source.read(n * blockBytes, 1))[0]).toBe(n);
    expect(cache.weight).toBe(48 * blockBytes);
    expect((await source.read(0, 1))[0]).toBe(0);
    expect(blocks.loads).toHaveLength(57);
  });

  test("are lost where one is missing, cut short, changed or another's, and made again where they can be", async () => {
    const blocks = heapBlocks();
    const twin = await written(bytes, blocks);
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
      const source = blockSource(createBlockCache().reader(twin, origin));
      await expect(source.read(blockBytes + 100, 10)).rejects.toMatchObject({ code: "header_mismatch" });
      expect(await source.read(100, 10)).toEqual(bytes.slice(100, 110));
      expect(origin.losses).toBe(1);
      const again = async (n: number) => bytes.slice(n * blockBytes, (n + 1) * blockBytes);
      const sure = blockSource(createBlockCache().reader(twin, { ...origin, again }));
      expect(await sure.read(blockBytes + 100, 10)).toEqual(bytes.slice(blockBytes + 100, blockBytes + 110));
    }
  });

  test("are refused by their number as soon as there is no room for them", async () => {
    const blocks = heapBlocks(blockBytes);
    await expect(written(bytes, blocks)).rejects.toMatchObject({ kind: "unsupported" });
    expect(blocks.all.size).toBeLessThanOrEqual(1);
  });

  test("are told by a record that is refused when its parts do not agree", () => {
    const record = { first: 3, size: blockBytes + 1, digests: noise(32) };
    const saved = saveStoredBlocks(record);
    expect(loadStoredBlocks(saved)).toEqual(record);
    expect(loadStoredBlocks(saved.slice(0, -1))).toBeUndefined();
    expect(loadStoredBlocks(saved.slice(0, 4))).toBeUndefined();
    expect(loadStoredBlocks(saveStoredBlocks({ ...record, size: blockBytes }))).toBeUndefined();
    expect(loadStoredBlocks(saveStoredBlocks({ ...record, size: Number.NaN }))).toBeUndefined();
    expect(loadStoredBlocks(saveStoredBlocks({ ...record, first: -1 }))).toBeUndefined();
  });
});

describe("a progressive file of several blocks", () => {
  const codec = createCodecs(testHost).byFormat("jpg");
  let file: Uint8Array;
  let header: ImageHeader;
  let index: Uint8Array;
  const blocks = heapBlocks();

  beforeAll(async () => {
    file = new Uint8Array(await grain(2000, 1600, 50).jpeg({ quality: 90, progressive: true }).toBuffer());
    header = await codec.probe(memoryBytes(file), 1);
    index = (await codec.index?.(memoryBytes(file), header, {
      id: "made",
      absent: true,
      blocks,
      load: async () => new Uint8Array(),
    })) as Uint8Array;
  });

  let ids = 0;
  const access = (own: HeapBlocks = blocks): IndexAccess => ({
    id: `blocks-${++ids}`,
    blocks: own,
    load: async () => index,
  });
  const read = (y: number, height = 64) => ({
    header,
    page: 1,
    region: { x: 512, y, width: 512, height },
    scaleFactor: 1,
  });

  test("has an index of a hundredth of its twin, which lies in whole blocks beside it", () => {
    expect(blocks.all.size).toBeGreaterThanOrEqual(3);
    const sizes = [...blocks.all.keys()].sort().map((n) => blocks.all.get(n)?.length);
    expect(new Set(sizes.slice(0, -1))).toEqual(new Set([blockBytes]));
    const twin = sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
    // the overview at 1/8 is width times height times 1.5 over 64, as the chroma of 4:2:0 is a quarter each
    expect(index.length - (2000 * 1600 * 1.5) / 64).toBeLessThan(twin / 100);
  });

  test("is decoded to the same pixels as without index, from the blocks of the region alone", async () => {
    // in a process that has loaded none yet
    const fresh = createCodecs(testHost).byFormat("jpg");
    const own = access();
    blocks.loads.length = 0;
    const source = countingBytes(file);
    const last = blocks.all.size - 1;
    const pixels = await fresh.decode(source, read(1500), own);
    expect(source.total()).toBe(0);
    // the header of the twin lies in the first block
    expect(blocks.loads.filter((n) => n > 0 && n < last - 1)).toEqual([]);
    const loaded = blocks.loads.length;
    await fresh.decode(source, { ...read(1500), region: { x: 0, y: 1500, width: 500, height: 64 } }, own);
    expect(blocks.loads).toHaveLength(loaded);
    const whole = await codec.decode(memoryBytes(file), { ...read(1500), whole: true });
    expect([pixels.width, pixels.height, same(pixels.data, whole.data)]).toEqual([512, 64, true]);
  });

  test("is shown rightly where a block is missing or another's, which is reported", async () => {
    const last = blocks.all.size - 1;
    const whole = await codec.decode(memoryBytes(file), { ...read(1530), whole: true });
    for (const block of [undefined, blocks.all.get(0), blocks.all.get(last)?.with(5, 0).with(6, 99)]) {
      const other = heapBlocks();
      for (const [n, each] of blocks.all) other.all.set(n, each);
      if (block) other.all.set(last, block);
      else other.all.delete(last);
      let reports = 0;
      const own = { ...access(other), unfit: () => reports++ };
      const fresh = createCodecs(testHost).byFormat("jpg");
      const pixels = await fresh.decode(memoryBytes(file), read(1530), own);
      expect(same(pixels.data, whole.data)).toBe(true);
      expect(reports).toBeGreaterThan(0);
    }
  });

  test("is not read through the index of a sequential one, nor the other way round", async () => {
    const own = fixture("jpg-baseline-420.jpg");
    const ownHeader = await codec.probe(memoryBytes(own), 1);
    const ownIndex = (await codec.index?.(memoryBytes(own), ownHeader)) as Uint8Array;
    let reports = 0;
    const unfit = () => reports++;
    const foreign = { ...access(), load: async () => ownIndex, unfit };
    const right = await codec.decode(memoryBytes(file), { ...read(0), whole: true });
    expect(same((await codec.decode(memoryBytes(file), read(0), foreign)).data, right.data)).toBe(true);
    const region = { x: 0, y: 0, width: 100, height: 100 };
    const ownRead = { header: ownHeader, page: 1, region, scaleFactor: 1 };
    const ownRight = await codec.decode(memoryBytes(own), { ...ownRead, whole: true });
    const ownPixels = await codec.decode(memoryBytes(own), ownRead, { ...access(), unfit });
    expect(same(ownPixels.data, ownRight.data)).toBe(true);
    expect(reports).toBe(2);
  });

  test("has no index where there is no room for its blocks, and is read and planned as if it had one", async () => {
    const tooSmall = { ...access(), blocks: heapBlocks(file.length / 2) };
    expect(await codec.index?.(memoryBytes(file), header, tooSmall)).toHaveLength(0);
    expect(codec.indexing?.(read(0), file.length, file.length / 2)).toBe("none");
    const absent = { ...tooSmall, id: "no room", absent: true };
    const right = await codec.decode(memoryBytes(file), { ...read(1100), whole: true });
    expect(same((await codec.decode(memoryBytes(file), read(1100), absent)).data, right.data)).toBe(true);
    expect(codec.memory(read(0), file.length)).toBeLessThan(
      25 * 2 ** 20 + 2 * 2000 * 16 * 3 + 3 * 600 * 200 * 3 + 2000 * 1600,
    );
  });

  test("waits for its index but at 1/8, which goes on apart; a sequential file begins with each", async () => {
    const told = (scaleFactor: number, variant: string) =>
      codec.indexing?.({ ...read(0), header: { ...header, variant }, scaleFactor }, file.length, 2 ** 30);
    expect([1, 2, 4, 8].map((factor) => told(factor, "progressive"))).toEqual([
      "wait",
      "wait",
      "wait",
      "apart",
    ]);
    expect([1, 8].map((factor) => told(factor, "baseline"))).toEqual(["begin", "begin"]);
  });
});
