// A progressive file through its sidecar: which blocks a region loads, and which damage is detected.

import { beforeAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import type { SidecarAccess } from "../../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { blockBytes } from "../../../../../src/imaging/sidecar/blocks.ts";
import { readEntry } from "../../../../../src/imaging/sidecar/entry.ts";
import { grain } from "../../../../grain.ts";
import { fixture, testHost } from "../../../../host.ts";
import { countingBytes } from "../../counting.ts";
import { type HeapBlocks, heapBlocks } from "../../heap-blocks.ts";

/** Much quicker than comparing element by element. */
const same = (a: ArrayBufferView, b: ArrayBufferView) =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

describe("a progressive file of several blocks", () => {
  const codec = createCodecs(testHost).decoder("jpg");
  let file: Uint8Array;
  let header: ImageHeader;
  let index: Uint8Array;
  const blocks = heapBlocks();
  /** Number of blocks of the transcode. */
  let count: number;

  beforeAll(async () => {
    file = new Uint8Array(await grain(2000, 1600, 50).jpeg({ quality: 90, progressive: true }).toBuffer());
    header = await codec.probe(memoryBytes(file), 1);
    index = (await codec.sidecar?.build(
      memoryBytes(file),
      { header, page: 1 },
      {
        id: "made",
        absent: true,
        blocks,
        load: async () => new Uint8Array(),
      },
    )) as Uint8Array;
    const { first, size } = readEntry(index)!.get("transcode")!.blocks;
    count = first + Math.ceil(size / blockBytes);
    expect(blocks.all.size).toBe(count);
  });

  let ids = 0;
  const access = (own: HeapBlocks = blocks): SidecarAccess => ({
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

  test("has an entry of a hundredth of its transcode, which is stored in whole blocks separately", () => {
    expect(count).toBeGreaterThanOrEqual(3);
    const sizes = Array.from({ length: count }, (_, n) => blocks.all.get(n)?.length);
    expect(new Set(sizes.slice(0, -1))).toEqual(new Set([blockBytes]));
    const transcode = sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
    // the level at 1/8 is width times height times 1.5 over 64, as the chroma of 4:2:0 is a quarter each
    expect(index.length - (2000 * 1600 * 1.5) / 64).toBeLessThan(transcode / 100);
  });

  test("decodes to the same pixels as without a sidecar, from the blocks of the region alone", async () => {
    // in a process that has loaded none yet
    const fresh = createCodecs(testHost).decoder("jpg");
    const own = access();
    blocks.loads.length = 0;
    const source = countingBytes(file);
    const last = count - 1;
    const pixels = await fresh.decode(source, read(1500), own);
    expect(source.total()).toBe(0);
    // the header of the transcode is in the first block
    expect(blocks.loads.filter((n) => n > 0 && n < last - 1)).toEqual([]);
    const loaded = blocks.loads.length;
    await fresh.decode(source, { ...read(1500), region: { x: 0, y: 1500, width: 500, height: 64 } }, own);
    expect(blocks.loads).toHaveLength(loaded);
    const whole = await codec.decode(memoryBytes(file), { ...read(1500), whole: true });
    expect([pixels.width, pixels.height, same(pixels.data, whole.data)]).toEqual([512, 64, true]);
  });

  test("is shown correctly if a block is missing or another's, which is reported", async () => {
    const last = count - 1;
    const whole = await codec.decode(memoryBytes(file), { ...read(1530), whole: true });
    for (const block of [undefined, blocks.all.get(0), blocks.all.get(last)?.with(5, 0).with(6, 99)]) {
      const other = heapBlocks();
      for (const [n, each] of blocks.all) other.all.set(n, each);
      if (block) other.all.set(last, block);
      else other.all.delete(last);
      let reports = 0;
      const own = { ...access(other), reportLoss: () => reports++ };
      const fresh = createCodecs(testHost).decoder("jpg");
      const pixels = await fresh.decode(memoryBytes(file), read(1530), own);
      expect(same(pixels.data, whole.data)).toBe(true);
      expect(reports).toBeGreaterThan(0);
    }
  });

  test("is not read through the sidecar of a sequential one, nor the other way round", async () => {
    const own = fixture("jpg-baseline-420.jpg");
    const ownHeader = await codec.probe(memoryBytes(own), 1);
    const ownIndex = (await codec.sidecar?.build(memoryBytes(own), {
      header: ownHeader,
      page: 1,
    })) as Uint8Array;
    let reports = 0;
    const reportLoss = () => reports++;
    const foreign = { ...access(), load: async () => ownIndex, reportLoss };
    const right = await codec.decode(memoryBytes(file), { ...read(0), whole: true });
    expect(same((await codec.decode(memoryBytes(file), read(0), foreign)).data, right.data)).toBe(true);
    const region = { x: 0, y: 0, width: 100, height: 100 };
    const ownRead = { header: ownHeader, page: 1, region, scaleFactor: 1 };
    const ownRight = await codec.decode(memoryBytes(own), { ...ownRead, whole: true });
    const ownPixels = await codec.decode(memoryBytes(own), ownRead, { ...access(), reportLoss });
    expect(same(ownPixels.data, ownRight.data)).toBe(true);
    expect(reports).toBe(2);
  });

  test("has no transcode if there is no room for its blocks, and is read and planned as if it had one", async () => {
    const tooSmall = { ...access(), blocks: heapBlocks(file.length / 2) };
    expect(await codec.sidecar?.build(memoryBytes(file), { header, page: 1 }, tooSmall)).toHaveLength(0);
    const room = file.length / 2;
    expect(codec.sidecar?.use(read(0), file.length, room)).toBeUndefined();
    // The level at 1/8 needs no blocks.
    expect(codec.sidecar?.layers(header, file.length, room)).toEqual(["overview"]);
    expect(codec.sidecar?.use({ ...read(0), scaleFactor: 8 }, file.length, room)).toMatchObject({
      way: "begin",
    });
    const absent = { ...tooSmall, id: "no room", absent: true };
    const right = await codec.decode(memoryBytes(file), { ...read(1100), whole: true });
    expect(same((await codec.decode(memoryBytes(file), read(1100), absent)).data, right.data)).toBe(true);
    expect(codec.memory(read(0), file.length)).toBeLessThan(
      25 * 2 ** 20 + 2 * 2000 * 16 * 3 + 3 * 600 * 200 * 3 + 2000 * 1600,
    );
  });

  test("waits for its transcode except at 1/8, where it begins; a sequential file begins with each", () => {
    const useOf = (scaleFactor: number, variant: string) =>
      codec.sidecar?.use({ ...read(0), header: { ...header, variant }, scaleFactor }, file.length, 2 ** 30);
    const transcoded = { layers: ["ground"], way: "wait" };
    expect([1, 2, 4, 8].map((factor) => useOf(factor, "progressive"))).toEqual([
      transcoded,
      transcoded,
      transcoded,
      { layers: ["overview", "ground"], way: "begin" },
    ]);
    const begun = { layers: ["ground"], way: "begin" };
    expect([1, 8].map((factor) => useOf(factor, "baseline"))).toEqual([begun, begun]);
  });
});
