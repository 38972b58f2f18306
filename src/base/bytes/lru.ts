// A map that is bounded by the weight of its entries: the least recently used are evicted first.

/** Entries in the order of their last use, with a total weight up to a maximum. */
export interface Lru<K, V> {
  /** Number of entries. */
  readonly size: number;
  /** Sum of the weights of all entries. */
  readonly weight: number;
  /** Returns the value, which counts as a use; undefined if there is none. */
  get(key: K): V | undefined;
  /**
   * Stores a value. Returns false if the entry alone exceeds the maximum weight; nothing is then stored under
   * its key.
   */
  set(key: K, value: V, weight: number): boolean;
  delete(key: K): boolean;
  clear(): void;
  /** Returns the keys, from the least to the most recently used. */
  keys(): IterableIterator<K>;
}

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly weight: number;
}

/**
 * Creates an empty map for a weight of at most `maxWeight` (bytes, or entries if each weighs 1). `onEvict` is
 * called for every entry that is evicted for lack of room, but not for those that are deleted or replaced.
 */
export function createLru<K, V>(maxWeight: number, onEvict?: (key: K, value: V) => void): Lru<K, V> {
  const entries = new Map<K, Entry<K, V>>();
  let total = 0;
  /** The most recently used entry, which is already at the end. */
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
      // The stored key is used, so that the caller's equal key can be collected.
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
