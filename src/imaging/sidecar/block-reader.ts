// Reads bytes stored in blocks. Each block is loaded once for all concurrent callers, checked against its
// digest, and cached up to a fixed size.

import { type ByteSource, concatenate, createLru, type ImagingError, toHex } from "../../base/index.ts";
import type { SidecarBlocks } from "../codecs/codec.ts";
import { type BlockList, type BlockSink, blockBytes, digestBytes, digestOf } from "./blocks.ts";

/**
 * Bytes of blocks that a worker caches, of all images together: the level at 1/4 of a 400-megapixel image
 * fits.
 */
const cacheBytes = 48 * 2 ** 20;

/** Source of the blocks of one sidecar. */
export interface BlockOrigin {
  /** Returns the blocks of the current job. */
  current(): SidecarBlocks | undefined;
  /** Called for a block that is missing, or differs from the one that was written. */
  onLost(): void;
  /** Makes a lost block again. `number` counts from 0. */
  again?(number: number): Promise<Uint8Array>;
}

/** The bytes between two offsets in the blocks. */
export class Stretch {
  readonly #blocks: readonly Uint8Array[];
  /** Number of the first block. */
  readonly #first: number;

  constructor(blocks: readonly Uint8Array[], first: number) {
    this.#blocks = blocks;
    this.#first = first;
  }

  /** Copies `length` bytes from offset `from` in the blocks to offset `to` of `target`. */
  copy(from: number, length: number, target: Uint8Array, to: number): void {
    for (let at = from; at < from + length; ) {
      const number = Math.floor(at / blockBytes);
      const start = at - number * blockBytes;
      const part = this.#blocks[number - this.#first]!.subarray(start, start + from + length - at);
      target.set(part, to + at - from);
      at += part.length;
    }
  }
}

/** Reader of bytes stored in blocks. */
export interface BlockReader {
  readonly size: number;
  /**
   * Returns the bytes between two offsets, or undefined if blocks have to be loaded first. Bytes within one
   * block are not copied, so they must not be modified.
   */
  recall(offset: number, end: number): Uint8Array | undefined;
  /**
   * Loads the bytes between two offsets; only those can be copied from the result. Returns undefined if part
   * of them is lost.
   */
  stretch(offset: number, end: number): Promise<Stretch | undefined>;
}

/**
 * Creates a cache for the blocks of several images, by their digests. Its memory is bounded; the least
 * recently used blocks are removed first.
 */
export function createBlockCache() {
  const cache = createLru<string, Uint8Array>(cacheBytes);
  const loading = new Map<string, Promise<Uint8Array | undefined>>();

  const load = async (key: string, list: BlockList, number: number, origin: BlockOrigin) => {
    const blocks = origin.current();
    const block = await blocks?.load(list.first + number);
    if (block && toHex(await digestOf(block)) === key) {
      cache.set(key, block, block.length);
      return block;
    }
    if (blocks) origin.onLost();
    return origin.again?.(number);
  };

  return {
    /** Bytes in the cache. */
    get weight() {
      return cache.weight;
    },
    /** Adds a block that was made in this process. */
    add(block: Uint8Array, digest: Uint8Array): void {
      cache.set(toHex(digest), block, block.length);
    },
    /** Returns a reader of the bytes in a list of blocks. */
    reader(list: BlockList, origin: BlockOrigin): BlockReader {
      const keys = Array.from({ length: list.digests.length / digestBytes }, (_, i) =>
        toHex(list.digests.subarray(i * digestBytes, (i + 1) * digestBytes)),
      );
      const blockOf = (number: number): Uint8Array | Promise<Uint8Array | undefined> => {
        const key = keys[number] as string;
        const known = cache.get(key) ?? loading.get(key);
        if (known) return known;
        const found = load(key, list, number, origin).finally(() => loading.delete(key));
        loading.set(key, found);
        return found;
      };
      return {
        size: list.size,
        recall(offset, end) {
          const parts: Uint8Array[] = [];
          for (let at = offset; at < end; ) {
            const number = Math.floor(at / blockBytes);
            const block = cache.get(keys[number] as string);
            if (!block) return undefined;
            const start = number * blockBytes;
            parts.push(block.subarray(at - start, Math.min(end - start, blockBytes)));
            at = start + blockBytes;
          }
          const [part] = parts;
          return parts.length === 1 ? part : concatenate(parts);
        },
        async stretch(offset, end) {
          const first = Math.floor(offset / blockBytes);
          const blocks: Uint8Array[] = [];
          for (let n = first; n * blockBytes < Math.min(end, list.size); n++) {
            const block = blockOf(n);
            const found = block instanceof Uint8Array ? block : await block;
            if (!found) return undefined;
            blocks.push(found);
          }
          return new Stretch(blocks, first);
        },
      };
    },
  };
}

export type BlockCache = ReturnType<typeof createBlockCache>;

/** Returns a sink that also caches the blocks, since they are read again in a moment. */
export const cachingSink = (cache: BlockCache, { room, keep }: SidecarBlocks): BlockSink => ({
  room,
  async keep(number, block, digest) {
    cache.add(block.slice(), digest);
    await keep(number, block);
  },
});

/**
 * Returns a byte source over blocks. It copies if callers may keep the bytes, so that a read does not keep
 * whole blocks in memory. Throws `lost` if a block is permanently lost.
 */
export function blockSource(reader: BlockReader, lost: () => ImagingError): ByteSource {
  return {
    size: reader.size,
    borrow(ranges) {
      const parts: Uint8Array[] = [];
      for (const { offset, length } of ranges) {
        const end = Math.min(offset + length, reader.size);
        const part = end > offset ? reader.recall(offset, end) : new Uint8Array();
        if (!part) return undefined;
        parts.push(part);
      }
      return parts;
    },
    async read(offset, length) {
      const end = Math.min(offset + length, reader.size);
      const out = new Uint8Array(Math.max(0, end - offset));
      if (out.length === 0) return out;
      const stretch = await reader.stretch(offset, end);
      if (!stretch) throw lost();
      stretch.copy(offset, out.length, out, 0);
      return out;
    },
  };
}
