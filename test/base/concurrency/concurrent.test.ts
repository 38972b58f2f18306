import { describe, expect, it } from "vitest";
import { forEachConcurrently } from "../../../src/base/concurrency/concurrent.ts";

describe("a task for each of many items", () => {
  it("runs for every item, never more at once than allowed", async () => {
    const done: number[] = [];
    let atOnce = 0;
    let most = 0;
    await forEachConcurrently(Array(20).keys(), 3, async (n) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve));
      atOnce--;
      done.push(n);
    });
    expect(most).toBe(3);
    expect(done.sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
  });

  it("rejects with the first failure, after running tasks have ended, and starts no more", async () => {
    const started: number[] = [];
    let ended = 0;
    const all = forEachConcurrently([0, 1, 2, 3, 4, 5], 2, async (n) => {
      started.push(n);
      await new Promise((resolve) => setTimeout(resolve));
      ended++;
      if (n === 0) throw new Error("first");
    });
    await expect(all).rejects.toThrow("first");
    expect(started.length).toBeLessThan(6);
    expect(ended).toBe(started.length);
  });
});
