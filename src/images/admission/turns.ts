// A queue in which each of several parties has its turn, so that one with many items does not keep the others waiting.

export interface Turns<T> {
  /** Items that wait. */
  readonly size: number;
  add(party: string, item: T): void;
  /**
   * The next item that `may` accepts, which stays in the queue: of the party that was served longest ago, the one
   * that has waited longest.
   */
  next(may: (item: T) => boolean): T | undefined;
  /** Removes an item because it is served, so that its party's next turn comes after those of all others. */
  serve(party: string, item: T): void;
  /** Removes an item that no longer waits. */
  remove(party: string, item: T): void;
  items(): Iterable<T>;
}

/** An empty queue. */
export function createTurns<T>(): Turns<T> {
  /** By party, in the order of turns. */
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
