import { describe, expect, it } from "vitest";
import { createCounts } from "../../../src/base/telemetry/count.ts";
import { heapStore } from "../../../src/server/stores/heap.ts";
import { nameIn } from "../../../src/server/stores/names.ts";
import { createSlot, type SlotOptions, slotCounts } from "../../../src/server/stores/slot.ts";
import type { Store } from "../../../src/server/stores/store.ts";
import { readCounts } from "../../counts.ts";

const settle = () => new Promise((resolve) => setTimeout(resolve));

/** Creates a slot over a heap store, and records its log. */
function slotOver(over: Partial<SlotOptions> = {}) {
  const logged: string[] = [];
  const store = "store" in over ? over.store : heapStore({ maxBytes: 1 << 20 });
  const slot = createSlot({
    name: "render",
    counts: createCounts(...slotCounts),
    ttl: 0,
    log: { warn: (message) => logged.push(message) },
    ...over,
    store,
  });
  return { slot, store, logged };
}

/** A store over another whose methods can be delayed or broken. */
function unreliable(inner: Store): Store & { broken: boolean; hold: Promise<void> | undefined } {
  const store = {
    broken: false,
    hold: undefined as Promise<void> | undefined,
    get: async (name: string, variant: string) => {
      await gate();
      return inner.get(name, variant);
    },
    set: async (name: string, variant: string, value: Uint8Array, ttl?: number) => {
      await gate();
      return inner.set(name, variant, value, ttl);
    },
    add: async (name: string, variant: string, value: Uint8Array) => {
      await gate();
      return inner.add(name, variant, value);
    },
    delete: async (name: string, variant?: string) => {
      await gate();
      return inner.delete(name, variant);
    },
    check: async () => gate(),
  };
  const gate = async () => {
    if (store.broken) throw new Error("no connection");
    await store.hold;
  };
  return store;
}

