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

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly weight: number;
}

/**
 * An empty map for at most `maxWeight` (bytes, or entries when each weighs 1). `onEvict` hears of every entry that
 * left for want of room, not of those that were deleted or replaced.
 */
export function createLru<K, V>(maxWeight: number, onEvict?: (key: K, value: V) => void): Lru<K, V> {
  const entries = new Map<K, Entry<K, V>>();
  let total = 0;
  /** The entry that was used last, whose place is at the end already. */
  let last: Entry<K, V> | undefined;

  const remove = (key: K): boolean => {
    const entry = entries.get(key);
    if (!entry) return false;
    last = undefined;
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
      if (last && last.key === key) return last.value;
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      // Its own key: the equal one that was asked with may go at once.
      entries.set(entry.key, entry);
      last = entry;
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
      last = { key, value, weight };
      entries.set(key, last);
      total += weight;
      return true;
    },
    delete: remove,
    clear() {
      entries.clear();
      last = undefined;
      total = 0;
    },
    keys: () => entries.keys(),
  };
}
