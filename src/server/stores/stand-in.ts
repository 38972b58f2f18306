// Memory that stands in for a store while it cannot be written.

import type { Store } from "./store.ts";

/** A store with memory that may stand in for it. Bound and usage are those of the store. */
export interface StoreWithStandIn extends Store {
  /** The memory while it stands in for the store. */
  standIn(): Store | undefined;
}

/**
 * `store`, and `memory` from a write that fails until a write or a check succeeds; then memory is emptied,
 * since only the store knows what others purged meanwhile. Errors of reads go to `readFailed`, not to the
 * caller. A write that fails throws, so that it does not count as one, and memory has the value.
 */
export function withStandIn(
  store: Store,
  memory: Store,
  readFailed: (error: unknown) => void,
): StoreWithStandIn {
  let away = false;
  /** The write that tries whether the store can be used again, of an entry that was read. */
  let trial: Promise<void> | undefined;
  let lifetime: number | undefined;
  const { clear, maxBytes, usage, volume, circuits } = store;

  const comeBack = async () => {
    if (!away) return;
    away = false;
    await memory.clear?.();
  };

  const write: Store["set"] = async (name, variant, value, ttl) => {
    await store.set(name, variant, value, ttl);
    await comeBack();
  };

  return {
    ...(maxBytes ? { maxBytes } : {}),
    async get(name, variant) {
      const found = await store.get(name, variant).catch((error: unknown) => {
        readFailed(error);
        return undefined;
      });
      if (found || !away) return found;
      const held = await memory.get(name, variant);
      if (held)
        trial ??= write(name, variant, held, lifetime)
          .catch(() => {})
          .finally(() => {
            trial = undefined;
          });
      return held;
    },
    async set(name, variant, value, ttl) {
      lifetime = ttl;
      try {
        await write(name, variant, value, ttl);
      } catch (error) {
        away = true;
        await memory.set(name, variant, value, ttl);
        throw error;
      }
    },
    // Only the store knows what others have added.
    async add(name, variant, value) {
      const isNew = await store.add(name, variant, value);
      await comeBack();
      return isNew;
    },
    async delete(name, variant) {
      const forgotten = await memory.delete(name, variant);
      await trial;
      return forgotten + (await store.delete(name, variant));
    },
    ...(clear
      ? {
          async clear() {
            await memory.clear?.();
            await trial;
            await clear();
          },
        }
      : {}),
    ...(usage ? { usage } : {}),
    ...(volume ? { volume } : {}),
    ...(circuits ? { circuits } : {}),
    standIn: () => (away ? memory : undefined),
    async check() {
      await store.check();
      await comeBack();
    },
    async close() {
      await trial;
      await store.close?.();
    },
  };
}
