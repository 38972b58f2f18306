import { describe, expect, it } from "vitest";
import { createSingleFlight } from "../../../src/base/concurrency/single-flight.ts";

/** Work that ends when the test says so, and the signal it was given. */
function controlled<T>() {
  const { promise, resolve, reject } = withResolvers<T>();
  const signals: AbortSignal[] = [];
  return {
    resolve,
    reject,
    signals,
    work: (signal: AbortSignal) => {
      signals.push(signal);
      return promise;
    },
  };
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe("single flight", () => {
  it("does the work once for all who ask meanwhile, and again for those who ask later", async () => {
    const flights = createSingleFlight<number>();
    const first = controlled<number>();
    const both = [flights.run("k", first.work), flights.run("k", first.work)];
    expect(flights.has("k")).toBe(true);
    first.resolve(7);
    expect(await Promise.all(both)).toEqual([7, 7]);
    expect(first.signals.length).toBe(1);
    expect(await flights.run("k", async () => 8)).toBe(8);
    expect(flights.size).toBe(0);
  });

  it("keeps different keys apart", async () => {
    const flights = createSingleFlight<string>();
    expect(await Promise.all(["a", "b"].map((key) => flights.run(key, async () => key)))).toEqual(["a", "b"]);
  });

  it("returns one failure to all waiting callers, and does not cache it", async () => {
    const flights = createSingleFlight<number>();
    const first = controlled<number>();
    const both = [flights.run("k", first.work), flights.run("k", first.work)];
    first.reject(new Error("broken"));
    for (const one of both) await expect(one).rejects.toThrow("broken");
    expect(await flights.run("k", async () => 1)).toBe(1);
  });

  it("turns synchronous errors into rejections", async () => {
    const flights = createSingleFlight<number>();
    const thrown = flights.run("k", () => {
      throw new Error("at once");
    });
    await expect(thrown).rejects.toThrow("at once");
    expect(flights.size).toBe(0);
  });

  it("lets one caller leave while the work continues for the others", async () => {
    const flights = createSingleFlight<number>();
    const first = controlled<number>();
    const gone = new AbortController();
    const leaving = flights.run("k", first.work, gone.signal);
    const staying = flights.run("k", first.work, new AbortController().signal);
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ kind: "cancelled" });
    expect(first.signals[0]?.aborted).toBe(false);
    first.resolve(3);
    expect(await staying).toBe(3);
    expect(first.signals[0]?.aborted).toBe(false);
  });

  it("aborts the work when all have left, and restarts for the next", async () => {
    const flights = createSingleFlight<number>();
    const first = controlled<number>();
    const gone = [new AbortController(), new AbortController()];
    const leaving = gone.map((one) => flights.run("k", first.work, one.signal));
    for (const one of gone) one.abort();
    for (const one of leaving) await expect(one).rejects.toMatchObject({ kind: "cancelled" });
    expect(first.signals[0]?.aborted).toBe(true);
    const second = flights.run("k", async () => 2);
    first.reject(new Error("aborted work ends later, and nobody hears of it"));
    expect(await second).toBe(2);
  });

  it("keeps restarted work when the aborted one ends earlier", async () => {
    const flights = createSingleFlight<number>();
    const [first, second] = [controlled<number>(), controlled<number>()];
    const gone = new AbortController();
    const leaving = flights.run("k", first.work, gone.signal);
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ kind: "cancelled" });
    const one = flights.run("k", second.work);
    first.resolve(1);
    await new Promise((resolve) => setTimeout(resolve));
    const other = flights.run("k", async () => 3);
    second.resolve(2);
    expect(await Promise.all([one, other])).toEqual([2, 2]);
  });

  it("does no work for one who has left before", async () => {
    const flights = createSingleFlight<number>();
    const first = controlled<number>();
    await expect(flights.run("k", first.work, AbortSignal.abort())).rejects.toMatchObject({
      kind: "cancelled",
    });
    expect(first.signals.length).toBe(0);
  });
});
