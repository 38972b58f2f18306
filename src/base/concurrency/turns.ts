// A queue in which parties take turns, so that one with many items does not keep the others waiting. Within a
// party, items are served by their rank.

export interface Turns<T> {
  /** Number of waiting items. */
  readonly size: number;
  add(client: string, item: T): void;
  /**
   * Returns the next item that `may` accepts: the one of the lowest rank of the party that was served longest
   * ago. The item stays in the queue.
   */
  next(may: (item: T) => boolean): T | undefined;
  /** Removes an item because it is served; the next turn of its party comes after those of all others. */
  serve(client: string, item: T): void;
  /** Removes an item that no longer waits. */
  remove(client: string, item: T): void;
  /** Returns the items that are served before this one if no more are added. */
  ahead(client: string, item: T): T[];
  /** Returns the items of each party, those of the lowest rank first. */
  clients(): Iterable<readonly T[]>;
}

/** Creates an empty queue. `rankOf`: rank of an item, which does not change; equal ones keep their order. */
export function createTurns<T>(rankOf: (item: T) => number): Turns<T> {
  /** Items by party, in the order of turns. */
  const waiting = new Map<string, T[]>();

  const remove = (client: string, item: T): T[] | undefined => {
    const own = waiting.get(client);
    const at = own?.indexOf(item) ?? -1;
    if (!own || at < 0) return undefined;
    own.splice(at, 1);
    if (own.length === 0) waiting.delete(client);
    return own;
  };

  return {
    get size() {
      let size = 0;
      for (const own of waiting.values()) size += own.length;
      return size;
    },
    add(client, item) {
      const own = waiting.get(client) ?? [];
      waiting.set(client, own);
      let at = own.length;
      while (at > 0 && rankOf(own[at - 1] as T) > rankOf(item)) at--;
      own.splice(at, 0, item);
    },
    next(may) {
      for (const own of waiting.values()) for (const item of own) if (may(item)) return item;
      return undefined;
    },
    serve(client, item) {
      const own = remove(client, item);
      if (!own || own.length === 0) return;
      waiting.delete(client);
      waiting.set(client, own);
    },
    remove: (client, item) => void remove(client, item),
    ahead(client, item) {
      const turn = waiting.get(client)?.indexOf(item) ?? 0;
      let more = 1; // parties whose turn comes before that of this one have one item more
      const before: T[] = [];
      for (const [name, own] of waiting) {
        if (name === client) more = 0;
        before.push(...own.slice(0, turn + more));
      }
      return before;
    },
    clients: () => waiting.values(),
  };
}
