// A map that is bounded by the weight of its entries: the least recently used go first.

/** Entries in the order of their last use, together never heavier than the bound. */
export interface Lru<K, V> {
  /** Number of entries. */
  readonly size: number;
  /** Sum of their weights. */
  readonly weight: number;
  /** The value, which counts as a use. */
  get(key: K): V | undefined;
  /** False when the entry alone is heavier than the bound: then nothing is kept under its key. */
  set(key: K, value: V, weight: number): boolean;
  delete(key: K): boolean;
  clear(): void;
  /** From the least to the most recently used. */
  keys(): IterableIterator<K>;
}

/**
 * An empty map for at most `maxWeight` (bytes, or entries when each weighs 1). `onEvict` hears of every entry that
 * left for want of room, not of those that were deleted or replaced.
 */
export function createLru<K, V>(maxWeight: number, onEvict?: (key: K, value: V) => void): Lru<K, V> {
  const entries = new Map<K, { readonly value: V; readonly weight: number }>();
  let total = 0;

  const remove = (key: K): boolean => {
    const entry = entries.get(key);
    if (!entry) return false;
    entries.delete(key);
    total -= entry.weight;
    return true;
  };

  return {
    get size() {
      return entries.size;
    },
    get weight() {
      return total;
    },
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      remove(key);
      if (weight > maxWeight) return false;
      for (const [oldest, entry] of entries) {
        if (total + weight <= maxWeight) break;
        remove(oldest);
        onEvict?.(oldest, entry.value);
      }
      entries.set(key, { value, weight });
      total += weight;
      return true;
    },
    delete: remove,
    clear() {
      entries.clear();
      total = 0;
    },
    keys: () => entries.keys(),
  };
}
