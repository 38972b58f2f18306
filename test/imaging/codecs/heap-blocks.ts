// Blocks of a sidecar in a map, with a list of requests.

import type { SidecarBlocks } from "../../../src/imaging/codecs/codec.ts";

export interface HeapBlocks extends SidecarBlocks {
  readonly all: Map<number, Uint8Array>;
  /** Numbers of the blocks that were loaded, in order. */
  readonly loads: number[];
  /** Returns the largest number of bytes that were handed over and not yet stored. */
  readonly peak: () => number;
}

/** Keeping takes a turn of the event loop, as with a store. */
export function heapBlocks(room = Number.POSITIVE_INFINITY): HeapBlocks {
  const all = new Map<number, Uint8Array>();
  const loads: number[] = [];
  let open = 0;
  let peak = 0;
  return {
    room,
    all,
    loads,
    peak: () => peak,
    async load(block) {
      loads.push(block);
      return all.get(block)?.slice();
    },
    async keep(block, bytes) {
      open += bytes.length;
      peak = Math.max(peak, open);
      await new Promise((resolve) => setTimeout(resolve, 1));
      all.set(block, bytes.slice());
      open -= bytes.length;
    },
  };
}