/** A promise and what settles it. */
function gate() {
  let open!: () => void;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

const one = Uint8Array.of(1);
const two = Uint8Array.of(2);

describe("a slot", () => {
  it("makes a value once, keeps it, and counts", async () => {
    const { slot } = slotOver();
    let made = 0;
    const make = async () => {
      made++;
      await settle();
      return one;
    };
    const first = await Promise.all([1, 2, 3].map(() => slot.getOrMake("a", "x", make)));
    expect(first).toEqual([one, one, one]);
    await slot.whenSettled();
    expect(await slot.getOrMake("a", "x", make)).toEqual(one);
    expect(await slot.get("a", "x")).toEqual(one);
    expect(await slot.get("a", "y")).toBeUndefined();
    expect(made).toBe(1);
    expect(readCounts(slot.counts)).toEqual({
      hits: 2,
      misses: 2,
      waits: 2,
      errors: 0,
      writes: 1,
      dropped: 0,
      failedWrites: 0,
      bytesRead: 2,
      bytesWritten: 1,
    });
  });

  it("keeps names and variants apart", async () => {
    const { slot } = slotOver();
    expect(await slot.getOrMake("a", "x", async () => one)).toEqual(one);
    expect(await slot.getOrMake("a", "y", async () => two)).toEqual(two);
  });

  it("passes the lifetime to its store", async () => {
    let time = 1e12;
    const store = heapStore({ maxBytes: 1 << 20, now: () => time });
    const { slot } = slotOver({ store, ttl: 60 });
    await slot.getOrMake("a", "", async () => one);
    await slot.whenSettled();
    time += 59_999;
    expect(await slot.get("a", "")).toEqual(one);
    time += 1;
    expect(await slot.get("a", "")).toBeUndefined();
  });

  it("returns a failure to all waiting callers, and retries for the next", async () => {
    const { slot } = slotOver();
    const fail = async (): Promise<Uint8Array> => {
      await settle();
      throw new Error("no pixels");
    };
    const both = [slot.getOrMake("a", "", fail), slot.getOrMake("a", "", fail)];
    for (const each of both) await expect(each).rejects.toThrow("no pixels");
    await slot.whenSettled();
    expect(readCounts(slot.counts).writes).toBe(0);
    expect(await slot.getOrMake("a", "", async () => two)).toEqual(two);
  });

  it("lets one caller leave while the value is made for the others", async () => {
    const { slot } = slotOver();
    const { promise, open } = gate();
    const seen: AbortSignal[] = [];
    const make = async (signal: AbortSignal) => {
      seen.push(signal);
      await promise;
      return one;
    };
    const gone = new AbortController();
    const leaving = slot.getOrMake("a", "", make, { signal: gone.signal });
    const staying = slot.getOrMake("a", "", make, { signal: new AbortController().signal });
    await settle();
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ kind: "cancelled" });
    expect(seen.map((signal) => signal.aborted)).toEqual([false]);
    open();
    expect(await staying).toEqual(one);
  });

  it("aborts the work when all have left, and keeps nothing of it", async () => {
    const { slot } = slotOver();
    const gone = new AbortController();
    let signal: AbortSignal | undefined;
    const leaving = slot.getOrMake(
      "a",
      "",
      (work) => {
        signal = work;
        return new Promise((_, reject) => work.addEventListener("abort", () => reject(work.reason)));
      },
      { signal: gone.signal },
    );
    await settle();
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ kind: "cancelled" });
    expect(signal?.aborted).toBe(true);
    await slot.whenSettled();
    expect(await slot.get("a", "")).toBeUndefined();
  });

  it("does not delay the response for a slow store, and finds the value meanwhile", async () => {
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot } = slotOver({ store });
    const { promise, open } = gate();
    const value = await slot.getOrMake("a", "", async () => {
      store.hold = promise;
      return one;
    });
    expect(value).toEqual(one);
    expect(readCounts(slot.counts).writes).toBe(0);
    expect(await slot.get("a", "")).toEqual(one);
    let closed = false;
    const closing = slot.close().then(() => {
      closed = true;
    });
    await settle();
    expect(closed).toBe(false);
    open();
    await closing;
    expect(readCounts(slot.counts).writes).toBe(1);
  });

  it("prefers a value on its way to the store to an older one in memory", async () => {
    const inner = heapStore({ maxBytes: 1 << 20 });
    await inner.set("a", "", one);
    const { slot } = slotOver({ store: { ...inner, set: () => new Promise(() => {}) } });
    slot.put("a", "", two);
    const make = async () => expect.fail("The value is there.");
    expect([await slot.get("a", ""), await slot.getOrMake("a", "", make)]).toEqual([two, two]);
  });

  it("limits the number of values that wait for a slow store", async () => {
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot } = slotOver({ store, maxPending: 1000 });
    const { promise, open } = gate();
    store.hold = promise;
    for (let i = 0; i < 5; i++) slot.put(`n${i}`, "", new Uint8Array(400));
    open();
    await slot.whenSettled();
    expect(readCounts(slot.counts)).toMatchObject({ writes: 2, dropped: 3 });
    slot.put("later", "", new Uint8Array(400));
    await slot.whenSettled();
    expect(readCounts(slot.counts)).toMatchObject({ writes: 3, dropped: 3 });
  });

  it("stores the later of two values of one key", async () => {
    const { slot } = slotOver();
    slot.put("a", "", one);
    slot.put("a", "", two);
    expect(await slot.get("a", "")).toEqual(two);
    await slot.whenSettled();
    expect(await slot.get("a", "")).toEqual(two);
  });

  it("works without its store when that is broken, and reports it once a minute", async () => {
    let time = 1e12;
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot, logged } = slotOver({ store, now: () => time });
    store.broken = true;
    for (let i = 0; i < 5; i++) {
      expect(await slot.getOrMake("a", "", async () => one)).toEqual(one);
      await slot.whenSettled();
    }
    expect(await slot.get("a", "")).toBeUndefined();
    expect(logged.length).toBe(1);
    // Six reads and five writes.
    expect(readCounts(slot.counts)).toMatchObject({ errors: 11, failedWrites: 5, writes: 0 });
    time += 60_000;
    await slot.get("a", "");
    expect(logged.length).toBe(2);
    await expect(slot.check()).rejects.toThrow("no connection");
    await expect(slot.delete("a")).rejects.toThrow("no connection");
  });
});

describe("memory in place of a store", () => {
  it("serves values that do not count as stored, and counts each failed write once", async () => {
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot } = slotOver({ store, standIn: heapStore({ maxBytes: 1 << 16 }) });
    slot.put("a", "", one);
    await slot.whenSettled();
    store.broken = true;
    for (const name of ["b", "c"]) slot.put(name, "", two);
    await slot.whenSettled();
    expect(readCounts(slot.counts)).toMatchObject({
      errors: 2,
      failedWrites: 2,
      writes: 1,
      bytesWritten: 1,
    });
    expect(await slot.get("b", "")).toEqual(two);
    expect(slot.maxBytes()).toBe(Number.POSITIVE_INFINITY);
    expect([await slot.standIn?.()?.usage?.(), slot.standIn?.()?.maxBytes?.()]).toMatchObject([
      { entries: 2 },
      1 << 16,
    ]);
  });

  it("is unused after a check that passes", async () => {
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot } = slotOver({ store, standIn: heapStore({ maxBytes: 1 << 16 }) });
    store.broken = true;
    slot.put("a", "", one);
    await slot.whenSettled();
    await expect(slot.check()).rejects.toThrow("no connection");
    expect(slot.standIn?.()).toBeDefined();
    store.broken = false;
    await slot.check();
    expect(slot.standIn?.()).toBeUndefined();
  });
});

