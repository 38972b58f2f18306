import { describe, expect, it } from "vitest";
import { guardedStore } from "../../../src/server/stores/guard.ts";
import { heapStore } from "../../../src/server/stores/heap.ts";
import type { Store } from "../../../src/server/stores/store.ts";
import { storeContract } from "../../contracts/store.ts";

/** Longer than any test may take. */
const ample = { read: 60_000, write: 60_000, purge: 60_000, check: 60_000 };

storeContract("guarded heap", async (options) => ({ store: guardedStore(heapStore(options), ample) }));

/** A heap store whose methods can fail or hang; it counts its calls. */
function troubled() {
  const inner = heapStore({ maxBytes: 1 << 20 });
  const state = { calls: 0, reads: "well" as Mood, writes: "well" as Mood, release: () => {} };
  const meet = async (mood: Mood) => {
    state.calls++;
    if (mood === "fails") throw new Error("broken");
    if (mood === "stands still")
      await new Promise<void>((resolve) => {
        state.release = resolve;
      });
  };
  const store: Store = {
    ...inner,
    get: async (name, variant) => {
      await meet(state.reads);
      return inner.get(name, variant);
    },
    set: async (name, variant, value) => {
      await meet(state.writes);
      return inner.set(name, variant, value);
    },
    check: () => meet(state.reads),
  };
  return { state, store };
}
type Mood = "well" | "fails" | "stands still";

const value = Uint8Array.of(1);

describe("a guarded store", () => {
  it("gets no more calls if reads hang, and is used again when its check passes", async () => {
    const { state, store } = troubled();
    const guarded = guardedStore(store, { ...ample, read: 5, check: 5 }, { failures: 2, pauseMs: 1e9 });
    await guarded.set("a", "", value);
    state.reads = "stands still";
    for (let i = 0; i < 6; i++) await expect(guarded.get("a", "")).rejects.toThrow("no response within 5 ms");
    expect(state.calls).toBe(3);
    await expect(guarded.check()).rejects.toThrow("no response");
    state.reads = "well";
    await expect(guarded.get("a", "")).rejects.toThrow("no response");
    await guarded.check();
    expect(await guarded.get("a", "")).toEqual(value);
  });

  it("is still read if it cannot be written", async () => {
    const { state, store } = troubled();
    const guarded = guardedStore(store, ample, { failures: 2 });
    await guarded.set("a", "", value);
    state.writes = "fails";
    for (let i = 0; i < 6; i++) await expect(guarded.set("b", "", value)).rejects.toThrow("broken");
    expect(state.calls).toBe(3);
    expect(await guarded.get("a", "")).toEqual(value);
  });

  it("is purged even if it is no longer read", async () => {
    const { state, store } = troubled();
    const guarded = guardedStore(store, ample, { failures: 1, pauseMs: 1e9 });
    await guarded.set("a", "", value);
    state.reads = "fails";
    await expect(guarded.get("a", "")).rejects.toThrow("broken");
    expect(await guarded.delete("a")).toBe(1);
  });

  it("does not take a purge for done while a write may still land after it", async () => {
    const { state, store } = troubled();
    const guarded = guardedStore(store, { ...ample, write: 5, purge: 20 });
    state.writes = "stands still";
    await expect(guarded.set("a", "", value)).rejects.toThrow("no response within 5 ms");
    await expect(guarded.delete("a")).rejects.toThrow("no response within 20 ms");
    await expect(guarded.clear?.()).rejects.toThrow("no response within 20 ms");
    state.release();
    await guarded.delete("a");
    expect(await store.get("a", "")).toBeUndefined();
  });

  it("is not counted for longer than a check may take", async () => {
    const inner = heapStore({ maxBytes: 1 << 20 });
    const guarded = guardedStore({ ...inner, usage: () => new Promise(() => {}) }, { ...ample, check: 5 });
    await expect(guarded.usage?.()).rejects.toThrow("no response within 5 ms");
  });

  it("offers only the store's own methods", () => {
    const { clear, usage, ...rest } = heapStore({ maxBytes: 1 });
    const guarded = guardedStore(rest, ample);
    expect([guarded.clear, guarded.usage]).toEqual([undefined, undefined]);
  });
});
