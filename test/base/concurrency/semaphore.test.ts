import { describe, expect, it } from "vitest";
import { createSemaphore } from "../../../src/base/concurrency/semaphore.ts";

/** Lets every promise settle that can. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe("a semaphore", () => {
  it("runs no more concurrent tasks than it has permits, in order", async () => {
    const semaphore = createSemaphore(2);
    const started: number[] = [];
    let atOnce = 0;
    let most = 0;
    const task = (n: number) => async () => {
      started.push(n);
      most = Math.max(most, ++atOnce);
      await settle();
      atOnce--;
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map((n) => semaphore.run(task(n))));
    expect([most, started]).toEqual([2, [0, 1, 2, 3, 4, 5]]);
    expect([semaphore.active, semaphore.waiting]).toEqual([0, 0]);
  });

  it("is busy when its queue is full", async () => {
    const semaphore = createSemaphore(1, 1);
    const release = await semaphore.acquire();
    const second = semaphore.acquire();
    expect(semaphore.waiting).toBe(1);
    await expect(semaphore.acquire()).rejects.toMatchObject({ kind: "busy" });
    release();
    (await second)();
    expect(semaphore.active).toBe(0);
  });

  it("frees the place of a task that was given up while it waited", async () => {
    const semaphore = createSemaphore(1, 1);
    const release = await semaphore.acquire();
    const gone = new AbortController();
    const waiting = semaphore.acquire({ signal: gone.signal });
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "cancelled" });
    expect(semaphore.waiting).toBe(0);
    const next = semaphore.acquire();
    release();
    (await next)();
    expect(semaphore.active).toBe(0);
  });

  it("gives nothing to a task that was abandoned before its turn", async () => {
    const semaphore = createSemaphore(1);
    await expect(semaphore.acquire({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: "cancelled",
    });
    expect(semaphore.active).toBe(0);
  });

  it("lets no light task overtake a waiting heavy one, until that one leaves", async () => {
    const semaphore = createSemaphore(4);
    const release = await semaphore.acquire({ weight: 2 });
    const gone = new AbortController();
    const heavy = semaphore.acquire({ weight: 3, signal: gone.signal });
    const light = semaphore.acquire({ weight: 1 });
    await settle();
    expect([semaphore.active, semaphore.waiting]).toEqual([2, 2]);
    gone.abort();
    await expect(heavy).rejects.toMatchObject({ kind: "cancelled" });
    (await light)();
    release();
    expect(semaphore.active).toBe(0);
  });

  it("refuses a weight beyond its permits", async () => {
    await expect(createSemaphore(4).acquire({ weight: 5 })).rejects.toThrow(RangeError);
  });

  it("returns permits once, however often it is asked to", async () => {
    const semaphore = createSemaphore(2);
    const release = await semaphore.acquire();
    await semaphore.acquire();
    release();
    release();
    expect(semaphore.active).toBe(1);
  });

  it("returns the permit of a task that failed", async () => {
    const semaphore = createSemaphore(1);
    await expect(semaphore.run(async () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(semaphore.active).toBe(0);
  });
});
