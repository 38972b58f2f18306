import { expect, test } from "vitest";
import { createTurns } from "../../../src/base/concurrency/turns.ts";

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
