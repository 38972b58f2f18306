// Shares of groups while others wait.

import { expect, test } from "vitest";
import { createGroupTurns } from "../../../../src/server/images/admission/group-turns.ts";
import fc from "../../../properties.ts";

interface Item {
  readonly group: string;
  readonly network: string;
  readonly cost: number;
}

const shares = { welcome: 60, earned: 25, others: 15 };
const queue = () =>
  createGroupTurns<Item>(
    shares,
    () => 0,
    ({ cost }) => cost,
  );

/** Serves `count` items and returns the sum of the costs by group. */
function serve(turns: ReturnType<typeof queue>, count: number): Record<string, number> {
  const spent: Record<string, number> = { welcome: 0, earned: 0, others: 0 };
  for (let n = 0; n < count; n++) {
    const item = turns.next(() => true);
    if (!item) break;
    turns.serve(item, item);
    spent[item.group] = (spent[item.group] as number) + item.cost;
  }
  return spent;
}

test("groups that all wait get their shares, whatever their items cost and however many networks they have", () => {
  const turns = queue();
  for (let n = 0; n < 2000; n++) {
    turns.add({ group: "welcome", network: "a" }, { group: "welcome", network: "a", cost: 5 });
    turns.add({ group: "earned", network: "b" }, { group: "earned", network: "b", cost: 10 });
    const swarm = { group: "others", network: `${n}` };
    turns.add(swarm, { ...swarm, cost: 2 });
  }
  const spent = serve(turns, 2000);
  const total = Object.values(spent).reduce((sum, cost) => sum + cost, 0);
  for (const [group, share] of Object.entries(shares))
    expect(((spent[group] as number) / total) * 100).toBeCloseTo(share, 0);
});

test("a group alone gets everything, and what it got does not count against it later", () => {
  const turns = queue();
  const add = (group: string, count: number) => {
    for (let n = 0; n < count; n++) turns.add({ group, network: "a" }, { group, network: "a", cost: 1 });
  };
  add("others", 500);
  expect(serve(turns, 400)).toMatchObject({ others: 400 });
  add("welcome", 500);
  const spent = serve(turns, 100);
  expect(spent.others).toBeGreaterThanOrEqual(15);
  expect(spent.welcome).toBeGreaterThanOrEqual(75);
});

test("a group that had nothing to do saves nothing up", () => {
  const turns = queue();
  const add = (group: string, count: number) => {
    for (let n = 0; n < count; n++) turns.add({ group, network: "a" }, { group, network: "a", cost: 1 });
  };
  add("welcome", 1000);
  serve(turns, 900);
  add("others", 1000);
  add("welcome", 900);
  // 15 of 75.
  expect(serve(turns, 100).others).toBeLessThanOrEqual(22);
});

test("what is ahead of an item is about what is served before it (property)", () => {
  const owner = fc.record({
    group: fc.constantFrom("welcome", "earned", "others"),
    network: fc.constantFrom("a", "b", "c"),
    cost: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(owner, { minLength: 1, maxLength: 60 }), fc.nat(), (items, pick) => {
      const turns = queue();
      for (const item of items) turns.add(item, item);
      const item = items[pick % items.length] as Item;
      const ahead = turns.ahead(item, item);
      let before = 0;
      for (let next = turns.next(() => true); next && next !== item; next = turns.next(() => true)) {
        turns.serve(next, next);
        before += next.cost;
      }
      // Two largest items of each of three groups of three networks, at the price of the smallest share.
      expect(Math.abs(ahead - before)).toBeLessThanOrEqual(9 * 2 * 3 * (85 / 15));
      expect(turns.size).toBeGreaterThan(0);
    }),
  );
});
