import { expect, test } from "vitest";
import { createRate } from "../../../src/server/stats/requests.ts";

test("a rate is the mean of the last ten whole seconds", () => {
  const rate = createRate();
  expect(rate.read(500)).toBe(0);
  for (let i = 0; i < 20; i++) rate.add(1000 + 10 * i);
  expect(rate.read(1900), "the second that runs is left out").toBe(0);
  expect(rate.read(2000)).toBe(2);
  for (let i = 0; i < 5; i++) rate.add(11_500);
  expect(rate.read(11_900)).toBe(2);
  expect(rate.read(12_000), "what is older than ten seconds is left out").toBe(0.5);
  expect(rate.read(60_000)).toBe(0);
});
