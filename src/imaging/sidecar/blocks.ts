// Bytes of a sidecar in blocks of 1 MiB, each identified by its digest: the list of blocks, and their writer.

import { ImagingError, noteDigest, sha256 } from "../../base/index.ts";

/** Bytes of every block except the last. */
export const blockBytes = 2 ** 20;
/** Bytes of a block's SHA-256 that the list contains. */
export const digestBytes = 16;

/** List of the blocks that hold some bytes; it is stored in an entry to verify them. */
export interface BlockList {
  /** Number of the first block. */
  readonly first: number;
  /** Bytes of all blocks together. */
  readonly size: number;
  /** 16 bytes for each block, in order. */
  readonly digests: Uint8Array;
}

/** Returns the digest that identifies a block among those of all sidecars. */
export const digestOf = async (block: Uint8Array) => (await sha256(block)).subarray(0, digestBytes);

/** Returns the length in bytes of the list for `size` bytes in blocks. */
export const lengthOfList = (size: number) => 16 + digestBytes * Math.ceil(size / blockBytes);

/** Serializes a list: the first number and the size as 8-byte floats (little-endian), then the digests. */
export function saveBlockList({ first, size, digests }: BlockList): Uint8Array {
  const saved = new Uint8Array(16 + digests.length);
  const view = new DataView(saved.buffer);
  view.setFloat64(0, first, true);
  view.setFloat64(8, size, true);
  saved.set(digests, 16);
  return saved;
}

/**
 * Parses the output of {@link saveBlockList}. Returns undefined if the size and the number of digests do not
 * agree.
 */
export function loadBlockList(saved: Uint8Array): BlockList | undefined {
  if (saved.length < 16) return undefined;
  const view = new DataView(saved.buffer, saved.byteOffset);
  const [first, size] = [view.getFloat64(0, true), view.getFloat64(8, true)];
  const digests = saved.subarray(16);
  const sound = Number.isSafeInteger(first) && first >= 0 && Number.isSafeInteger(size) && size > 0;
  return sound && saved.length === lengthOfList(size) ? { first, size, digests } : undefined;
}

/** Concatenates digests. */
function joinDigests(digests: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(digestBytes * digests.length);
  for (const [i, digest] of digests.entries()) all.set(digest, i * digestBytes);
  return all;
}

/** Lists bytes in memory as blocks from number 0 on. */
export async function listBlocks(bytes: Uint8Array): Promise<BlockList> {
  const digests: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes)
    digests.push(await digestOf(bytes.subarray(at, at + blockBytes)));
  return { first: 0, size: bytes.length, digests: joinDigests(digests) };
}

/** True if bytes match the listed digests. */
export async function areListed(bytes: Uint8Array, { size, digests }: BlockList): Promise<boolean> {
  if (bytes.length !== size) return false;
  const found = await listBlocks(bytes);
  return found.digests.every((byte, i) => byte === digests[i]);
}

/** Destination of a writer's blocks. `digest` is the one that {@link BlockList} records. */
export interface BlockSink {
  /** Bytes that all blocks of one sidecar may take. */
  readonly room: number;
  /** Takes ownership of the bytes, and resolves when it is ready for the next block. */
  keep(block: number, bytes: Uint8Array, digest: Uint8Array): Promise<void>;
}

/**
 * Creates a writer that divides bytes into blocks. It holds one block, and another that is being stored.
 */
export function blockWriter(blocks: BlockSink) {
  const digests: Uint8Array[] = [];
  let current = new Uint8Array(blockBytes);
  let used = 0;
  let size = 0;
  let keeping: Promise<void> = Promise.resolve();

  const flush = async () => {
    const block = used === blockBytes ? current : current.slice(0, used);
    current = new Uint8Array(blockBytes);
    used = 0;
    const number = digests.length;
    const whole = await sha256(block);
    noteDigest(block, whole); // stores verify entries by it
    const digest = whole.subarray(0, digestBytes);
    digests.push(digest);
    await keeping;
    keeping = blocks.keep(number, block, digest);
    keeping.catch(() => {}); // thrown by the next block, or at the end
  };

  return {
    /** Adds bytes. Throws ImagingError `unsupported` as soon as they exceed the room. */
    async add(chunk: Uint8Array): Promise<void> {
      size += chunk.length;
      if (size > blocks.room) throw tooLarge(blocks.room);
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + blockBytes - used);
        current.set(part, used);
        used += part.length;
        at += part.length;
        if (used === blockBytes) await flush();
      }
    },
    /** Resolves when all blocks are stored. */
    async end(): Promise<BlockList> {
      if (used > 0) await flush();
      current = new Uint8Array();
      await keeping;
      return { first: 0, size, digests: joinDigests(digests) };
    },
  };
}

function tooLarge(room: number): ImagingError {
  return new ImagingError(
    "unsupported",
    `Expected a source file of which at most ${room} bytes have to be kept; this one needs more. Convert it.`,
  );
}
