import { expect, it } from "vitest";
import { createLimiter, steadily } from "../../../src/server/access/limiter.ts";

/** Allows two attempts immediately, then one per second; forgets ten seconds after the last. */
function limiter() {
  const clock = { time: 500 };
  const schedule = {
    remaining: (count: number, ms: number) => (ms < 10_000 ? count : 0),
    pause: (count: number) => (count < 2 ? 0 : 1000),
  };
  return { clock, ...createLimiter(schedule, 3, () => clock.time) };
}

it("counts by key, and lets the next one wait from the last on", () => {
  const { clock, count, waitMs } = limiter();
  for (const _ of [1, 2]) {
    expect(waitMs("a")).toBe(0);
    count("a");
  }
  expect([waitMs("a"), waitMs("b")]).toEqual([1000, 0]);
  clock.time += 400;
  expect(waitMs("a")).toBe(600);
  clock.time += 600;
  expect(waitMs("a")).toBe(0);
  clock.time += 9000;
  count("a");
  expect(waitMs("a")).toBe(0);
});

it("is unchanged once the last attempt is taken back", () => {
  const { clock, count, waitMs } = limiter();
  count("a");
  count("a");
  clock.time += 700;
  const takeBack = count("a");
  expect(waitMs("a")).toBe(1000);
  takeBack();
  takeBack();
  expect(waitMs("a")).toBe(300);
});

it("takes back one of several, whichever it is", () => {
  const { count, waitMs } = limiter();
  const takeBacks = [count("a"), count("a"), count("a")];
  takeBacks[0]?.();
  expect(waitMs("a")).toBe(1000);
  takeBacks[2]?.();
  expect(waitMs("a")).toBe(0);
  takeBacks[1]?.();
  for (const _ of [1, 2]) {
    expect(waitMs("a")).toBe(0);
    count("a");
  }
  expect(waitMs("a")).toBe(1000);
});

it("has more keys than it remembers one by one, and no number of others resets any of them", () => {
  const { clock, count, waitMs } = limiter();
  for (const key of ["a", "a", "b"]) count(key);
  for (let i = 0; i < 1000; i++) count(`other ${i}`);
  expect(waitMs("a")).toBe(1000);
  count("b");
  expect(waitMs("b")).toBe(1000);
  clock.time += 10_000;
  expect([waitMs("a"), waitMs("b")]).toEqual([0, 0]);
});

it("takes back an attempt of a key that it does not remember one by one", () => {
  const { count, waitMs } = limiter();
  count("a");
  for (let i = 0; i < 10; i++) count(`other ${i}`);
  count("a")();
  expect(waitMs("a")).toBe(0);
  count("a");
  expect(waitMs("a")).toBe(1000);
});

it("permits a number of attempts immediately, and more steadily", () => {
  const clock = { time: 0 };
  const { count, waitMs, counted } = createLimiter(steadily(3, 500), 10, () => clock.time);
  for (let i = 0; i < 3; i++) {
    expect(waitMs("a")).toBe(0);
    count("a");
  }
  expect([waitMs("a"), counted("a")]).toEqual([500, 3]);
  clock.time += 500;
  expect([waitMs("a"), counted("a")]).toEqual([0, 2]);
  count("a");
  expect(waitMs("a")).toBe(500);
  clock.time += 1500;
  expect(counted("a")).toBe(0);
});
