import { afterEach, expect, test, vi } from "vitest";

const numbers = Array.from({ length: 50 }, (_, index) => index);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const drawnWith = async (env: Record<string, string>, name = "numbers") => {
  for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
  const { sampled } = await import("./sampled.ts");
  vi.resetModules();
  return sampled(name, numbers, 5);
};

test("a sample has the requested number of cases, each once and in order", async () => {
  const drawn = await drawnWith({ TEST_ALL: "", TEST_SEED: "a" });
  expect(drawn).toHaveLength(5);
  expect([...new Set(drawn)].sort((a, b) => a - b)).toEqual(drawn);
});

test("the same commit draws the same sample, another commit and another name draw others", async () => {
  const drawn = await drawnWith({ TEST_ALL: "", TEST_SEED: "a" });
  expect(await drawnWith({ TEST_SEED: "a" })).toEqual(drawn);
  expect(await drawnWith({ TEST_SEED: "b" })).not.toEqual(drawn);
  expect(await drawnWith({ TEST_SEED: "a" }, "others")).not.toEqual(drawn);
});

test("every case is drawn by some commit", async () => {
  const drawn = new Set<number>();
  for (let seed = 0; seed < 300; seed++)
    for (const number of await drawnWith({ TEST_ALL: "", TEST_SEED: `${seed}` })) drawn.add(number);
  expect(drawn.size).toBe(numbers.length);
});

test("TEST_ALL=1 tries all cases", async () => {
  expect(await drawnWith({ TEST_ALL: "1" })).toEqual(numbers);
});
