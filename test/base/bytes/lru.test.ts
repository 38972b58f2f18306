import { describe, expect, it } from "vitest";
import { createLru } from "../../../src/base/bytes/lru.ts";
import fc from "../../properties.ts";

describe("a map bounded by weight", () => {
  it("lets the least recently used go first, a read being a use", () => {
    const lru = createLru<string, number>(3);
    for (const [i, key] of ["a", "b", "c"].entries()) lru.set(key, i, 1);
    lru.get("a");
    lru.set("d", 3, 1);
    expect([...lru.keys()]).toEqual(["c", "a", "d"]);
  });

  it("makes room for a heavy entry by as many light ones as it takes", () => {
    const gone: string[] = [];
    const lru = createLru<string, number>(10, (key) => gone.push(key));
    for (const key of ["a", "b", "c", "d", "e"]) lru.set(key, 0, 2);
    lru.set("f", 0, 5);
    expect(gone).toEqual(["a", "b", "c"]);
    expect(lru.weight).toBe(9);
  });

  it("removes a key whose new value is heavier than the limit", () => {
    const lru = createLru<string, string>(10);
    lru.set("other", "kept", 5);
    lru.set("a", "old", 1);
    expect(lru.set("a", "new", 11)).toBe(false);
    expect(lru.get("a")).toBeUndefined();
    expect(lru.get("other")).toBe("kept");
  });

  it("replaces the weight along with the value", () => {
    const lru = createLru<string, string>(10);
    lru.set("a", "x", 9);
    lru.set("a", "y", 2);
    expect([lru.size, lru.weight]).toEqual([1, 2]);
  });

  it("agrees with a plain list of uses, whatever is done to it", () => {
    const step = fc.record({
      key: fc.nat(9),
      weight: fc.integer({ min: 1, max: 12 }),
      op: fc.constantFrom("get", "set", "delete"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const lru = createLru<number, number>(20);
        let model: { key: number; weight: number }[] = [];
        for (const { key, weight, op } of steps) {
          const at = model.find((entry) => entry.key === key);
          if (op === "get") expect(lru.get(key)).toBe(at?.weight);
          if (op === "set") lru.set(key, weight, weight);
          if (op === "delete") expect(lru.delete(key)).toBe(at !== undefined);
          model = model.filter((entry) => entry.key !== key);
          if (op === "get" && at) model.push(at);
          if (op === "set") model.push({ key, weight });
          while (model.reduce((sum, entry) => sum + entry.weight, 0) > 20) model.shift();
        }
        expect([...lru.keys()]).toEqual(model.map((entry) => entry.key));
        expect(lru.weight).toBe(model.reduce((sum, entry) => sum + entry.weight, 0));
      }),
    );
  });
});
