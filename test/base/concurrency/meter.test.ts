import { expect, test } from "vitest";
import { type Budget, charge, emptyMeter, levelOf, waitOf } from "../../../src/base/concurrency/meter.ts";
import fc from "../../properties.ts";

const budget: Budget = { perMs: 2, burst: 100 };

test("a burst is allowed at once, and what goes beyond it drains first", () => {
  const meter = emptyMeter(0);
  charge(meter, budget, 100, 0);
  expect(waitOf(meter, budget, 0)).toBe(0);
  charge(meter, budget, 60, 0);
  expect(waitOf(meter, budget, 0)).toBe(30);
  expect(waitOf(meter, budget, 10)).toBe(20);
  expect(waitOf(meter, budget, 30)).toBe(0);
  expect(levelOf(meter, budget, 80)).toBe(0);
});

test("a clock that goes back neither drains a meter nor fills it", () => {
  const meter = emptyMeter(1000);
  charge(meter, budget, 160, 1000);
  expect(levelOf(meter, budget, 0)).toBe(160);
  charge(meter, budget, 10, 0);
  expect(levelOf(meter, budget, 1000)).toBe(170);
  expect(levelOf(meter, budget, 1010)).toBe(150);
});

test("another rate drains what is left at that rate", () => {
  const meter = emptyMeter(0);
  charge(meter, budget, 200, 0);
  charge(meter, { perMs: 10, burst: 100 }, 0, 50);
  expect(levelOf(meter, { perMs: 10, burst: 100 }, 50)).toBe(0);
});

const arrivals = fc.array(fc.record({ after: fc.nat(200), amount: fc.integer({ min: 1, max: 80 }) }), {
  maxLength: 100,
});

test("no window of time has more than the burst, the rate and one use (property)", () => {
  fc.assert(
    fc.property(arrivals, (uses) => {
      const meter = emptyMeter(0);
      const allowed: { at: number; amount: number }[] = [];
      let now = 0;
      for (const { after, amount } of uses) {
        now += after;
        if (waitOf(meter, budget, now) > 0) continue;
        charge(meter, budget, amount, now);
        allowed.push({ at: now, amount });
      }
      for (const [first, { at: begin }] of allowed.entries()) {
        let sum = 0;
        for (const { at, amount } of allowed.slice(first)) {
          sum += amount;
          expect(sum).toBeLessThanOrEqual(budget.burst + budget.perMs * (at - begin) + 80);
        }
      }
    }),
  );
});

test("a use that waits as long as told is allowed (property)", () => {
  fc.assert(
    fc.property(arrivals, (uses) => {
      const meter = emptyMeter(0);
      let now = 0;
      for (const { after, amount } of uses) {
        now += after + waitOf(meter, budget, now + after);
        // Fractions of milliseconds are rounded.
        expect(waitOf(meter, budget, now)).toBeLessThan(1e-6);
        charge(meter, budget, amount, now);
      }
    }),
  );
});
