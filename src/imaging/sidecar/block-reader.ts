// The one who reads bytes in blocks: each is loaded once for all who want it, checked by its digest, and remembered in bounded memory.

import type { SidecarBlocks } from "../codecs/codec.ts";
import type { ImagingError } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";
import { concatenated } from "../lib/concatenated.ts";
import { toHex } from "../lib/digest.ts";
import { createLru } from "../lib/lru.ts";
import { type BlockList, blockBytes, digestBytes, digestOf } from "./blocks.ts";

/** Bytes of blocks that a worker remembers, of all images together: the level at 1/4 of 400 megapixels fits. */
const cacheBytes = 48 * 2 ** 20;

/** Where the blocks of one sidecar come from. */
export interface BlockOrigin {
  /** Those of the job at hand. */
  current(): SidecarBlocks | undefined;
  /** Called for a block that is missing, or that is not the one that was written. */
  lost(): void;
  /** Makes a lost block again; `number` counts from 0. */
  again?(number: number): Promise<Uint8Array>;
}

/** What lies between two places of the blocks. */
export class Stretch {
  readonly #blocks: readonly Uint8Array[];
  /** Number of the first of them. */
  readonly #first: number;

  constructor(blocks: readonly Uint8Array[], first: number) {
    this.#blocks = blocks;
    this.#first = first;
  }

  /** Copies `length` bytes from place `from` of the blocks to place `to` of `target`. */
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

/** Bytes in blocks. */
export interface BlockReader {
  readonly size: number;
  /**
   * What lies between two places, not to be changed: it is not copied where it lies in one block. undefined: blocks of it have to be
   * loaded.
   */
  remembered(offset: number, end: number): Uint8Array | undefined;
  /** Loads what lies between two places; nothing beyond them can be copied. undefined: part of it is lost. */
  stretch(offset: number, end: number): Promise<Stretch | undefined>;
}

/** Blocks of several images by their digests, in bounded memory: the least recently used go first. */
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
    if (blocks) origin.lost();
    return origin.again?.(number);
  };

  return {
    /** Bytes that are held. */
    get weight() {
      return cache.weight;
    },
    /** Remembers a block that was made in this process. */
    add(block: Uint8Array, digest: Uint8Array): void {
      cache.set(toHex(digest), block, block.length);
    },
    /** What is in blocks as it can be read. */
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
        remembered(offset, end) {
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
          return parts.length === 1 ? part : concatenated(parts);
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

/** What is in blocks, copied where it may be kept, so that a read does not keep whole blocks in memory. Throws `lost` where a block is lost for good. */
export function blockSource(reader: BlockReader, lost: () => ImagingError): ByteSource {
  return {
    size: reader.size,
    borrow(ranges) {
      const parts: Uint8Array[] = [];
      for (const { offset, length } of ranges) {
        const end = Math.min(offset + length, reader.size);
        const part = end > offset ? reader.remembered(offset, end) : new Uint8Array();
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
