// Rows of an image with a pyramid: the pixels of reads in one piece, from the sidecar, from the file, and
// from both if a block is lost; and a read that counted on a lost sidecar.

import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { concatenate } from "../../../../src/base/bytes/concatenate.ts";
import type { SidecarAccess } from "../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader, Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { wholeFileError } from "../../../../src/imaging/codecs/whole-file.ts";
import { testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { type HeapBlocks, heapBlocks } from "../heap-blocks.ts";

const [width, height] = [1500, 1100];
const blank = async () => new Uint8Array();

/** An image of gradients and noise, so that its sidecar takes several blocks. */
function picture() {
  const random = seeded(7);
  const data = new Uint8Array(width * height * 3).map((_, i) => (i / 50 + random(60)) & 255);
  return sharp(data, { raw: { width, height, channels: 3 } });
}

const files = {
  png: () => picture().png({ compressionLevel: 1 }).toBuffer(),
  webp: () => picture().webp({ lossless: true, effort: 0 }).toBuffer(),
};

describe.each(["png", "webp"] as const)("rows of a %s file", (format) => {
  let bytes: ByteSource;
  let header: ImageHeader;
  let entry: Uint8Array;
  let blocks: HeapBlocks;
  const codecOf = () => createCodecs(testHost).decoder(format);

  beforeAll(async () => {
    bytes = memoryBytes(await files[format]());
    header = await codecOf().probe(bytes, 1);
    blocks = heapBlocks();
    entry = await codecOf().sidecar!.build(bytes, { header, page: 1 }, { id: "built", blocks, load: blank });
    expect(blocks.all.size).toBeGreaterThan(3);
  });

  const readOf = (region: Rectangle, scaleFactor = 1) => ({ header, page: 1, region, scaleFactor });
  const whole = { x: 0, y: 0, width, height };
  const stored = (own: Partial<SidecarAccess> = {}): SidecarAccess => ({
    id: "stored",
    blocks,
    load: async () => entry,
    ...own,
  });
  const rowsOf = async (read: ReturnType<typeof readOf>, rows: number, access?: SidecarAccess) => {
    const pieces: Uint8Array[] = [];
    const take = async ({ data }: { data: ArrayLike<number> }) => void pieces.push(Uint8Array.from(data));
    expect(await codecOf().rows!.decode(bytes, read, rows, take, access)).toBe(false);
    return { pieces: pieces.length, data: Buffer.from(concatenate(pieces)) };
  };

  test.each([
    ["whole", whole, 1],
    ["a part that begins between rows of tiles", { x: 100, y: 300, width: 700, height: 701 }, 1],
    ["a half", whole, 2],
    ["an eighth of a part", { x: 64, y: 128, width: 1000, height: 900 }, 8],
  ])("are those of reads in one piece: %s", async (_, region, scaleFactor) => {
    const read = readOf(region, scaleFactor);
    const expected = Buffer.from((await codecOf().decode(bytes, read)).data);
    for (const access of [undefined, stored()]) {
      const made = await rowsOf(read, 256 * scaleFactor, access);
      expect(made.data.equals(expected)).toBe(true);
    }
  });

  test("come in pieces, from the sidecar too", async () => {
    expect((await rowsOf(readOf(whole), 256, stored())).pieces).toBe(5);
    expect((await rowsOf(readOf(whole), 256)).pieces).toBeGreaterThan(5);
  });

  test("come from the file after the first lost block, and the loss is reported", async () => {
    let losses = 0;
    // Blocks of the last rows of the image itself; those of its halves follow.
    const lost = Math.floor(blocks.all.size / 2);
    const load = async (block: number) => (block >= lost ? undefined : blocks.all.get(block)?.slice());
    const access = stored({ blocks: { ...blocks, load }, reportLoss: () => void losses++ });
    const expected = Buffer.from((await codecOf().decode(bytes, readOf(whole))).data);
    const made = await rowsOf(readOf(whole), 256, access);
    expect(made.data.equals(expected)).toBe(true);
    expect(losses).toBeGreaterThan(0);
  });

  test("need no more memory than a few of them from the sidecar, and less than all", () => {
    const { rows, sidecar, memory } = codecOf();
    const read = readOf(whole);
    const size = bytes.size ?? 0;
    const stored = (count?: number) => sidecar!.memoryWith!(read, count) ?? Number.NaN;
    expect(stored(256)).toBeLessThan(stored());
    expect(stored()).toBeLessThanOrEqual(memory(read, size));
    expect(rows!.memory(read, 256, size)).toBeLessThan(memory(read, size));
  });

  test("of a lost sidecar are read again as a whole if memory was counted for the sidecar alone", async () => {
    const read = readOf({ x: 0, y: 512, width: 512, height: 512 });
    const enough = codecOf().memory(read, bytes.size ?? 0);
    const lost = (memory: number) =>
      stored({ memory, blocks: { ...blocks, load: async () => undefined }, reportLoss: () => {} });
    const decode = (memory: number) => codecOf().decode(bytes, read, lost(memory));
    const expected = await codecOf().decode(bytes, read);
    const wanted = { code: wholeFileError().code };
    await expect(decode(enough - 1)).rejects.toMatchObject(wanted);
    expect(await decode(enough)).toEqual(expected);
    const rows = codecOf().rows!.decode(bytes, read, 256, async () => {}, lost(1));
    await expect(rows).rejects.toMatchObject(wanted);
  });
});
