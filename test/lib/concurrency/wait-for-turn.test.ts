import { describe, expect, test } from "vitest";
import { type Waiter, waitForTurn } from "../../../src/lib/concurrency/wait-for-turn.ts";

/** A queue that admits nobody by itself. */
function line<T>() {
  const waiting: Waiter<T>[] = [];
  return {
    waiting,
    join: (waiter: Waiter<T>) => void waiting.push(waiter),
    leave: (waiter: Waiter<T>) => void waiting.splice(waiting.indexOf(waiter), 1),
  };
}

describe("one who waits for a turn", () => {
  test("gets what the queue admits with, or hears what it refuses with", async () => {
    const queue = line<number>();
    const [first, second] = [waitForTurn(queue), waitForTurn(queue)];
    queue.waiting[0]?.admit(1);
    queue.waiting[1]?.refuse(new Error("full"));
    expect(await first).toBe(1);
    await expect(second).rejects.toThrow("full");
  });

  test("leaves the queue when its signal aborts, and the others stay", async () => {
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

  test("hears the reason that the caller gives to leaving", async () => {
    const leaving = new AbortController();
    const waiting = waitForTurn(line(), leaving.signal, () => leaving.signal.reason);
    leaving.abort("over");
    await expect(waiting).rejects.toBe("over");
  });

  test("is out at once where its signal has aborted before", async () => {
    const queue = line<number>();
    await expect(waitForTurn(queue, AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
    expect(queue.waiting).toEqual([]);
  });

  test("does not leave once it was admitted, at once or later", async () => {
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
