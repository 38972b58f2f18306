import { expect, test } from "vitest";
import { remembering } from "../../../src/base/caching/remember.ts";

test("a result is requested again only when it is too old, and a failure each time", async () => {
  let time = 1000;
  let asked = 0;
  let fails = true;
  const answer = remembering(
    10,
    async () => {
      asked++;
      if (fails) throw new Error("not there");
      return asked;
    },
    { shares: true, now: () => time },
  );
  await expect(answer()).rejects.toThrow("not there");
  await expect(answer()).rejects.toThrow("not there");
  fails = false;
  expect(await answer()).toBe(3);
  time += 10;
  expect(await answer()).toBe(3);
  time += 1;
  expect(await answer()).toBe(4);
});

/**
 * Makes three requests before there is a result, then one more. Returns the results, and the number of calls.
 */
async function together(shares: boolean, fails = false) {
  let asked = 0;
  const answer = remembering(
    10,
    async () => {
      const mine = ++asked;
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (fails) throw new Error("not there");
      return mine;
    },
    { shares, now: () => 0 },
  );
  const first = await Promise.allSettled([answer(), answer(), answer()]);
  const last = await Promise.allSettled([answer()]);
  return {
    asked,
    answers: [...first, ...last].map((one) => (one.status === "fulfilled" ? one.value : "failed")),
  };
}

test("concurrent callers get one result if they may share it", async () => {
  expect(await together(true)).toEqual({ asked: 1, answers: [1, 1, 1, 1] });
  expect(await together(true, true)).toEqual({ asked: 2, answers: ["failed", "failed", "failed", "failed"] });
});

test("callers that may not wait for another's result get their own", async () => {
  const { asked, answers } = await together(false);
  expect(asked).toBe(3);
  expect(answers.slice(0, 3)).toEqual([1, 2, 3]);
});
