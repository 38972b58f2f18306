// Blocks of masters that lie elsewhere, as they are kept: in bounded memory and in the origin slot.

import { createLru } from "../../imaging/lib/lru.ts";
import type { Slot } from "../../stores/slot.ts";
import type { State } from "./master-state.ts";

/** Bytes of a block. A tile's rows span some 0.5 to 1 MB: few blocks, and little beside them. */
export const blockSize = 128 * 1024;
/** Bytes of blocks that stay in memory, whichever the slot. */
const keptBytes = 32 * 2 ** 20;

export interface KeptBlocks {
  /** Names a block among those of all masters, states and purges. */
  nameOf(state: State, n: number): string;
  /** A block that is in memory. */
  get(state: State, n: number): Uint8Array | undefined;
  /** A block that the slot has; it is in memory from then on. */
  load(key: string, state: State, n: number): Promise<Uint8Array | undefined>;
  /** Keeps a block, unless a purge has come. */
  keep(key: string, state: State, n: number, bytes: Uint8Array): void;
  /** Keeps the whole blocks of bytes that begin on the grid. */
  keepAll(key: string, state: State, offset: number, bytes: Uint8Array): void;
}

export interface KeptBlocksOptions {
  readonly slot: Pick<Slot, "get" | "put">;
  /** The slot's name for a master. */
  readonly entryName: (key: string) => string;
  /** Whether no purge has come since a state was known. */
  readonly isCurrent: (key: string, state: State) => boolean;
}

const lengthOf = (state: State, n: number) => Math.min(blockSize, state.facts.size - n * blockSize);

/** No blocks yet. */
export function createKeptBlocks({ slot, entryName, isCurrent }: KeptBlocksOptions): KeptBlocks {
  const inMemory = createLru<string, Uint8Array>(keptBytes);
  const variantOf = (state: State, n: number) => `block.${state.id}.${n}`;
  const nameOf = (state: State, n: number) => `${state.generation} ${variantOf(state, n)}`;
  const remember = (state: State, n: number, bytes: Uint8Array) =>
    inMemory.set(nameOf(state, n), bytes, bytes.length + 128);
  const keep: KeptBlocks["keep"] = (key, state, n, bytes) => {
    if (!isCurrent(key, state)) return;
    remember(state, n, bytes);
    slot.put(entryName(key), variantOf(state, n), bytes);
  };
  return {
    nameOf,
    get: (state, n) => inMemory.get(nameOf(state, n)),
    async load(key, state, n) {
      const block = await slot.get(entryName(key), variantOf(state, n));
      if (block?.length !== lengthOf(state, n)) return undefined;
      remember(state, n, block);
      return block;
    },
    keep,
    keepAll(key, state, offset, bytes) {
      for (let at = 0; at < bytes.length; at += blockSize) {
        const n = (offset + at) / blockSize;
        const block = bytes.slice(at, at + blockSize);
        if (block.length === lengthOf(state, n)) keep(key, state, n, block);
      }
    },
  };
}