describe("a purge", () => {
  it("removes a value that is being written", async () => {
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot } = slotOver({ store });
    const { promise, open } = gate();
    store.hold = promise;
    slot.put("a", "", one);
    const removed = slot.delete("a");
    open();
    expect(await removed).toBe(1);
    expect(await slot.get("a", "")).toBeUndefined();
  });

  it("is not undone by a value whose making began before it, nor is that value returned to later callers", async () => {
    const { slot } = slotOver();
    const { promise, open } = gate();
    const old = slot.getOrMake("a", "", async () => {
      await promise;
      return one;
    });
    await settle();
    await slot.delete("a");
    expect(await slot.getOrMake("a", "", async () => two)).toEqual(two);
    open();
    expect(await old).toEqual(one);
    await slot.whenSettled();
    expect(await slot.get("a", "")).toEqual(two);
  });

  it("keeps no value of another name from being stored, and what a name's group has counts with it", async () => {
    const { slot } = slotOver();
    const { promise, open } = gate();
    const make = async () => {
      await promise;
      return one;
    };
    const names = ["b", nameIn("a", "1"), "c"];
    const begun = names.map((name) => slot.getOrMake(name, "", make));
    await settle();
    await slot.delete("a");
    open();
    await Promise.all(begun);
    await slot.whenSettled();
    expect(await Promise.all(names.map((name) => slot.get(name, "")))).toEqual([one, undefined, one]);
  });

  it("is not undone by a value whose making began during it", async () => {
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot } = slotOver({ store });
    const [purging, making] = [gate(), gate()];
    store.hold = purging.promise;
    const purge = slot.delete("a");
    await settle();
    const begun = slot.getOrMake("a", "", async () => {
      await making.promise;
      return one;
    });
    purging.open();
    await purge;
    making.open();
    expect(await begun).toEqual(one);
    await slot.whenSettled();
    expect(await slot.get("a", "")).toBeUndefined();
  });

  it("can empty the slot", async () => {
    const { slot } = slotOver();
    await slot.getOrMake("a", "", async () => one);
    await slot.clear?.();
    expect(await slot.get("a", "")).toBeUndefined();
    expect(await slot.usage?.()).toEqual({ entries: 0, bytes: 0 });
  });

  it("offers only the store's own methods", () => {
    const { slot } = slotOver({ store: unreliable(heapStore({ maxBytes: 1 })) });
    expect([slot.clear, slot.usage]).toEqual([undefined, undefined]);
  });
});

describe("a slot that is switched off", () => {
  it("keeps nothing, and still makes a value once for all who ask meanwhile", async () => {
    const { slot } = slotOver({ store: undefined });
    let made = 0;
    const make = async () => {
      made++;
      await settle();
      return one;
    };
    await Promise.all([slot.getOrMake("a", "", make), slot.getOrMake("a", "", make)]);
    expect(made).toBe(1);
    expect(await slot.get("a", "")).toBeUndefined();
    await slot.getOrMake("a", "", make);
    expect(made).toBe(2);
    expect(await slot.delete("a")).toBe(0);
    expect(await slot.usage?.()).toEqual({ entries: 0, bytes: 0 });
    await slot.check();
    await slot.close();
  });
});

describe("entries of a slot that are written once", () => {
  it("are those of its store, and are counted", async () => {
    const { slot, store } = slotOver();
    expect(await slot.lasting?.add("a", "x", one)).toBe(true);
    expect(await slot.lasting?.add("a", "x", two)).toBe(false);
    expect(await slot.lasting?.get("a", "x")).toEqual(one);
    expect(await store?.get("a", "x")).toEqual(one);
    expect(readCounts(slot.counts)).toMatchObject({ writes: 1, bytesWritten: 1, hits: 1, misses: 0 });
  });

  it("are not known to be missing, and not in memory, while the store is broken", async () => {
    const store = unreliable(heapStore({ maxBytes: 1 << 20 }));
    const { slot, logged } = slotOver({ store, standIn: heapStore({ maxBytes: 1 << 20 }) });
    store.broken = true;
    await expect(slot.lasting?.get("a", "x")).rejects.toThrow("no connection");
    await expect(slot.lasting?.add("a", "x", one)).rejects.toThrow("no connection");
    expect(logged).toHaveLength(1);
    expect(readCounts(slot.counts)).toMatchObject({ errors: 2, failedWrites: 1, writes: 0, misses: 0 });
    store.broken = false;
    expect(await slot.lasting?.get("a", "x")).toBeUndefined();
  });

  it("do not exist in a slot that is switched off", () => {
    expect(slotOver({ store: undefined }).slot.lasting).toBeUndefined();
  });
});
