// Counting sessions for an operator: seldom, and never for long.

import { expect, test } from "vitest";
import { createSessionReading } from "../../../src/server/access/session-reading.ts";
import { deferred } from "../../deferred.ts";

test("a store is asked at most once in ten seconds, however many look", async () => {
  let time = 1_000_000;
  let asked = 0;
  const read = createSessionReading(
    async () => ({ total: ++asked }),
    10_000,
    () => time,
  );
  expect(await read()).toEqual({ count: { total: 1 }, at: 1_000_000 });
  time += 9_999;
  expect(await Promise.all([read(), read()])).toEqual(Array(2).fill({ count: { total: 1 }, at: 1_000_000 }));
  time += 1;
  expect(await read()).toEqual({ count: { total: 2 }, at: 1_010_000 });
  expect(asked).toBe(2);
});

test("a clock that was set back does not end counting", async () => {
  let time = 1_000_000;
  let asked = 0;
  const read = createSessionReading(
    async () => ({ total: ++asked }),
    10_000,
    () => time,
  );
  await read();
  time = 5_000;
  expect((await read())?.count).toEqual({ total: 2 });
});

test("a failing store is not read again immediately, and the reading says so", async () => {
  let asked = 0;
  const read = createSessionReading(async () => {
    asked++;
    throw new Error("connect ECONNREFUSED 10.0.0.7:6379");
  });
  const first = await read();
  expect(first?.problem).toMatch(/does not respond/);
  expect(JSON.stringify(first)).not.toContain("10.0.0.7");
  expect(await read()).toEqual(first);
  expect(asked).toBe(1);
});

test("nobody waits for a count that another reader began; the next reading has it", async () => {
  const counted = deferred();
  const read = createSessionReading(() => counted.promise.then(() => ({ total: 7 })));
  const first = read();
  expect(await read()).toBeUndefined();
  counted.resolve();
  expect((await first)?.count).toEqual({ total: 7 });
  expect((await read())?.count).toEqual({ total: 7 });
});
