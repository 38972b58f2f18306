// Turns of groups, and of networks within each: a group gets its share of the work while others wait, and all
// of it while none does.

import { createTurns, type Turns } from "../../../base/index.ts";

/** Who an item belongs to. */
export interface TurnOwner {
  readonly group: string;
  readonly network: string;
}

export interface GroupTurns<T> {
  readonly size: number;
  add(owner: TurnOwner, item: T): void;
  /** Returns the next item that `may` accepts; it stays in the queue. */
  next(may: (item: T) => boolean): T | undefined;
  /** Removes an item because it is served. */
  serve(owner: TurnOwner, item: T): void;
  /** Removes an item that no longer waits. */
  remove(owner: TurnOwner, item: T): void;
  /** Returns what is served before this item if nothing is added, as the sum of its costs. */
  ahead(owner: TurnOwner, item: T): number;
  /** Returns the items of each network, those of the lowest rank first; of the smallest group first. */
  clients(): Iterable<readonly T[]>;
}

interface Group<T> {
  readonly turns: Turns<T>;
  readonly share: number;
  /** When its turn comes, by the clock of all groups. */
  turn: number;
}

/**
 * Creates an empty queue. `shares`: those of groups, above 0; other groups have 1. The rest as in
 * `createTurns`.
 */
export function createGroupTurns<T>(
  shares: Readonly<Record<string, number>>,
  rankOf: (item: T) => number,
  costOf: (item: T) => number,
): GroupTurns<T> {
  const groups = new Map<string, Group<T>>();
  let clock = 0;

  const groupOf = (name: string): Group<T> => {
    let group = groups.get(name);
    if (!group) {
      group = { turns: createTurns(rankOf, costOf), share: shares[name] ?? 1, turn: clock };
      groups.set(name, group);
    }
    return group;
  };
  const waiting = () => [...groups.values()].filter(({ turns }) => turns.size > 0);

  return {
    get size() {
      let size = 0;
      for (const { turns } of groups.values()) size += turns.size;
      return size;
    },
    add({ group: name, network }, item) {
      const group = groupOf(name);
      // What a group did not use while it had nothing to do is not saved.
      if (group.turns.size === 0) group.turn = Math.max(group.turn, clock);
      group.turns.add(network, item);
    },
    next(may) {
      for (const { turns } of waiting().sort((one, other) => one.turn - other.turn)) {
        const item = turns.next(may);
        if (item !== undefined) return item;
      }
      return undefined;
    },
    serve({ group: name, network }, item) {
      const group = groupOf(name);
      clock = Math.max(clock, group.turn);
      group.turn += costOf(item) / group.share;
      group.turns.serve(network, item);
    },
    remove: ({ group, network }, item) => groupOf(group).turns.remove(network, item),
    ahead({ group: name, network }, item) {
      const group = groupOf(name);
      const own = group.turns.ahead(network, item).reduce((sum, each) => sum + costOf(each), 0);
      let total = own;
      for (const other of waiting()) {
        if (other === group) continue;
        let cost = 0;
        for (const items of other.turns.clients()) for (const each of items) cost += costOf(each);
        // Others get their share meanwhile, and no more than what they have.
        total += Math.min(cost, (own * other.share) / group.share);
      }
      return total;
    },
    *clients() {
      const bySize = waiting().sort((one, other) => one.share - other.share);
      for (const { turns } of bySize) yield* turns.clients();
    },
  };
}
