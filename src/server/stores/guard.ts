// Guards a store: if it fails or hangs, its callers wait for a bounded time, and after a few failures not at
// all.

import { type CircuitOptions, createCircuit, withDeadline } from "../../base/index.ts";
import type { Store } from "./store.ts";

/** Milliseconds. */
export interface Deadlines {
  readonly read: number;
  readonly write: number;
  readonly purge: number;
  readonly check: number;
}

/**
 * The store under deadlines. Reads and writes have a circuit breaker each, so that a full disk can still be
 * read; a check that passes closes both. A purge is always tried, and fails when a write before it may still
 * land after it. Counting takes as long as a check may.
 */
export function guardedStore(store: Store, deadlines: Deadlines, circuit: CircuitOptions = {}): Store {
  const reads = createCircuit(circuit);
  const writes = createCircuit(circuit);
  /** Writes in progress, including those that nobody waits for any more. */
  const writing = new Set<Promise<unknown>>();

  const write = <T>(act: () => Promise<T>): Promise<T> =>
    writes.run(() =>
      withDeadline(deadlines.write, () => {
        const one = act().finally(() => writing.delete(one));
        writing.add(one);
        return one;
      }),
    );
  const purge = <T>(act: () => Promise<T>) =>
    withDeadline(deadlines.purge, async () => {
      await Promise.allSettled(writing);
      return act();
    });
  const { clear, usage, volume } = store;

  return {
    ...(store.maxBytes ? { maxBytes: store.maxBytes } : {}),
    get: (name, variant) => reads.run(() => withDeadline(deadlines.read, () => store.get(name, variant))),
    set: (name, variant, value, ttl) => write(() => store.set(name, variant, value, ttl)),
    add: (name, variant, value) => write(() => store.add(name, variant, value)),
    delete: (name, variant) => purge(() => store.delete(name, variant)),
    ...(clear ? { clear: () => purge(clear) } : {}),
    // Pages and scrapes wait for it, which need to report what is wrong.
    ...(usage ? { usage: () => withDeadline(deadlines.check, usage) } : {}),
    ...(volume ? { volume: () => withDeadline(deadlines.check, volume) } : {}),
    circuits: () => ({ read: reads.isOpen(), write: writes.isOpen() }),
    async check() {
      await withDeadline(deadlines.check, () => store.check());
      reads.close();
      writes.close();
    },
    close: async () => store.close?.(),
  };
}
