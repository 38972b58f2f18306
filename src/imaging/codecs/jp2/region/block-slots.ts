// A cache of decoded code-blocks in the module's memory: the most recently used ones.

import { createLru } from "../../../lib/lru.ts";
import type { CodeBlock } from "../stream/precinct.ts";
import type { Engine } from "./engine.ts";

export interface BlockSlots {
  /** Number of slots. */
  readonly count: number;
  /**
   * Returns the address of a block's coefficients, decoded without its lowest `skipped` bit-planes; undefined
   * if missing.
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
  const free: number[] = Array.from({ length: slots.count }, (_, i) => slots.count - 1 - i);
  const skippedIn = new Uint8Array(slots.count);
  const used = createLru<CodeBlock, number>(slots.count - 1, (_, slot) => void free.push(slot));
  return {
    count: slots.count - 1,
    find(block, skipped) {
      const slot = used.get(block);
      return slot === undefined || skippedIn[slot] !== skipped ? undefined : slots.at(slot);
    },
    take(block, skipped) {
      const known = used.get(block);
      const slot = known ?? free.pop()!;
      if (known === undefined) used.set(block, slot, 1);
      skippedIn[slot] = skipped;
      return slots.at(slot);
    },
    forget(block) {
      const slot = used.get(block);
      if (slot !== undefined && used.delete(block)) free.push(slot);
    },
  };
}
