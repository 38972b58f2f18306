import { expect, it } from "vitest";
import { heapStore } from "../../../src/server/stores/heap.ts";
import { nameIn } from "../../../src/server/stores/names.ts";
import { storeContract } from "../../contracts/store.ts";

storeContract("heap", async (options) => ({ store: heapStore(options) }));

it("returns the stored bytes themselves if it lends them, and its own copy of what was stored", async () => {
  const store = heapStore({ maxBytes: 10_000, lends: true });
  const bytes = new Uint8Array([1, 2, 3]);
  await store.set("a", "", bytes);
  bytes[0] = 9;
  const first = await store.get("a", "");
  expect(first).toEqual(new Uint8Array([1, 2, 3]));
  expect(await store.get("a", "")).toBe(first);
});

it("lets the least recently used entry go first", async () => {
  const store = heapStore({ maxBytes: 3 * 1500 });
  for (const name of ["a", "b", "c"]) await store.set(name, "", new Uint8Array(1000));
  await store.get("a", "");
  await store.set("d", "", new Uint8Array(1000));
  const held = await Promise.all(
    ["a", "b", "c", "d"].map(async (name) => (await store.get(name, "")) !== undefined),
  );
  expect(held).toEqual([true, false, true, true]);
});

it("forgets the variants of a name that were pushed out", async () => {
  const store = heapStore({ maxBytes: 2 * 1500 });
  await store.set("a", "1", new Uint8Array(1000));
  await store.set("a", "2", new Uint8Array(1000));
  await store.set("b", "", new Uint8Array(1000));
  expect(await store.delete("a")).toBe(1);
});

it("counts the cost of many small entries, not their bytes alone", async () => {
  const store = heapStore({ maxBytes: 100_000 });
  for (let i = 0; i < 1000; i++) await store.set(`n${i}`, "", new Uint8Array(1));
  expect((await store.usage?.())?.entries).toBeLessThan(400);
});

it("names the groups that take most bytes, with all their entries", async () => {
  const store = heapStore({ maxBytes: 100_000 });
  await store.set(nameIn("small", "1"), "", new Uint8Array(100));
  await store.set(nameIn("large", "1"), "", new Uint8Array(5000));
  await store.set(nameIn("large", "2"), "v", new Uint8Array(5000));
  await store.set(nameIn("middle", "1"), "", new Uint8Array(2000));
  const largest = store.largest?.(2) ?? [];
  expect(largest.map(({ group, entries }) => [group, entries])).toEqual([
    ["large", 2],
    ["middle", 1],
  ]);
  const all = store.largest?.(9) ?? [];
  expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBe((await store.usage?.())?.bytes);
});
