// A queue in which parties take turns, so that one with many or expensive items does not keep the others
// waiting: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996). Within a party, items are served by
// their rank.

export interface Turns<T> {
  /** Number of waiting items. */
  readonly size: number;
  add(client: string, item: T): void;
  /**
   * Returns the next item that `may` accepts: the one of the lowest rank of the party whose turn comes first.
   * The item stays in the queue.
   */
  next(may: (item: T) => boolean): T | undefined;
  /**
   * Removes an item because it is served. The next turn of its party comes once the others have been served
   * as much.
   */
  serve(client: string, item: T): void;
  /** Removes an item that no longer waits. */
  remove(client: string, item: T): void;
  /**
   * Returns the items that are served before this one if no more are added; those whose turn comes at the
   * same time in the order of their parties.
   */
  ahead(client: string, item: T): T[];
  /** Returns the items of each party, those of the lowest rank first. */
  clients(): Iterable<readonly T[]>;
}

interface Client<T> {
  readonly items: T[];
  /** When its turn comes, by the clock of the queue. */
  turn: number;
}

/** Number of parties without items whose turns are remembered before those that have passed are dropped. */
const maxRemembered = 64;

/**
 * Creates an empty queue. `rankOf`: rank of an item, which does not change; equal ones keep their order.
 * `costOf`: how much of its party's share an item takes, above 0.
 */
export function createTurns<T>(rankOf: (item: T) => number, costOf: (item: T) => number = () => 1): Turns<T> {
  /** Parties with items; those of equal turns in the order in which they were served last. */
  const waiting = new Map<string, Client<T>>();
  /** Turns of parties that have no items now, so that small portions gain nothing. */
  const remembered = new Map<string, number>();
  /** The turn of the party that was served last. */
  let clock = 0;

  const remove = (client: string, item: T): Client<T> | undefined => {
    const own = waiting.get(client);
    const at = own?.items.indexOf(item) ?? -1;
    if (!own || at < 0) return undefined;
    own.items.splice(at, 1);
    if (own.items.length > 0) return own;
    waiting.delete(client);
    if (own.turn > clock) remembered.set(client, own.turn);
    return own;
  };

  /** Drops turns that have passed: their parties begin by the clock, like new ones. */
  const forgetPassed = () => {
    if (remembered.size <= maxRemembered + waiting.size) return;
    for (const [client, turn] of remembered) if (turn <= clock) remembered.delete(client);
  };

  return {
    get size() {
      let size = 0;
      for (const { items } of waiting.values()) size += items.length;
      return size;
    },
    add(client, item) {
      let own = waiting.get(client);
      if (!own) {
        own = { items: [], turn: Math.max(clock, remembered.get(client) ?? 0) };
        remembered.delete(client);
        waiting.set(client, own);
      }
      const { items } = own;
      let at = items.length;
      while (at > 0 && rankOf(items[at - 1] as T) > rankOf(item)) at--;
      items.splice(at, 0, item);
    },
    next(may) {
      let first: Client<T> | undefined;
      let found: T | undefined;
      for (const own of waiting.values()) {
        if (first && own.turn >= first.turn) continue;
        const item = own.items.find(may);
        if (item !== undefined) [first, found] = [own, item];
      }
      return found;
    },
    serve(client, item) {
      const own = waiting.get(client);
      if (!own?.items.includes(item)) return;
      clock = Math.max(clock, own.turn);
      own.turn += costOf(item);
      remove(client, item);
      forgetPassed();
      if (own.items.length === 0) return;
      waiting.delete(client);
      waiting.set(client, own);
    },
    remove: (client, item) => void remove(client, item),
    ahead(client, item) {
      const own = waiting.get(client);
      const at = own?.items.indexOf(item) ?? -1;
      if (!own || at < 0) return [];
      const until = own.items.slice(0, at).reduce((turn, each) => turn + costOf(each), own.turn);
      const before = own.items.slice(0, at);
      let isEarlier = true;
      for (const other of waiting.values()) {
        if (other === own) {
          isEarlier = false;
          continue;
        }
        let { turn } = other;
        for (const each of other.items) {
          if (turn > until || (turn === until && !isEarlier)) break;
          before.push(each);
          turn += costOf(each);
        }
      }
      return before;
    },
    *clients() {
      for (const { items } of waiting.values()) yield items;
    },
  };
}
