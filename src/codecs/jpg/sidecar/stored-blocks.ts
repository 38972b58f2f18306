// What is kept beside an index in blocks: aligned stretches of its bytes, kept one by one while they are written and loaded one
// by one to be read.

import { ServiceError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import { sha256, toHex } from "../../../lib/digest.ts";
import { createLru } from "../../../lib/lru.ts";
import { createSemaphore } from "../../../lib/semaphore.ts";
import type { IndexBlocks } from "../../codec.ts";
import { mismatch } from "../decode/turbo-decoder.ts";

/** Bytes of every block but the last. */
export const blockBytes = 2 ** 20;
/** Bytes of blocks that a worker keeps, of all images together: the planes at 1/4 of 400 megapixels fit. */
const kept = 48 * 2 ** 20;
/** Blocks that are loaded at the same time, each for all who wait for it. */
const loadsAtOnce = 4;
/** Bytes of a block's SHA-256 that are remembered. */
const digestBytes = 16;

/** What an index tells of the blocks beside it: by this they are known again. */
export interface StoredBlocks {
  /** Number of the first. */
  readonly first: number;
  /** Bytes in all blocks. */
  readonly size: number;
  /** 16 bytes for each block, in order. */
  readonly digests: Uint8Array;
}

const digestOf = async (block: Uint8Array) => (await sha256(block)).subarray(0, digestBytes);

/** As bytes: number of the first and size as floats of 8 bytes (little-endian), digests. */
export function saveStoredBlocks({ first, size, digests }: StoredBlocks): Uint8Array {
  const saved = new Uint8Array(16 + digests.length);
  const view = new DataView(saved.buffer);
  view.setFloat64(0, first, true);
  view.setFloat64(8, size, true);
  saved.set(digests, 16);
  return saved;
}

/** What {@link saveStoredBlocks} made; undefined where size and number of digests do not agree. */
export function loadStoredBlocks(saved: Uint8Array): StoredBlocks | undefined {
  if (saved.length < 16) return undefined;
  const view = new DataView(saved.buffer, saved.byteOffset);
  const [first, size] = [view.getFloat64(0, true), view.getFloat64(8, true)];
  const digests = saved.subarray(16);
  const sound = Number.isSafeInteger(first) && first >= 0 && Number.isSafeInteger(size) && size > 0;
  return sound && digests.length === digestBytes * Math.ceil(size / blockBytes)
    ? { first, size, digests }
    : undefined;
}

/** Number of the block behind the last. */
export const endOfBlocks = ({ first, size }: StoredBlocks) => first + Math.ceil(size / blockBytes);

/** Where a writer puts its blocks; `digest` is the one that {@link StoredBlocks} records. */
export interface BlockSink {
  /** Bytes that all blocks of one index may take. */
  readonly room: number;
  /** Takes the bytes over, and resolves when the next block may come. */
  keep(block: number, bytes: Uint8Array, digest: Uint8Array): Promise<void>;
}

/** Takes bytes as they come, for blocks from number `first` on; holds one at a time, and one more that is being kept. */
export function blockWriter(blocks: BlockSink, first = 0) {
  const digests: Uint8Array[] = [];
  let current = new Uint8Array(blockBytes);
  let used = 0;
  let size = 0;
  let keeping: Promise<void> = Promise.resolve();

  const flush = async () => {
    const block = current.slice(0, used);
    used = 0;
    const number = first + digests.length;
    const digest = await digestOf(block);
    digests.push(digest);
    await keeping;
    keeping = blocks.keep(number, block, digest);
    keeping.catch(() => {}); // told by the next block, or at the end
  };

  return {
    /** Throws ServiceError `unsupported` as soon as there is no room for so many bytes. */
    async add(chunk: Uint8Array): Promise<void> {
      size += chunk.length;
      if (first * blockBytes + size > blocks.room) throw tooLarge(blocks.room);
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + blockBytes - used);
        current.set(part, used);
        used += part.length;
        at += part.length;
        if (used === blockBytes) await flush();
      }
    },
    /** When all blocks are kept. */
    async end(): Promise<StoredBlocks> {
      if (used > 0) await flush();
      current = new Uint8Array();
      await keeping;
      const all = new Uint8Array(digestBytes * digests.length);
      for (const [i, digest] of digests.entries()) all.set(digest, i * digestBytes);
      return { first, size, digests: all };
    },
  };
}

