import { expect, test } from "vitest";
import { createTurns } from "../../../src/base/concurrency/turns.ts";
import fc from "../../properties.ts";

const any = () => true;

/** Serves everything that `may` accepts, in the order of turns. */
function served(
  turns: ReturnType<typeof createTurns<string>>,
  may: (item: string) => boolean = any,
): string[] {
  const order: string[] = [];
  for (let item = turns.next(may); item; item = turns.next(may)) {
    turns.serve(item[0] as string, item);
    order.push(item);
  }
  return order;
}

/** The rank of an item follows its name, as in "a1:5"; 0 if none does. */
const rankOf = (item: string) => Number(item.split(":")[1] ?? 0);

function filled(...items: readonly string[]) {
  const turns = createTurns(rankOf);
  for (const item of items) turns.add(item[0] as string, item);
  return turns;
}

test("one client is served in the order in which its items came", () => {
  expect(served(filled("a1", "a2", "a3"))).toEqual(["a1", "a2", "a3"]);
});

test("one client is served by rank, and in the order in which items of one rank came", () => {
  expect(served(filled("a1:5", "a2:3", "a3:5", "a4:1", "a5:3"))).toEqual([
    "a4:1",
    "a2:3",
    "a5:3",
    "a1:5",
    "a3:5",
  ]);
});

test("what is ahead of an item is what is served before it", () => {
  const items = ["a1", "a2:2", "a3:1", "b1", "b2", "c1", "c2:7", "c3:4", "c4", "c5"];
  const order = served(filled(...items));
  const turns = filled(...items);
  for (const item of items)
    expect(turns.ahead(item[0] as string, item).sort(), item).toEqual(
      order.slice(0, order.indexOf(item)).sort(),
    );
});

test("parties take turns, no matter who has more items", () => {
  expect(served(filled("a1", "a2", "a3", "a4", "b1", "b2", "c1"))).toEqual([
    "a1",
    "b1",
    "c1",
    "a2",
    "b2",
    "a3",
    "a4",
  ]);
});

test("a client that comes later has its turn before those that were served", () => {
  const turns = filled("a1", "a2", "a3");
  turns.serve("a", "a1");
  turns.add("b", "b1");
  turns.serve("a", "a2");
  expect(served(turns)).toEqual(["b1", "a3"]);
});

test("items that may not go are passed over and keep their place", () => {
  const turns = filled("a1", "a2", "b1", "b2");
  expect(served(turns, (item) => item !== "a1" && item !== "b1")).toEqual(["a2", "b2"]);
  expect(turns.size).toBe(2);
  expect(served(turns)).toEqual(["a1", "b1"]);
  expect(turns.size).toBe(0);
});

test("an item that is removed is not served", () => {
  const turns = filled("a1", "a2", "b1");
  turns.remove("a", "a1");
  turns.remove("b", "b1");
  turns.remove("c", "c1");
  expect([...turns.clients()]).toEqual([["a2"]]);
  expect(served(turns)).toEqual(["a2"]);
});

test("a party with expensive items is served as much as one with cheap ones, not as often", () => {
  const costs: Record<string, number> = { a: 10, b: 1 };
  const turns = createTurns<string>(
    () => 0,
    (item) => costs[item[0] as string] as number,
  );
  for (let n = 0; n < 3; n++) turns.add("a", `a${n}`);
  for (let n = 0; n < 20; n++) turns.add("b", `b${n}`);
  const order = served(turns).map((item) => item[0]);
  expect(order.join("")).toBe(`a${"b".repeat(10)}a${"b".repeat(10)}a`);
});

test("a party gains nothing by sending one item after the other instead of all at once", () => {
  const turns = createTurns<string>(
    () => 0,
    () => 1,
  );
  for (let n = 0; n < 6; n++) turns.add("b", `b${n}`);
  const order: string[] = [];
  turns.add("a", "a0");
  for (let n = 1; turns.size > 0; n++) {
    const item = turns.next(any) as string;
    turns.serve(item[0] as string, item);
    order.push(item[0] as string);
    // Its next item comes right after it was served.
    if (item[0] === "a" && n < 8) turns.add("a", `a${n}`);
  }
  expect(order.join("")).toMatch(/^(ba|ab){4}/);
});

test("every party is served its share, whatever comes and goes (property)", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ client: fc.constantFrom("a", "b", "c"), cost: fc.integer({ min: 1, max: 9 }) }), {
        minLength: 30,
        maxLength: 200,
      }),
      (jobs) => {
        const turns = createTurns<(typeof jobs)[number]>(
          () => 0,
          ({ cost }) => cost,
        );
        for (const job of jobs) turns.add(job.client, job);
        const spent: Record<string, number> = { a: 0, b: 0, c: 0 };
        const left = (name: string) => [...turns.clients()].some(([job]) => job?.client === name);
        for (let job = turns.next(() => true); job; job = turns.next(() => true)) {
          turns.serve(job.client, job);
          spent[job.client] = (spent[job.client] as number) + job.cost;
          // Goyal et al., theorem 1: parties that both wait differ by at most one largest item of each.
          const both = Object.keys(spent).filter(left);
          for (const one of both)
            for (const other of both)
              expect((spent[one] as number) - (spent[other] as number)).toBeLessThanOrEqual(18);
        }
      },
    ),
  );
});
