// The clock of calls, by a time that the test sets.

import { expect, test } from "vitest";
import { startClock } from "../../../../src/server/hooks/js/run-clock.ts";

/** Interrupts until the clock says that the run is over, `step(n)` ms before each. */
function interruptsOf(ms: number, step: (n: number) => number): number {
  let time = 1000;
  const clock = startClock(() => time);
  clock.limit(ms);
  for (let n = 1; n < 1e6; n++) {
    time += step(n);
    if (clock.isOver()) {
      expect(clock.wasOver()).toBe(true);
      return n;
    }
  }
  return Number.POSITIVE_INFINITY;
}

test("a run is over when its time has passed", () => {
  expect(interruptsOf(50, () => 1)).toBe(51);
  expect(interruptsOf(50, () => 0.5)).toBe(101);
});

test("other work of the machine counts little, but not without limit", () => {
  // 5 of each 20 ms count
  expect(interruptsOf(50, () => 20)).toBe(11);
  // one pause of 400 ms and 45 of 1 ms
  expect(interruptsOf(50, (n) => (n === 1 ? 400 : 1))).toBe(47);
  expect(interruptsOf(50, (n) => (n === 1 ? 501 : 1))).toBe(1);
});

test("if the clock stands still, interrupts are counted", () => {
  expect(interruptsOf(50, () => 0)).toBe(1001);
});

test("each run has the whole time", () => {
  let time = 0;
  const clock = startClock(() => time);
  for (let run = 0; run < 3; run++) {
    clock.limit(10);
    expect(clock.wasOver()).toBe(false);
    for (let n = 0; n < 10; n++) {
      time++;
      expect(clock.isOver()).toBe(false);
    }
    time++;
    expect(clock.isOver()).toBe(true);
    expect(clock.isOver()).toBe(true);
  }
});
