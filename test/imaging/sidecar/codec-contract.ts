// The contract of every codec's sidecar. test/imaging/sidecar/contract.test.ts has a row for each.

import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type ByteSource, memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../src/base/imaging-error.ts";
import type { Decoder, SidecarAccess, SidecarLayer } from "../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../src/imaging/codecs/image-header.ts";
import type { ReadRequest } from "../../../src/imaging/codecs/plan.ts";
import { countingBytes } from "../codecs/counting.ts";
import { type HeapBlocks, heapBlocks } from "../codecs/heap-blocks.ts";

export interface SidecarContract {
  /** Another codec each time: nothing that one has parsed may help the next. */
  readonly codec: () => Decoder;
  /** A sound file for which a sidecar can be stored. */
  readonly file: () => Promise<Uint8Array>;
  /** The layer to build; `ground` by default. */
  readonly layer?: SidecarLayer;
  /** Reads that are cheaper with a sidecar. */
  readonly reads: (header: ImageHeader) => readonly ReadRequest[];
  /** Reads that use the parts that the others do not use; the file alone may serve them as cheaply. */
  readonly rest?: (header: ImageHeader) => readonly ReadRequest[];
}

interface Built {
  readonly entry: Uint8Array;
  readonly blocks: HeapBlocks;
}

/** Bytes by their digest, which is quick to compare. */
const digestOf = (data: ArrayBufferView) =>
  createHash("sha256")
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest("hex");

const sidecarOf = ({ sidecar }: Decoder) => {
  if (!sidecar) throw new Error("expected a codec with the group sidecar");
  return sidecar;
};

/** True for layers that are built on `ground`, and read together with it. */
const isZoom = (layer: SidecarLayer) => layer === "level4" || layer === "level2";

/** A build of a layer; `memory` limits it, and `ground` is what a level is built on, if there is any. */
interface Build {
  readonly id: string;
  readonly layer: SidecarLayer;
  readonly memory?: number | undefined;
  readonly ground?: Built | undefined;
}

/** Returns access to a stored layer; to an absent one if there is none. */
const accessOf = (id: string, stored: Built | undefined): SidecarAccess => ({
  id,
  ...(stored ? { blocks: stored.blocks } : { absent: true }),
  load: async () => stored?.entry ?? new Uint8Array(),
});

/** Builds as the service does. */
async function build(
  codec: Decoder,
  bytes: ByteSource,
  header: ImageHeader,
  { id, layer, memory, ground }: Build,
): Promise<Built> {
  const blocks = heapBlocks();
  const made: SidecarAccess = { id, memory, blocks, load: async () => new Uint8Array() };
  const access = isZoom(layer) ? { ...accessOf(`${id}, ground`, ground), memory, faster: made } : made;
  const entry = await sidecarOf(codec).build(bytes, { header, page: 1 }, access, layer);
  return { entry, blocks };
}

