// A store that gives way to another when its first write fails: for a default folder that turns out not to be writable.

import type { Store } from "./store.ts";

/**
 * `first` until a write to it fails before any has succeeded; from then on `second`, after one call of `warn`. A
 * store that has worked once keeps its place, since a full disk is no reason to forget what is on it.
 */
export function fallbackStore(first: Store, second: Store, warn: (cause: unknown) => void): Store {
  let current = first;
  let proven = false;
  const write = async (run: (store: Store) => Promise<void>) => {
    const store = current;
    try {
      await run(store);
      proven = true;
    } catch (error) {
      if (proven && current === store) throw error;
      if (store === second) throw error;
      if (current === first) {
        current = second;
        warn(error);
      }
      await run(second);
    }
  };
  return {
    maxBytes: () => current.maxBytes?.() ?? Number.POSITIVE_INFINITY,
    get: (name, variant) => current.get(name, variant),
    set: (name, variant, value, ttl) => write((store) => store.set(name, variant, value, ttl)),
    delete: (name, variant) => current.delete(name, variant),
    clear: async () => current.clear?.(),
    usage: async () => (await current.usage?.()) ?? { entries: 0, bytes: 0 },
    check: () => write((store) => store.check()),
    async close() {
      await first.close?.();
      await second.close?.();
    },
  };
}
