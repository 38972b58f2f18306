import { expect, it } from "vitest";
import { createOneAtATime } from "../../../src/access/sessions/one-at-a-time.ts";
import { deferred } from "../../deferred.ts";

it("work under one key is done one after the other, in the order in which it was asked for, and under another at once", async () => {
  const oneAtATime = createOneAtATime();
  const done: string[] = [];
  const gate = deferred();
  const first = oneAtATime("a", async () => {
    await gate.promise;
    done.push("first");
    throw new Error("failed");
  });
  const second = oneAtATime("a", async () => void done.push("second"));
  const third = oneAtATime("a", async () => done.push("third"));
  await oneAtATime("b", async () => done.push("other"));
  expect(done).toEqual(["other"]);
  gate.resolve();
  await expect(first).rejects.toThrow("failed");
  await second;
  expect(await third).toBe(4);
  expect(done).toEqual(["other", "first", "second", "third"]);
});