export function sidecarContract(
  name: string,
  { codec, file, layer = "ground", reads, rest = () => [] }: SidecarContract,
): void {
  describe(`the sidecar of ${name}`, () => {
    let data: Uint8Array;
    let header: ImageHeader;
    /** What a level is built on. */
    let ground: Built | undefined;
    let built: Built;
    /** Results of each read from the file alone. */
    let expected: readonly string[];
    let ids = 0;

    /** Access without the layer. */
    const without = (): SidecarAccess => accessOf(`without ${++ids}`, ground);
    const pixels = async (read: ReadRequest, access?: SidecarAccess, bytes = memoryBytes(data)) =>
      digestOf((await codec().decode(bytes, read, access)).data);
    /** Access to a layer with an entry or blocks of the caller's, and how often a read reported a loss. */
    const accessTo = (stored: Built) => {
      const losses = { count: 0 };
      const own: SidecarAccess = {
        ...accessOf(`stored ${++ids}`, stored),
        reportLoss: () => void losses.count++,
      };
      return { access: ground ? { ...without(), faster: own } : own, losses };
    };

    beforeAll(async () => {
      data = await file();
      header = await codec().probe(memoryBytes(data), 1);
      if (isZoom(layer))
        ground = await build(codec(), memoryBytes(data), header, { id: "ground", layer: "ground" });
      built = await build(codec(), memoryBytes(data), header, { id: "first", layer, ground });
      const pictures: string[] = [];
      for (const read of reads(header)) pictures.push(await pixels(read));
      expected = pictures;
    });

    it("is requested by its reads, and can be stored", () => {
      const { use, layers } = sidecarOf(codec());
      const all = layers(header, data.length, Number.POSITIVE_INFINITY);
      for (const read of reads(header)) {
        const found = use(read, data.length, Number.POSITIVE_INFINITY);
        const serving = (isZoom(layer) ? [found?.faster] : found?.layers) ?? [];
        expect(serving).toContain(layer);
        // The overview of a progressive JPEG is left out, since `ground` serves the same reads.
        expect(all.some((each) => serving.includes(each))).toBe(true);
      }
      expect(built.entry.length).toBeGreaterThan(0);
    });

    it("changes no pixel", async () => {
      for (const [i, read] of reads(header).entries())
        expect(await pixels(read, accessTo(built).access)).toBe(expected[i]);
    });

    it("spares reads of the file", async () => {
      for (const read of reads(header)) {
        const [more, fewer] = [countingBytes(data), countingBytes(data)];
        await pixels(read, without(), more);
        await pixels(read, accessTo(built).access, fewer);
        expect(fewer.total()).toBeLessThan(more.total());
      }
    });

    it("is the same whenever it is built, so that servers can share a slot", async () => {
      const again = await build(codec(), memoryBytes(data), header, { id: "again", layer, ground });
      expect(digestOf(again.entry)).toBe(digestOf(built.entry));
      const numbered = ({ blocks }: Built) => [...blocks.all].map(([n, bytes]) => [n, digestOf(bytes)]);
      expect(numbered(again)).toEqual(numbered(built));
    });

    it("changes no pixel when it was built with as little memory as that takes", async () => {
      const memory = sidecarOf(codec()).memory(header, data.length, layer);
      const small = await build(codec(), memoryBytes(data), header, { id: "small", layer, memory, ground });
      for (const [i, read] of reads(header).entries())
        expect(await pixels(read, accessTo(small).access)).toBe(expected[i]);
    });

    it("is refused when any byte of its entry is changed, cut off or added: it is reported, and no pixel changes", async () => {
      const { entry, blocks } = built;
      const places = Array.from({ length: 24 }, (_, i) => Math.floor((i * (entry.length - 1)) / 23));
      const damaged = [
        ...places.map((place) => entry.map((byte, i) => (i === place ? byte ^ 0x10 : byte))),
        entry.subarray(0, entry.length - 1),
        Uint8Array.of(...entry, 0),
      ];
      // An entry is refused as a whole, as the first read that needs it shows. Most damages meet no read
      // after it, and each starts at another. Damages at the ends of the entry meet all reads.
      const all = reads(header);
      for (const [nth, other] of damaged.entries()) {
        const { access, losses } = accessTo({ entry: other, blocks });
        const isAtEnd = nth === 0 || nth >= places.length - 1;
        for (let i = 0; i < all.length && (isAtEnd || losses.count === 0); i++) {
          const at = (nth + i) % all.length;
          expect(await pixels(all[at]!, access)).toBe(expected[at]);
        }
        for (const read of rest(header)) await pixels(read, access);
        expect(losses.count).toBeGreaterThan(0);
      }
    });

    it("is refused when a build with another format of entries wrote it", async () => {
      const { entry, blocks } = built;
      // The format's version follows its four letters.
      const older = entry.map((byte, i) => (i === 4 ? byte - 1 : byte));
      for (const [i, read] of reads(header).entries()) {
        const { access, losses } = accessTo({ entry: older, blocks });
        expect(await pixels(read, access)).toBe(expected[i]);
        expect(losses.count).toBeGreaterThan(0);
      }
    });

    it("loses blocks without harm: they are remade", async () => {
      const { entry, blocks } = built;
      let reported = 0;
      for (const lost of blocks.all.keys())
        for (const [i, read] of reads(header).entries()) {
          const rest = heapBlocks();
          for (const [number, bytes] of blocks.all) if (number !== lost) rest.all.set(number, bytes);
          const { access, losses } = accessTo({ entry, blocks: rest });
          expect(await pixels(read, access)).toBe(expected[i]);
          reported += losses.count;
        }
      expect(reported > 0).toBe(blocks.all.size > 0);
    });

    it.each([
      ["a source failed", () => new ImagingError("source", "gone")],
      ["the build was cancelled", () => new ImagingError("cancelled", "The job was cancelled.")],
    ])("is built again after %s during the build", async (_, ending) => {
      const failing = codec();
      const sound = memoryBytes(data);
      const gone: ByteSource = {
        size: data.length,
        async read(offset, length) {
          if (offset + length > data.length / 2) throw ending();
          return sound.read(offset, length);
        },
      };
      await expect(build(failing, gone, header, { id: "failing", layer, ground })).rejects.toMatchObject({
        kind: ending().kind,
      });
      const { entry } = await build(failing, sound, header, { id: "failing", layer, ground });
      expect(digestOf(entry)).toBe(digestOf(built.entry));
    });

    it("is not stored for a file that ends early", async () => {
      const half = memoryBytes(data.subarray(0, data.length / 2));
      const entry = await build(codec(), half, header, { id: "half", layer }).then(
        (made) => made.entry,
        (error: unknown) => {
          expect(error).toMatchObject({ kind: "decode" });
          return new Uint8Array();
        },
      );
      expect(entry).toHaveLength(0);
    });

    it("reports the memory and the time of a build", () => {
      const { memory, nsPerPixel } = sidecarOf(codec());
      expect(memory(header, data.length, layer)).toBeGreaterThanOrEqual(0);
      expect(nsPerPixel(header, layer)).toBeGreaterThan(0);
    });
  });
}
