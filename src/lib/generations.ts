// Which purge came last: what began before it is told from what began after it.

import { createLru } from "./lru.ts";

/** Numbers that grow by purges. */
export interface Generations {
  /** The number of what begins now under a key. */
  of(key: string): number;
  /** Begins a new generation of one key, or of all. */
  renew(key?: string): void;
}

/** Keys whose last purge is remembered; when one is forgotten, all begin anew. */
const remembered = 10_000;

/** Generation 0 for every key. */
export function createGenerations(): Generations {
  let latest = 0;
  let base = 0;
  const renewed = createLru<string, number>(remembered, () => {
    base = latest;
  });
  return {
    of: (key) => Math.max(base, renewed.get(key) ?? 0),
    renew(key) {
      latest++;
      if (key !== undefined) renewed.set(key, latest, 1);
      else {
        base = latest;
        renewed.clear();
      }
    },
  };
}
