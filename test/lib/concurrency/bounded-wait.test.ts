import { expect, it } from "vitest";
import { unlessAborted, withDeadline } from "../../../src/lib/concurrency/bounded-wait.ts";

it("gives what comes in time, an error too", async () => {
  expect(await withDeadline(60_000, async () => 1)).toBe(1);
  await expect(withDeadline(60_000, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("ends the waiting for what never comes", async () => {
  await expect(withDeadline(10, () => new Promise(() => {}))).rejects.toThrow("no answer within 10 ms");
});

it("takes no answer for late that came while this process was busy", async () => {
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
  await expect(withDeadline(10, () => late)).rejects.toThrow("no answer");
  // An unhandled rejection would end the run.
  fail(new Error("too late"));
  await new Promise((resolve) => setTimeout(resolve));
});

it("waits until a signal aborts at most, which ends many waits at once", async () => {
  const leaving = new AbortController();
  const never = new Promise(() => {});
  const waits = Array.from({ length: 20 }, () => unlessAborted(never, leaving.signal));
  expect(await unlessAborted(Promise.resolve(1), leaving.signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error("broken")), leaving.signal)).rejects.toThrow("broken");
  leaving.abort();
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ kind: "cancelled" });
});

it("does not wait where a signal has aborted before, whatever there is", async () => {
  const failing = Promise.reject(new Error("too late"));
  await expect(unlessAborted(failing, AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
  await expect(unlessAborted(Promise.resolve(1), AbortSignal.abort())).rejects.toThrow();
});
