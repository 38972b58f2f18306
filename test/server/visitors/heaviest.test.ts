import { expect, test } from "vitest";
import { createHeaviest } from "../../../src/server/visitors/heaviest.ts";
import fc from "../../properties.ts";

test("the heaviest come first, with what they used", () => {
  const heaviest = createHeaviest(3);
  for (const [network, amount] of [
    ["a", 1],
    ["b", 5],
    ["a", 2],
  ] as const)
    heaviest.note(network, amount);
  expect(heaviest.top(2)).toEqual([
    { name: "b", amount: 5, excess: 0 },
    { name: "a", amount: 3, excess: 0 },
  ]);
  heaviest.halve();
  expect(heaviest.top(1)).toEqual([{ name: "b", amount: 2.5, excess: 0 }]);
});

test("nobody with more than a part of the total is missing, and no count is too small (property)", () => {
  const size = 5;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(30).map(String), fc.integer({ min: 1, max: 100 })), { maxLength: 300 }),
      (uses) => {
        const heaviest = createHeaviest(size);
        const real = new Map<string, number>();
        for (const [network, amount] of uses) {
          heaviest.note(network, amount);
          real.set(network, (real.get(network) ?? 0) + amount);
        }
        const total = [...real.values()].reduce((sum, amount) => sum + amount, 0);
        const top = heaviest.top(size);
        // Metwally et al., theorem 1 and lemma 3.
        for (const [network, amount] of real)
          if (amount > total / size) expect(top.map(({ name }) => name)).toContain(network);
        for (const { name, amount, excess } of top) {
          expect(amount).toBeGreaterThanOrEqual(real.get(name) as number);
          expect(amount - excess).toBeLessThanOrEqual(real.get(name) as number);
          expect(excess).toBeLessThanOrEqual(total / size);
        }
      },
    ),
  );
});
