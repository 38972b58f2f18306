import { expect, test } from "vitest";
import { remembering } from "../../src/lib/remember.ts";

test("an answer is asked for again only when it is older than it may be, and a failure each time", async () => {
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
    () => time,
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
