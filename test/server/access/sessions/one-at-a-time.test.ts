import { expect, it } from "vitest";
import { createOneAtATime } from "../../../../src/server/access/sessions/objects.ts";
import { deferred } from "../../../deferred.ts";

it("operations on one key run in the order of their requests, and concurrently on different keys", async () => {
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
