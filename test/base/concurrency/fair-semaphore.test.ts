import { describe, expect, it } from "vitest";
import { createFairSemaphore, type FairOptions } from "../../../src/base/concurrency/fair-semaphore.ts";
import { deferred } from "../../deferred.ts";

/** A semaphore with tasks that end when `finish` lets them. */
function fair(options: Partial<FairOptions> = {}) {
  const semaphore = createFairSemaphore({ permits: 1, ranks: 3, waiting: 64, waitingEach: 8, ...options });
  const began: string[] = [];
  const running: (() => void)[] = [];
  const add = (name: string, client: string, rank = 0, signal?: AbortSignal) =>
    semaphore.run(
      { client, rank },
      async () => {
        began.push(name);
        const { promise, resolve } = deferred();
        running.push(resolve);
        await promise;
        return name;
      },
      signal,
    );
  /** Lets the tasks end one at a time until none is left. */
  const finish = async () => {
    for (;;) {
      await settle();
      const end = running.shift();
      if (!end) return began;
      end();
    }
  };
  return { semaphore, began, add, finish };
}
/** Lets every promise settle that can. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe("a fair semaphore", () => {
  it("runs no more tasks at a time than it has permits, and returns their results", async () => {
    const { semaphore, began, add, finish } = fair({ permits: 2 });
    const results = ["a", "b", "c", "d"].map((name) => add(name, name));
    await settle();
    expect([began, semaphore.waiting]).toEqual([["a", "b"], 2]);
    await finish();
    expect(await Promise.all(results)).toEqual(["a", "b", "c", "d"]);
    expect(semaphore.waiting).toBe(0);
  });

  it("lets a client wait for one task of another, however many that has", async () => {
    const { add, finish } = fair();
    for (let i = 0; i < 8; i++) void add(`many ${i}`, "many");
    void add("one", "reader");
    expect((await finish()).indexOf("one")).toBe(1);
  });

  it("lets parties take turns", async () => {
    const { add, finish } = fair();
    void add("first", "x");
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void add(name, name[0] as string);
    expect(await finish()).toEqual(["first", "a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("prefers tasks of lower ranks, but not for ever", async () => {
    const { add, finish } = fair();
    void add("first", "x");
    for (let i = 0; i < 6; i++) void add(`high ${i}`, `h${i}`, 2);
    for (let i = 0; i < 6; i++) void add(`low ${i}`, `l${i}`, 0);
    const order = await finish();
    expect(order.slice(0, 6)).toEqual(["first", "low 0", "low 1", "low 2", "low 3", "high 0"]);
    expect(order.length).toBe(13);
  });

  it("refuses the last task of the last rank, and of the client with most, if too many wait", async () => {
    const { semaphore, add, finish } = fair({ waiting: 4 });
    const outcome = (task: Promise<string>) =>
      task.then(
        () => "done",
        (error: { kind?: string }) => error.kind,
      );
    const first = outcome(add("first", "x"));
    const many = [0, 1, 2].map((i) => outcome(add(`many ${i}`, "many", 1)));
    const other = outcome(add("other", "other", 1));
    const reader = outcome(add("reader", "reader", 0));
    expect(await many[2]).toBe("busy");
    expect(semaphore.waiting).toBe(4);
    await finish();
    expect(await Promise.all([first, ...many, other, reader])).toEqual([
      "done",
      "done",
      "done",
      "busy",
      "done",
      "done",
    ]);
  });

  it("lets a bounded number of tasks of one client wait", async () => {
    const { add, finish } = fair({ waitingEach: 2 });
    for (let i = 0; i < 3; i++) void add(`${i}`, "a");
    await expect(add("more", "a")).rejects.toMatchObject({ kind: "busy" });
    void add("b", "b");
    expect(await finish()).toEqual(["0", "b", "1", "2"]);
  });

  it("forgets a task whose signal aborts while it waits", async () => {
    const { semaphore, add, finish } = fair();
    void add("first", "x");
    const gone = new AbortController();
    const waiting = add("gone", "a", 0, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "cancelled" });
    await expect(add("late", "a", 0, AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
    expect(semaphore.waiting).toBe(0);
    expect(await finish()).toEqual(["first"]);
  });

  it("goes on after a task that fails", async () => {
    const { semaphore } = fair();
    const turn = { client: "a", rank: 0 };
    await expect(semaphore.run(turn, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await semaphore.run(turn, async () => 5)).toBe(5);
  });
});
