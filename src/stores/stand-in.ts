// Memory that stands in for a store while it cannot be written.

import type { Store } from "./store.ts";

/**
 * `store`, and `memory` from a write that fails until one succeeds; then memory is emptied, since only the
 * store knows what others purged meanwhile. Errors of reads and writes go to `failed`, not to the caller.
 */
export function withStandIn(
  store: Store,
  memory: Store,
  failed: (what: string, error: unknown) => void,
): Store {
  let away = false;
  /** The write that tries whether the store can be used again, of an entry that was read. */
  let trial: Promise<void> | undefined;
  let lifetime: number | undefined;
  const { clear, usage } = store;

  const write: Store["set"] = async (name, variant, value, ttl) => {
    await store.set(name, variant, value, ttl);
    if (!away) return;
    away = false;
    await memory.clear?.();
  };

  return {
    maxBytes: () => (away ? memory : store).maxBytes?.() ?? Number.POSITIVE_INFINITY,
    async get(name, variant) {
      const found = await store.get(name, variant).catch((error: unknown) => {
        failed("get", error);
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
        failed("set", error);
        away = true;
        await memory.set(name, variant, value, ttl);
      }
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
    ...(usage ? { usage: () => (away && memory.usage ? memory.usage() : usage()) } : {}),
    ...(store.volume ? { volume: store.volume } : {}),
    ...(store.circuits ? { circuits: store.circuits } : {}),
    check: () => store.check(),
    async close() {
      await trial;
      await store.close?.();
    },
  };
}
