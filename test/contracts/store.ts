// The contract of every store. Each backend's test calls this.

import { afterEach, describe, expect, it } from "vitest";
import { nameIn } from "../../src/server/stores/names.ts";
import type { Store } from "../../src/server/stores/store.ts";
import fc from "../properties.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** Removes what the test has left. */
  cleanUp?(): Promise<void>;
}

type Capability = "clear" | "usage";

/**
 * `make` creates an empty store for at most `maxBytes`, with a clock in milliseconds. `lacks`: the optional
 * methods that the backend cannot have; without `usage` nothing bounds the store.
 */
export function storeContract(
  backend: string,
  make: (options: { readonly maxBytes: number; readonly now: () => number }) => Promise<StoreUnderTest>,
  { lacks = [] }: { readonly lacks?: readonly Capability[] } = {},
): void {
  const counts = !lacks.includes("usage");
  describe(`a ${backend} store`, () => {
    let cleanUp: (() => Promise<void>) | undefined;
    let time = 0;
    const open = async (maxBytes = 1 << 20): Promise<Store> => {
      time = Date.UTC(2030, 0, 1);
      const made = await make({ maxBytes, now: () => time });
      cleanUp = async () => {
        await made.store.close?.();
        await made.cleanUp?.();
      };
      return made.store;
    };
    afterEach(async () => {
      await cleanUp?.();
      cleanUp = undefined;
    });

    it("offers the optional methods that it can have", async () => {
      const store = await open();
      const capabilities: readonly Capability[] = ["clear", "usage"];
      expect(capabilities.filter((each) => !store[each])).toEqual(lacks);
    });

    it("returns what was stored, including an empty value, and nothing else", async () => {
      const store = await open();
      await store.set("a", "x", bytes(1, 2, 3));
      await store.set("a", "", bytes());
      expect(await store.get("a", "x")).toEqual(bytes(1, 2, 3));
      expect(await store.get("a", "")).toEqual(bytes());
      expect(await store.get("a", "y")).toBeUndefined();
      expect(await store.get("b", "x")).toBeUndefined();
    });

    it("keeps the latest value of a key", async () => {
      const store = await open();
      await store.set("a", "x", bytes(1, 2, 3));
      await store.set("a", "x", bytes(4));
      expect(await store.get("a", "x")).toEqual(bytes(4));
      expect((await store.usage?.())?.entries ?? 1).toBe(1);
    });

    it("keeps its value when the caller changes the array that was put in or given back", async () => {
      const store = await open();
      const value = bytes(1, 2, 3);
      await store.set("a", "x", value);
      value.fill(9);
      (await store.get("a", "x"))?.fill(9);
      expect(await store.get("a", "x")).toEqual(bytes(1, 2, 3));
    });

    it("adds an entry once, and keeps the first", async () => {
      const store = await open();
      expect(await store.add("a", "x", bytes(1, 2, 3))).toBe(true);
      expect(await store.add("a", "x", bytes(4))).toBe(false);
      expect(await store.get("a", "x")).toEqual(bytes(1, 2, 3));
      await store.set("a", "y", bytes(5));
      expect(await store.add("a", "y", bytes(6))).toBe(false);
      await store.delete("a", "x");
      expect(await store.add("a", "x", bytes(7))).toBe(true);
      expect(await store.get("a", "x")).toEqual(bytes(7));
    });

    it("adds the entry of one of several simultaneous callers", async () => {
      const store = await open();
      const added = await Promise.all(
        Array.from({ length: 8 }, (_, n) => store.add("a", "", bytes(n, n, n))),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      const winner = added.indexOf(true);
      expect(await store.get("a", "")).toEqual(bytes(winner, winner, winner));
    });

    if (counts)
      it("refuses to add an entry that is larger than it is", async () => {
        const store = await open(10_000);
        await expect(store.add("a", "", new Uint8Array(20_000))).rejects.toThrow("larger than its store");
        expect(await store.get("a", "")).toBeUndefined();
      });

    it("never confuses two keys, whatever is in their text", async () => {
      const store = await open(1 << 22);
      const part = fc.oneof(
        fc.constantFrom(
          "",
          ".",
          "..",
          "../../x",
          "/",
          "\\",
          "a/b",
          "A",
          "a",
          "%2F",
          "\ud800",
          "\ud801",
          "\ufeff",
          '"',
          '","',
        ),
        fc.string({ unit: "grapheme", maxLength: 20 }),
        fc.string({ minLength: 300, maxLength: 600 }),
      );
      const text = part.filter((each) => !each.includes("\0"));
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.tuple(text, text), { minLength: 2, maxLength: 6, selector: String }),
          async (keys) => {
            await store.clear?.();
            const distinct = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
            for (const [i, [name, variant]] of distinct.entries()) await store.set(name, variant, bytes(i));
            for (const [i, [name, variant]] of distinct.entries())
              expect(await store.get(name, variant)).toEqual(bytes(i));
          },
        ),
        { numRuns: 20 },
      );
    });

    it("removes one variant, or all of a name, and returns their number", async () => {
      const store = await open();
      for (const variant of ["x", "y", "z"]) await store.set("a", variant, bytes(1));
      await store.set("b", "x", bytes(2));
      expect(await store.delete("a", "x")).toBe(1);
      expect(await store.delete("a", "x")).toBe(0);
      expect(await store.get("a", "x")).toBeUndefined();
      expect(await store.get("a", "y")).toEqual(bytes(1));
      expect(await store.delete("a")).toBe(2);
      expect(await store.delete("a")).toBe(0);
      expect(await store.get("a", "y")).toBeUndefined();
      expect(await store.get("b", "x")).toEqual(bytes(2));
    });

    it("removes one name of a group, or all that is in it, and nothing of another group", async () => {
      const store = await open();
      const kept = [
        ["group", ""],
        [nameIn("group", ""), "y"],
        [nameIn("group", "a"), "x"],
        [nameIn("group", "a"), "y"],
        [nameIn("group", "ab"), "x"],
        [nameIn("grou", "pa"), "x"],
        [nameIn("groupa", ""), "x"],
        ["groupa", "y"],
      ] as const;
      for (const [i, [name, variant]] of kept.entries()) await store.set(name, variant, bytes(i));
      const left = async () => {
        const found = await Promise.all(
          kept.map(async ([name, variant], i) => ((await store.get(name, variant)) ? i : -1)),
        );
        return found.filter((i) => i >= 0);
      };
      expect(await left()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(await store.delete(nameIn("group", "b"))).toBe(0);
      expect(await store.delete(nameIn("group", "a"))).toBe(2);
      expect(await left()).toEqual([0, 1, 4, 5, 6, 7]);
      expect(await store.delete(nameIn("group", "ab"), "x")).toBe(1);
      expect(await store.delete("group")).toBe(2);
      expect(await store.delete("group")).toBe(0);
      expect(await left()).toEqual([5, 6, 7]);
      await store.set(nameIn("group", "a"), "x", bytes(9));
      expect(await store.get(nameIn("group", "a"), "x")).toEqual(bytes(9));
    });

    it("forgets an entry when its lifetime is over, and never one without a lifetime", async () => {
      const store = await open();
      await store.set("short", "", bytes(1), 10);
      await store.set("long", "", bytes(2), 0);
      time += 9_999;
      expect(await store.get("short", "")).toEqual(bytes(1));
      time += 1;
      expect(await store.get("short", "")).toBeUndefined();
      time += 1e12;
      expect(await store.get("long", "")).toEqual(bytes(2));
    });

    if (counts)
      it("counts its entries and at least their bytes", async () => {
        const store = await open();
        expect(await store.usage?.()).toEqual({ entries: 0, bytes: 0 });
        await store.set("a", "x", new Uint8Array(1000));
        await store.set("a", "y", new Uint8Array(500));
        const { entries, bytes: used } = (await store.usage?.()) ?? { entries: 0, bytes: 0 };
        expect(entries).toBe(2);
        expect(used).toBeGreaterThanOrEqual(1500);
        await store.delete("a", "x");
        expect((await store.usage?.())?.entries).toBe(1);
      });

    if (!lacks.includes("clear"))
      it("is empty after it was cleared, and keeps working", async () => {
        const store = await open();
        await store.set("a", "x", bytes(1));
        await store.clear?.();
        expect(await store.get("a", "x")).toBeUndefined();
        expect((await store.usage?.()) ?? { entries: 0, bytes: 0 }).toEqual({ entries: 0, bytes: 0 });
        await store.set("a", "x", bytes(2));
        expect(await store.get("a", "x")).toEqual(bytes(2));
      });

    if (counts)
      it("stays within its limit, and its remaining entries are correct", async () => {
        const maxBytes = 20_000;
        const store = await open(maxBytes);
        for (let i = 0; i < 100; i++) {
          await store.set(`n${i}`, "", new Uint8Array(1000).fill(i));
          expect((await store.usage?.())?.bytes).toBeLessThanOrEqual(maxBytes);
        }
        let held = 0;
        for (let i = 0; i < 100; i++) {
          const value = await store.get(`n${i}`, "");
          if (!value) continue;
          held++;
          expect(value).toEqual(new Uint8Array(1000).fill(i));
        }
        expect(held).toBeGreaterThanOrEqual(5);
        expect(await store.get("n99", "")).toBeDefined();
      });

    if (counts)
      it("does not store an entry larger than itself, nor keep the one that it was to replace", async () => {
        const store = await open(20_000);
        await store.set("a", "x", bytes(1));
        await store.set("b", "x", bytes(2));
        await store.set("a", "x", new Uint8Array(20_001));
        expect(await store.get("a", "x")).toBeUndefined();
        expect(await store.get("b", "x")).toEqual(bytes(2));
      });

    it("passes its own check, which leaves no entry behind", async () => {
      const store = await open();
      await store.check();
      expect((await store.usage?.())?.entries ?? 0).toBe(0);
    });

    it("works with many concurrent callers", async () => {
      const store = await open(50_000);
      const work = Array.from({ length: 60 }, async (_, i) => {
        const name = `n${i % 7}`;
        if (i % 5 === 4) await store.delete(name);
        else await store.set(name, "", new Uint8Array(500 + (i % 7)).fill(i % 7));
        const value = await store.get(name, "");
        if (value) expect(value).toEqual(new Uint8Array(500 + (i % 7)).fill(i % 7));
      });
      await Promise.all(work);
    });
  });
}

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}
