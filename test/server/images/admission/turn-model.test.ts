// Turns against a model, whatever comes, goes and rises.

import { expect, test } from "vitest";
import { createGroupTurns } from "../../../../src/server/images/admission/group-turns.ts";
import { groupShares, type TurnGroup, turnGroups } from "../../../../src/server/visitors/classes.ts";
import fc from "../../../properties.ts";

const numRuns = 500;
const maxCost = 9;

interface Item {
  readonly name: number;
  readonly cost: number;
  group: TurnGroup;
  network: string;
}

const owner = { group: fc.constantFrom(...turnGroups), network: fc.constantFrom("a", "b", "c") };
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constant("add"), ...owner, pick: fc.integer({ min: 1, max: maxCost }) }),
  },
  { weight: 3, arbitrary: fc.record({ is: fc.constant("serve"), ...owner, pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("remove"), ...owner, pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("rise"), ...owner, pick: fc.nat() }) },
);

/** The queue of admission, the items that wait in it, and those that were served, in order. */
function queued() {
  const turns = createGroupTurns<Item>(
    groupShares,
    ({ name }) => name,
    ({ cost }) => cost,
  );
  const waiting: Item[] = [];
  const served: Item[] = [];
  const add = (item: Item) => {
    turns.add({ ...item }, item);
    waiting.push(item);
  };
  const remove = (item: Item) => {
    turns.remove({ ...item }, item);
    waiting.splice(waiting.indexOf(item), 1);
  };
  const serve = () => {
    const item = turns.next(() => true);
    if (!item) return undefined;
    turns.serve({ ...item }, item);
    expect(waiting).toContain(item);
    waiting.splice(waiting.indexOf(item), 1);
    served.push(item);
    return item;
  };
  return { turns, waiting, served, add, remove, serve };
}

test("no job is lost or served twice, and a queue with jobs always has a next one (property)", () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 10, maxLength: 120 }), (acts) => {
      const { turns, waiting, served, add, remove, serve } = queued();
      let left = 0;
      for (const [name, { is, group, network, pick }] of acts.entries()) {
        const chosen = waiting[pick % Math.max(1, waiting.length)];
        if (is === "add") add({ name, cost: pick, group, network });
        else if (is === "serve") expect(serve() === undefined).toBe(chosen === undefined);
        else if (chosen) {
          remove(chosen);
          if (is === "rise") add({ ...chosen, group, network });
          else left++;
        }
        expect(turns.size).toBe(waiting.length);
      }
      while (serve());
      expect(waiting).toEqual([]);
      const added = acts.filter(({ is }) => is === "add").length;
      expect(served.length).toBe(added - left);
      expect(new Set(served.map(({ name }) => name)).size).toBe(served.length);
    }),
    { numRuns },
  );
});

test("groups get their shares while they wait, whatever others of them do (property)", () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 20, maxLength: 200 }), (acts) => {
      const { waiting, add, remove, serve } = queued();
      /** For each pair of groups, what was served of each since both have waited without a break. */
      const since = new Map<string, Record<string, number>>();
      const note = (item?: Item) => {
        const isWaiting = (group: TurnGroup) => waiting.some((each) => each.group === group);
        for (const one of turnGroups)
          for (const other of turnGroups) {
            if (one >= other) continue;
            const key = `${one} ${other}`;
            const spent = since.get(key);
            if (spent && item) spent[item.group] = (spent[item.group] ?? 0) + item.cost;
            if (!isWaiting(one) || !isWaiting(other)) since.delete(key);
            else if (!spent) since.set(key, {});
            if (!spent) continue;
            // Goyal, Vin and Cheng, theorem 1.
            const apart = (spent[one] ?? 0) / groupShares[one] - (spent[other] ?? 0) / groupShares[other];
            expect(Math.abs(apart)).toBeLessThanOrEqual(
              maxCost / groupShares[one] + maxCost / groupShares[other] + 1e-9,
            );
          }
      };
      for (const [name, { is, group, network, pick }] of acts.entries()) {
        const chosen = waiting[pick % Math.max(1, waiting.length)];
        let item: Item | undefined;
        if (is === "add") add({ name, cost: pick, group, network });
        else if (is === "serve") item = serve();
        else if (chosen) {
          remove(chosen);
          if (is === "rise") add({ ...chosen, group, network });
        }
        note(item);
      }
    }),
    { numRuns },
  );
});

test("nobody starves: a job is served before others have had their shares of it a second time (property)", () => {
  fc.assert(
    fc.property(
      fc.record(owner),
      fc.integer({ min: 1, max: maxCost }),
      fc.array(fc.record({ ...owner, cost: fc.integer({ min: 1, max: maxCost }) }), {
        minLength: 1,
        maxLength: 20,
      }),
      ({ group, network }, cost, others) => {
        const { add, serve } = queued();
        let name = 0;
        const more = () => {
          for (const other of others) {
            // Its own network has its jobs by their rank, so that later ones come after it anyway.
            add({ ...other, name: name++ });
          }
        };
        more();
        const own: Item = { name: name++, cost, group, network };
        add(own);
        // What its network has ahead, by three networks of a group with 15 of 100, and an item of each.
        const ahead = others.length * maxCost + cost;
        const bound = (ahead * 3 + 3 * maxCost) * (100 / groupShares[group]) + 8 * maxCost;
        let spent = 0;
        for (let item = serve(); item && item !== own; item = serve()) {
          spent += item.cost;
          expect(spent).toBeLessThanOrEqual(bound);
          more();
        }
      },
    ),
    { numRuns },
  );
});