/** Where the blocks of one index come from. */
export interface BlockOrigin {
  /** Those of the job at hand. */
  current(): IndexBlocks | undefined;
  /** Hears of a block that is missing, or that is not the one that was written. */
  lost(): void;
  /** Makes a lost block again; `number` counts from 0. */
  again?(number: number): Promise<Uint8Array>;
}

/** Blocks of several images by their digests, in bounded memory: the least recently used go first. */
export function createBlockCache() {
  const cache = createLru<string, Uint8Array>(kept);
  const loading = new Map<string, Promise<Uint8Array | undefined>>();
  const loads = createSemaphore(loadsAtOnce);

  const load = async (key: string, stored: StoredBlocks, number: number, origin: BlockOrigin) => {
    const blocks = origin.current();
    const block = blocks && (await loads.run(() => blocks.load(stored.first + number)));
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
    reader(stored: StoredBlocks, origin: BlockOrigin): BlockReader {
      const keys = Array.from({ length: stored.digests.length / digestBytes }, (_, i) =>
        toHex(stored.digests.subarray(i * digestBytes, (i + 1) * digestBytes)),
      );
      const blockOf = (number: number): Uint8Array | Promise<Uint8Array | undefined> => {
        const key = keys[number] as string;
        const known = cache.get(key) ?? loading.get(key);
        if (known) return known;
        const found = load(key, stored, number, origin).finally(() => loading.delete(key));
        loading.set(key, found);
        return found;
      };
      return {
        size: stored.size,
        async stretch(offset, end) {
          const first = Math.floor(offset / blockBytes);
          const blocks: Uint8Array[] = [];
          for (let n = first; n * blockBytes < Math.min(end, stored.size); n++) {
            const block = blockOf(n);
            const found = block instanceof Uint8Array ? block : await block;
            if (!found) return undefined;
            blocks.push(found);
          }
          return (from, length, target, to) => {
            for (let at = from; at < from + length; ) {
              const number = Math.floor(at / blockBytes);
              const start = at - number * blockBytes;
              const part = blocks[number - first]!.subarray(start, start + from + length - at);
              target.set(part, to + at - from);
              at += part.length;
            }
          };
        },
      };
    },
  };
}

/** Copies `length` bytes from place `from` of the blocks to place `to` of `target`. */
export type CopyBytes = (from: number, length: number, target: Uint8Array, to: number) => void;

/** Bytes in blocks. */
export interface BlockReader {
  readonly size: number;
  /** Loads what lies between two places; nothing beyond them can be copied. undefined: part of it is lost. */
  stretch(offset: number, end: number): Promise<CopyBytes | undefined>;
}

/**
 * What is in blocks, copied, so that a read does not keep whole blocks in memory. Throws ServiceError `decode`, code
 * header_mismatch, where a block is lost and cannot be made again.
 */
export function blockSource(reader: BlockReader): ByteSource {
  return {
    size: reader.size,
    async read(offset, length) {
      const end = Math.min(offset + length, reader.size);
      const out = new Uint8Array(Math.max(0, end - offset));
      if (out.length === 0) return out;
      const copy = await reader.stretch(offset, end);
      if (!copy) throw mismatch();
      copy(offset, out.length, out, 0);
      return out;
    },
  };
}

export type BlockCache = ReturnType<typeof createBlockCache>;

function tooLarge(room: number): ServiceError {
  return new ServiceError(
    "unsupported",
    `Expected a progressive JPEG file whose baseline copy takes at most ${room} bytes; it would take more. Convert it.`,
  );
}
