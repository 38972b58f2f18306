// A queue in which parties take turns, so that one with many items does not keep the others waiting.

export interface Turns<T> {
  /** Number of waiting items. */
  readonly size: number;
  add(party: string, item: T): void;
  /**
   * Returns the next item that `may` accepts: the oldest one of the party that was served longest ago. The
   * item stays in the queue.
   */
  next(may: (item: T) => boolean): T | undefined;
  /** Removes an item because it is served; the next turn of its party comes after those of all others. */
  serve(party: string, item: T): void;
  /** Removes an item that no longer waits. */
  remove(party: string, item: T): void;
  items(): Iterable<T>;
}

/** Creates an empty queue. */
export function createTurns<T>(): Turns<T> {
  /** Items by party, in the order of turns. */
  const waiting = new Map<string, Set<T>>();

  const remove = (party: string, item: T): Set<T> | undefined => {
    const own = waiting.get(party);
    own?.delete(item);
    if (own?.size === 0) waiting.delete(party);
    return own;
  };
  function* items(): Iterable<T> {
    for (const own of waiting.values()) yield* own;
  }

  return {
    get size() {
      let size = 0;
      for (const own of waiting.values()) size += own.size;
      return size;
    },
    add(party, item) {
      const own = waiting.get(party) ?? new Set();
      waiting.set(party, own.add(item));
    },
    next(may) {
      for (const item of items()) if (may(item)) return item;
      return undefined;
    },
    serve(party, item) {
      const own = remove(party, item);
      if (!own || own.size === 0) return;
      waiting.delete(party);
      waiting.set(party, own);
    },
    remove: (party, item) => void remove(party, item),
    items,
  };
}
