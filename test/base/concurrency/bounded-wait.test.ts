import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import {
  onAbort,
  unlessAborted,
  type Waiter,
  waitForTurn,
  withDeadline,
} from "../../../src/base/concurrency/bounded-wait.ts";

it("returns a result that comes in time, including an error", async () => {
  expect(await withDeadline(60_000, async () => 1)).toBe(1);
  await expect(withDeadline(60_000, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("ends the wait for a result that never comes", async () => {
  await expect(withDeadline(10, () => new Promise(() => {}))).rejects.toThrow("no response within 10 ms");
});

it("does not time out a result that arrived while this process was busy", async () => {
  const value = withDeadline(10, () => new Promise((resolve) => setTimeout(() => resolve(1), 20)));
  // Both are due before any of them is looked at.
  for (const end = performance.now() + 60; performance.now() < end; );
  expect(await value).toBe(1);
});

it("leaves no error unhandled that comes after the end", async () => {
  let fail!: (error: Error) => void;
  const late = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(withDeadline(10, () => late)).rejects.toThrow("no response");
  // An unhandled rejection would end the run.
  fail(new Error("too late"));
  await new Promise((resolve) => setTimeout(resolve));
});

it("waits at most until a signal aborts, which ends many waits together", async () => {
  const leaving = new AbortController();
  const never = new Promise(() => {});
  const waits = Array.from({ length: 20 }, () => unlessAborted(never, leaving.signal));
  expect(await unlessAborted(Promise.resolve(1), leaving.signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error("broken")), leaving.signal)).rejects.toThrow("broken");
  leaving.abort();
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ kind: "cancelled" });
});

it("does not wait if a signal has already aborted", async () => {
  const failing = Promise.reject(new Error("too late"));
  await expect(unlessAborted(failing, AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
  await expect(unlessAborted(Promise.resolve(1), AbortSignal.abort())).rejects.toThrow();
});

it("all who listen to a signal hear of it once, but for those who left, over one listener", () => {
  const gone = new AbortController();
  const heard: number[] = [];
  const leave = Array.from({ length: 30 }, (_, n) => onAbort(gone.signal, () => heard.push(n)));
  expect(getEventListeners(gone.signal, "abort")).toHaveLength(1);
  for (const n of [0, 7, 29]) leave[n]?.();
  gone.abort();
  gone.abort();
  expect(heard).toEqual(Array.from({ length: 30 }, (_, n) => n).filter((n) => ![0, 7, 29].includes(n)));
});

/** Creates a queue that admits only on request. */
function line<T>() {
  const waiting: Waiter<T>[] = [];
  return {
    waiting,
    join: (waiter: Waiter<T>) => void waiting.push(waiter),
    leave: (waiter: Waiter<T>) => void waiting.splice(waiting.indexOf(waiter), 1),
  };
}

describe("one who waits for a turn", () => {
  it("gets the queue's value, or its refusal", async () => {
    const queue = line<number>();
    const [first, second] = [waitForTurn(queue), waitForTurn(queue)];
    queue.waiting[0]?.admit(1);
    queue.waiting[1]?.refuse(new Error("full"));
    expect(await first).toBe(1);
    await expect(second).rejects.toThrow("full");
  });

  it("leaves the queue when its signal aborts, and the others stay", async () => {
    const queue = line<number>();
    const leaving = new AbortController();
    const first = waitForTurn(queue, leaving.signal);
    const second = waitForTurn(queue, new AbortController().signal);
    leaving.abort();
    await expect(first).rejects.toMatchObject({ kind: "cancelled" });
    expect(queue.waiting).toHaveLength(1);
    queue.waiting[0]?.admit(2);
    expect(await second).toBe(2);
  });

  it("gets the reason that the caller gives for leaving", async () => {
    const leaving = new AbortController();
    const waiting = waitForTurn(line(), leaving.signal, () => leaving.signal.reason);
    leaving.abort("over");
    await expect(waiting).rejects.toBe("over");
  });

  it("leaves immediately if its signal has already aborted", async () => {
    const queue = line<number>();
    await expect(waitForTurn(queue, AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
    expect(queue.waiting).toEqual([]);
  });

  it("does not leave once it was admitted, immediately or later", async () => {
    const leaving = new AbortController();
    let left = 0;
    const leave = () => void left++;
    const atOnce = waitForTurn<number>({ join: ({ admit }) => admit(1), leave }, leaving.signal);
    const queue = { ...line<number>(), leave };
    const later = waitForTurn(queue, leaving.signal);
    queue.waiting[0]?.admit(2);
    leaving.abort();
    expect([await atOnce, await later, left]).toEqual([1, 2, 0]);
  });
});
