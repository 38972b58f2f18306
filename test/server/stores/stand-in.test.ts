import { describe, expect, it } from "vitest";
import { heapStore } from "../../../src/server/stores/heap.ts";
import { withStandIn } from "../../../src/server/stores/stand-in.ts";
import type { Store } from "../../../src/server/stores/store.ts";
import { storeContract } from "../../contracts/store.ts";

storeContract("stand-in for a heap", async (options) => ({
  store: withStandIn(heapStore(options), heapStore({ maxBytes: 1 << 16 }), () => {}),
}));

const one = Uint8Array.of(1);
const two = Uint8Array.of(2);

function setup() {
  const inner = heapStore({ maxBytes: 1 << 20 });
  const state = { reads: true, writes: true };
  const failed: string[] = [];
  const meet = (works: boolean) => {
    if (!works) throw new Error("gone");
  };
  const folder: Store = {
    ...inner,
    async get(name, variant) {
      meet(state.reads);
      return inner.get(name, variant);
    },
    async set(name, variant, value) {
      meet(state.writes);
      return inner.set(name, variant, value);
    },
    async delete(name, variant) {
      meet(state.writes);
      return inner.delete(name, variant);
    },
    async check() {
      meet(state.writes);
    },
  };
  const memory = heapStore({ maxBytes: 1 << 16 });
  const store = withStandIn(folder, memory, (error) => failed.push(String(error)));
  return { state, failed, store, memory, inner };
}

describe("memory that replaces a folder", () => {
  it("stores and finds entries that the folder cannot, and is emptied when the folder accepts entries again", async () => {
    const { state, failed, store, memory, inner } = setup();
    await store.set("a", "", one);
    Object.assign(state, { reads: false, writes: false });
    expect(await store.get("a", "")).toBeUndefined();
    await expect(store.set("b", "", two)).rejects.toThrow("gone");
    expect(await store.get("b", "")).toEqual(two);
    expect(failed).toEqual(["Error: gone", "Error: gone"]);
    expect(store.standIn()?.maxBytes?.()).toBe(1 << 16);
    Object.assign(state, { reads: true, writes: true });
    await store.set("c", "", two);
    expect(await store.get("a", "")).toEqual(one);
    expect(await store.get("b", "")).toBeUndefined();
    expect((await memory.usage?.())?.entries).toBe(0);
    expect(await inner.get("c", "")).toEqual(two);
    expect(store.standIn()).toBeUndefined();
    expect(store.maxBytes?.()).toBe(1 << 20);
  });

  it("yields to the folder even if only its own entries are requested", async () => {
    const { state, store, memory, inner } = setup();
    state.writes = false;
    await expect(store.set("a", "", one)).rejects.toThrow("gone");
    expect(await store.get("a", "")).toEqual(one);
    state.writes = true;
    expect(await store.get("a", "")).toEqual(one);
    await store.close?.();
    expect(await inner.get("a", "")).toEqual(one);
    expect((await memory.usage?.())?.entries).toBe(0);
  });

  it("yields to the folder if a check of it passes, without a request", async () => {
    const { state, store, memory } = setup();
    state.writes = false;
    await expect(store.set("a", "", one)).rejects.toThrow("gone");
    await expect(store.check()).rejects.toThrow("gone");
    expect(store.standIn()).toBe(memory);
    state.writes = true;
    await store.check();
    expect(store.standIn()).toBeUndefined();
    expect((await memory.usage?.())?.entries).toBe(0);
  });

  it("does not count as the folder", async () => {
    const { state, store } = setup();
    await store.set("a", "", one);
    state.writes = false;
    for (const name of ["b", "c"]) await expect(store.set(name, "", two)).rejects.toThrow("gone");
    expect((await store.usage?.())?.entries).toBe(1);
    expect(store.maxBytes?.()).toBe(1 << 20);
    expect((await store.standIn()?.usage?.())?.entries).toBe(2);
  });

  it("is used in addition to a folder that can still be read", async () => {
    const { state, store } = setup();
    await store.set("a", "", one);
    state.writes = false;
    await expect(store.set("b", "", two)).rejects.toThrow("gone");
    expect([await store.get("a", ""), await store.get("b", "")]).toEqual([one, two]);
  });

  it("forgets purged entries, though the purge fails because of the folder", async () => {
    const { state, store, memory } = setup();
    state.writes = false;
    await expect(store.set("a", "", one)).rejects.toThrow("gone");
    await expect(store.delete("a")).rejects.toThrow("gone");
    expect(await store.get("a", "")).toBeUndefined();
    expect((await memory.usage?.())?.entries).toBe(0);
  });
});
