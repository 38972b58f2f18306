import { describe, expect, it } from "vitest";
import { createCircuit } from "../../src/stores/circuit.ts";
import { guardedStore } from "../../src/stores/guard.ts";
import { heapStore } from "../../src/stores/heap.ts";
import type { Store } from "../../src/stores/store.ts";
import { storeContract } from "../contracts/store.ts";

/** Longer than any test may take. */
const ample = { read: 60_000, write: 60_000, purge: 60_000, check: 60_000 };

storeContract("guarded heap", async (options) => ({ store: guardedStore(heapStore(options), ample) }));

describe("a circuit", () => {
  const setup = () => {
    const state = { time: 0, calls: 0, broken: true };
    const circuit = createCircuit({ failures: 3, pauseMs: 100, longestPauseMs: 350, now: () => state.time });
    const call = () =>
      circuit
        .run(async () => {
          state.calls++;
          if (state.broken) throw new Error(`failure ${state.calls}`);
          return "done";
        })
        .catch((error: Error) => error.message);
    return { state, circuit, call };
  };

  it("calls nothing after a few failures in a row, and tells the last of them", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 3; i++) expect(await call()).toBe(`failure ${i + 1}`);
    for (let i = 0; i < 5; i++) expect(await call()).toBe("failure 3");
    expect(state.calls).toBe(3);
  });

  it("counts failures in a row only", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 10; i++) {
      state.broken = i % 3 !== 2;
      await call();
    }
    expect(state.calls).toBe(10);
  });

  it("tries once after a pause, which grows up to its bound while trials fail", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 3; i++) await call();
    for (const [pause, calls] of [
      [100, 4],
      [200, 5],
      [350, 6],
      [350, 7],
    ] as const) {
      state.time += pause - 1;
      await call();
      expect(state.calls).toBe(calls - 1);
      state.time += 1;
      await Promise.all([call(), call(), call()]);
      expect(state.calls).toBe(calls);
    }
  });

  it("is as at first after a trial that succeeds", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 3; i++) await call();
    state.time += 100;
    state.broken = false;
    expect(await call()).toBe("done");
    state.broken = true;
    for (let i = 0; i < 5; i++) await call();
    expect(state.calls).toBe(7);
    state.time += 100;
    await call();
    expect(state.calls).toBe(8);
  });

  it("is not opened longer by failures of what began before", async () => {
    const { state, circuit, call } = setup();
    let fail!: (error: Error) => void;
    const slow = circuit.run(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    for (let i = 0; i < 3; i++) await call();
    state.time += 99;
    fail(new Error("slow"));
    await expect(slow).rejects.toThrow("slow");
    state.time += 1;
    state.broken = false;
    expect(await call()).toBe("done");
  });
});

/** A heap store whose methods can fail or stand still; it counts its calls. */
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
  it("is not asked any more where reads stand still, and again when its check passes", async () => {
    const { state, store } = troubled();
    const guarded = guardedStore(store, { ...ample, read: 5, check: 5 }, { failures: 2, pauseMs: 1e9 });
    await guarded.set("a", "", value);
    state.reads = "stands still";
    for (let i = 0; i < 6; i++) await expect(guarded.get("a", "")).rejects.toThrow("no answer within 5 ms");
    expect(state.calls).toBe(3);
    await expect(guarded.check()).rejects.toThrow("no answer");
    state.reads = "well";
    await expect(guarded.get("a", "")).rejects.toThrow("no answer");
    await guarded.check();
    expect(await guarded.get("a", "")).toEqual(value);
  });

  it("is still read where it cannot be written", async () => {
    const { state, store } = troubled();
    const guarded = guardedStore(store, ample, { failures: 2 });
    await guarded.set("a", "", value);
    state.writes = "fails";
    for (let i = 0; i < 6; i++) await expect(guarded.set("b", "", value)).rejects.toThrow("broken");
    expect(state.calls).toBe(3);
    expect(await guarded.get("a", "")).toEqual(value);
  });

  it("is purged though it is not read any more", async () => {
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
    await expect(guarded.set("a", "", value)).rejects.toThrow("no answer within 5 ms");
    await expect(guarded.delete("a")).rejects.toThrow("no answer within 20 ms");
    await expect(guarded.clear?.()).rejects.toThrow("no answer within 20 ms");
    state.release();
    await guarded.delete("a");
    expect(await store.get("a", "")).toBeUndefined();
  });

  it("offers only what the store can do", () => {
    const { clear, usage, ...rest } = heapStore({ maxBytes: 1 });
    const guarded = guardedStore(rest, ample);
    expect([guarded.clear, guarded.usage]).toEqual([undefined, undefined]);
  });
});
