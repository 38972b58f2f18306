import { expect, test } from "vitest";
import { createGenerations } from "../../../src/base/caching/generations.ts";

test("a purge of one key begins a new generation of it alone", () => {
  const generations = createGenerations();
  const [a, b] = [generations.of("a"), generations.of("b")];
  generations.renew("a");
  expect(generations.of("a")).not.toBe(a);
  expect(generations.of("b")).toBe(b);
});

test("a purge of all keys begins a new generation of each, also of those purged before", () => {
  const generations = createGenerations();
  generations.renew("a");
  const before = ["a", "b"].map(generations.of);
  generations.renew();
  for (const [i, key] of ["a", "b"].entries()) expect(generations.of(key)).not.toBe(before[i]);
});

test("no generation comes again, however many keys are purged", () => {
  const generations = createGenerations();
  const seen = new Set([generations.of("a")]);
  for (let purge = 0; purge < 3; purge++) {
    generations.renew("a");
    expect(seen.has(generations.of("a"))).toBe(false);
    seen.add(generations.of("a"));
    for (let n = 0; n < 20_000; n++) generations.renew(`other ${n}`);
    // Forgotten or not: what began before the last purge must not count as of now.
    expect([...seen].slice(0, -1)).not.toContain(generations.of("a"));
    seen.add(generations.of("a"));
  }
});
