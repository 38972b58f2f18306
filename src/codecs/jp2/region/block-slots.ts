// The code-blocks that stay decoded in the module's memory: those that were used last.

import { createLru } from "../../../lib/caching/lru.ts";
import type { CodeBlock } from "../stream/precinct.ts";
import type { Engine } from "./engine.ts";

export interface BlockSlots {
  /** How many stay. */
  readonly count: number;
  /** Address of the coefficients of a block that is decoded; undefined if it is not. */
  find(block: CodeBlock): number | undefined;
  /** A place for the coefficients of a block. {@link find} has it from now on. */
  take(block: CodeBlock): number;
  forget(block: CodeBlock): void;
}

/** Slots over the memory of an engine. */
export function blockSlots({ slots }: Engine): BlockSlots {
  const free: number[] = Array.from({ length: slots.count }, (_, i) => slots.count - 1 - i);
  const used = createLru<CodeBlock, number>(slots.count - 1, (_, slot) => void free.push(slot));
  return {
    count: slots.count - 1,
    find(block) {
      const slot = used.get(block);
      return slot === undefined ? undefined : slots.at(slot);
    },
    take(block) {
      const slot = free.pop()!;
      used.set(block, slot, 1);
      return slots.at(slot);
    },
    forget(block) {
      const slot = used.get(block);
      if (slot !== undefined && used.delete(block)) free.push(slot);
    },
  };
}
