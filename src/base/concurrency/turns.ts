// A queue in which parties take turns, so that one with many or dear items does not keep the others waiting:
// start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996). Within a party, items are served by their
// rank.

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
   * Removes an item because it is served. The next turn of its party comes once the others have been served as
   * much.
   */
  serve(client: string, item: T): void;
  /** Removes an item that no longer waits. */
  remove(client: string, item: T): void;
  /**
   * Returns the items that are served before this one if no more are added; those whose turn comes at the same
   * time in the order of their parties.
   */
  ahead(client: string, item: T): T[];
  /** Returns the items of each party, those of the lowest rank first. */
  clients(): Iterable<readonly T[]>;
}

interface Party<T> {
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
  const waiting = new Map<string, Party<T>>();
  /** Turns of parties that have no items now, so that they gain nothing by sending one after the other. */
  const remembered = new Map<string, number>();
  /** The turn of the party that was served last. */
  let clock = 0;

  const remove = (client: string, item: T): Party<T> | undefined => {
    const party = waiting.get(client);
    const at = party?.items.indexOf(item) ?? -1;
    if (!party || at < 0) return undefined;
    party.items.splice(at, 1);
    if (party.items.length > 0) return party;
    waiting.delete(client);
    if (party.turn > clock) remembered.set(client, party.turn);
    return party;
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
      let party = waiting.get(client);
      if (!party) {
        party = { items: [], turn: Math.max(clock, remembered.get(client) ?? 0) };
        remembered.delete(client);
        waiting.set(client, party);
      }
      const { items } = party;
      let at = items.length;
      while (at > 0 && rankOf(items[at - 1] as T) > rankOf(item)) at--;
      items.splice(at, 0, item);
    },
    next(may) {
      let first: Party<T> | undefined;
      let found: T | undefined;
      for (const party of waiting.values()) {
        if (first && party.turn >= first.turn) continue;
        const item = party.items.find(may);
        if (item !== undefined) [first, found] = [party, item];
      }
      return found;
    },
    serve(client, item) {
      const party = waiting.get(client);
      if (!party?.items.includes(item)) return;
      clock = Math.max(clock, party.turn);
      party.turn += costOf(item);
      remove(client, item);
      forgetPassed();
      if (party.items.length === 0) return;
      waiting.delete(client);
      waiting.set(client, party);
    },
    remove: (client, item) => void remove(client, item),
    ahead(client, item) {
      const own = waiting.get(client);
      const at = own?.items.indexOf(item) ?? -1;
      if (!own || at < 0) return [];
      const until = own.items.slice(0, at).reduce((turn, each) => turn + costOf(each), own.turn);
      const before = own.items.slice(0, at);
      let isEarlier = true;
      for (const party of waiting.values()) {
        if (party === own) {
          isEarlier = false;
          continue;
        }
        let { turn } = party;
        for (const each of party.items) {
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
