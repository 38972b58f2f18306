// Bodies that are made while they are sent.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { streamOf } from "../../../../src/server/api/http/representation/streamed-body.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Five parts of one byte; counts those that were made, and notes its end. */
function parts() {
  const seen = { made: 0, closed: false };
  const make = async function* () {
    try {
      for (let n = 1; n <= 5; n++) {
        seen.made = n;
        yield Uint8Array.of(n);
      }
    } finally {
      seen.closed = true;
    }
  };
  return { seen, made: make() };
}

test("a reader gets all parts, and one is made ahead", async () => {
  const { seen, made } = parts();
  const ended = vi.fn();
  const failed = vi.fn();
  const reader = streamOf(made, { failed, ended, stallMs: 1000 }).getReader();
  expect((await reader.read()).value).toEqual(Uint8Array.of(1));
  await vi.advanceTimersByTimeAsync(500);
  expect(seen.made).toBe(2);
  const rest = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) rest.push(...next.value);
  expect(rest).toEqual([2, 3, 4, 5]);
  await vi.advanceTimersByTimeAsync(5000);
  expect([ended.mock.calls.length, failed.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0, 0]);
});

test("a reader who reads nothing for too long is cut off, and nothing more is made", async () => {
  const { seen, made } = parts();
  const ended = vi.fn();
  const reader = streamOf(made, { failed: vi.fn(), ended, stallMs: 1000 }).getReader();
  await reader.read();
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(ended).toHaveBeenCalledTimes(1);
  await expect(reader.read()).rejects.toThrow("read nothing for 1000 ms");
  expect(seen).toEqual({ made: 2, closed: true });
});

test("a reader who leaves while a part is made ends it without an error", async () => {
  let finish = () => {};
  const slow = async function* () {
    yield Uint8Array.of(1);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    yield Uint8Array.of(2);
  };
  const [failed, ended] = [vi.fn(), vi.fn()];
  const reader = streamOf(slow(), { failed, ended }).getReader();
  await reader.read();
  await vi.advanceTimersByTimeAsync(1);
  const left = reader.cancel();
  finish();
  await left;
  expect([failed.mock.calls.length, ended.mock.calls.length]).toEqual([0, 1]);
});

test("an error cuts the body, and is reported once", async () => {
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1);
    throw new Error("the source is gone");
  };
  const [failed, ended] = [vi.fn(), vi.fn()];
  const reader = streamOf(broken(), { failed, ended }).getReader();
  await reader.read();
  await expect(reader.read()).rejects.toThrow("the source is gone");
  expect([failed.mock.calls.length, ended.mock.calls.length]).toEqual([1, 1]);
});

test("an error of parts that nobody reads any more goes nowhere", async () => {
  const failing = async function* () {
    try {
      yield Uint8Array.of(1);
      yield Uint8Array.of(2);
    } finally {
      // biome-ignore lint/correctness/noUnsafeFinally: an end that fails
      throw undefined;
    }
  };
  const failed = vi.fn();
  const left = streamOf(failing(), { failed }).getReader();
  await left.read();
  await expect(left.cancel()).resolves.toBeUndefined();
  const slow = streamOf(failing(), { failed, stallMs: 1000 }).getReader();
  await slow.read();
  await vi.advanceTimersByTimeAsync(1001);
  await expect(slow.read()).rejects.toThrow("read nothing");
  expect(failed).not.toHaveBeenCalled();
});
