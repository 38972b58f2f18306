// Cached blocks of remote masters: in bounded memory and in the origin slot.

import { createLru } from "../../../base/index.ts";
import type { Slot } from "../../stores/slot.ts";
import type { State } from "./master-state.ts";

/** Size of a block. The rows of a tile span about 0.5 to 1 MB: few blocks, with little excess. */
export const blockSize = 128 * 1024;
/** Total bytes of blocks in memory, whichever store the slot has. */
const cacheBytes = 32 * 2 ** 20;

export interface CachedBlocks {
  /** Returns the name of a block, unique among the blocks of all masters, states and purges. */
  nameOf(state: State, n: number): string;
  /** Returns a block if it is in memory. */
  get(state: State, n: number): Uint8Array | undefined;
  /** Returns a block from the slot and keeps it in memory; undefined if the slot does not have it. */
  load(key: string, state: State, n: number): Promise<Uint8Array | undefined>;
  /** Stores a block, unless a purge has occurred since. */
  keep(key: string, state: State, n: number, bytes: Uint8Array): void;
  /** Stores all complete blocks of a range that begins at a block boundary. */
  keepAll(key: string, state: State, offset: number, bytes: Uint8Array): void;
}

export interface CachedBlocksOptions {
  readonly slot: Pick<Slot, "get" | "put">;
  /** Returns the name of a master in the slot. */
  readonly entryName: (key: string) => string;
  /** True if no purge has occurred since a state became known. */
  readonly isCurrent: (key: string, state: State) => boolean;
}

const lengthOf = (state: State, n: number) => Math.min(blockSize, state.facts.size - n * blockSize);

/** Creates an empty cache. */
export function createCachedBlocks({ slot, entryName, isCurrent }: CachedBlocksOptions): CachedBlocks {
  const inMemory = createLru<string, Uint8Array>(cacheBytes);
  const variantOf = (state: State, n: number) => `block.${state.id}.${n}`;
  const nameOf = (state: State, n: number) => `${state.generation} ${variantOf(state, n)}`;
  const remember = (state: State, n: number, bytes: Uint8Array) =>
    inMemory.set(nameOf(state, n), bytes, bytes.length + 128);
  const keep: CachedBlocks["keep"] = (key, state, n, bytes) => {
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
