// A cache of decoded code-blocks in the module's memory: the most recently used ones.

import type { CodeBlock } from "../stream/precinct.ts";
import type { Engine } from "./engine.ts";

export interface BlockSlots {
  /** Number of slots. */
  readonly count: number;
  /**
   * Returns the address of a block's coefficients, decoded without its lowest `skipped` bit-planes; undefined
   * if missing. A block that is found is the most recently used.
   */
  find(block: CodeBlock, skipped: number): number | undefined;
  /**
   * Reserves a slot for a block's coefficients without those bit-planes; {@link find} returns it from now on.
   */
  take(block: CodeBlock, skipped: number): number;
  forget(block: CodeBlock): void;
}

/** Creates slots over the memory of an engine. */
export function blockSlots({ slots }: Engine): BlockSlots {
  const { count } = slots;
  // A block has the number of its slot, and the slots are a ring from the least to the most recently used
  // one: to make an entry of a map takes longer than to decode a block of a few samples.
  const blocks = new Array<CodeBlock | undefined>(count).fill(undefined);
  const skippedIn = new Uint8Array(count);
  /** The neighbours of each slot; those of `count` are the least and the most recently used slot. */
  const after = Uint16Array.from({ length: count + 1 }, (_, i) => (i + 1) % (count + 1));
  const before = Uint16Array.from({ length: count + 1 }, (_, i) => (i + count) % (count + 1));

  /** Moves a slot in front of another, or of `count` to make it the most recently used. */
  const move = (slot: number, next: number) => {
    after[before[slot]!] = after[slot]!;
    before[after[slot]!] = before[slot]!;
    before[slot] = before[next]!;
    after[slot] = next;
    after[before[next]!] = slot;
    before[next] = slot;
  };
  const slotOf = (block: CodeBlock) =>
    block.slot >= 0 && blocks[block.slot] === block ? block.slot : undefined;

  return {
    count: count - 1,
    find(block, skipped) {
      const slot = slotOf(block);
      if (slot === undefined || skippedIn[slot] !== skipped) return undefined;
      move(slot, count);
      return slots.at(slot);
    },
    take(block, skipped) {
      const slot = slotOf(block) ?? after[count]!;
      blocks[slot] = block;
      block.slot = slot;
      skippedIn[slot] = skipped;
      move(slot, count);
      return slots.at(slot);
    },
    forget(block) {
      const slot = slotOf(block);
      if (slot === undefined) return;
      blocks[slot] = undefined;
      move(slot, after[count]!);
    },
  };
}
