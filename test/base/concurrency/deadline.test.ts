// One timer for limits that come one after another.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDeadline } from "../../../src/base/concurrency/deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const missed: number[] = [];
  const began = performance.now();
  const deadline = createDeadline(() => missed.push(performance.now() - began));
  return { deadline, missed };
}

describe("a deadline", () => {
  it("calls back once when it is missed", () => {
    const { deadline, missed } = watched();
    deadline.expect(100);
    vi.advanceTimersByTime(99);
    expect(missed).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(missed).toEqual([100]);
  });

  it("keeps still when it is met, and when there is no limit", () => {
    const { deadline, missed } = watched();
    deadline.expect(100);
    deadline.met();
    vi.advanceTimersByTime(1000);
    deadline.expect(0);
    vi.advanceTimersByTime(1000);
    expect(missed).toEqual([]);
  });

  it("counts from its own beginning, while the timer of one before still runs", () => {
    const { deadline, missed } = watched();
    deadline.expect(100);
    vi.advanceTimersByTime(60);
    deadline.met();
    deadline.expect(100);
    vi.advanceTimersByTime(99);
    expect(missed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(missed).toEqual([160]);
  });

  it("is not late for a shorter limit after a longer one", () => {
    const { deadline, missed } = watched();
    deadline.expect(1000);
    deadline.met();
    deadline.expect(50);
    vi.advanceTimersByTime(50);
    expect(missed).toEqual([50]);
  });

  it("sets one timer for many limits that are met", () => {
    const { deadline } = watched();
    for (let i = 0; i < 10; i++) {
      deadline.expect(100);
      deadline.met();
    }
    expect(vi.getTimerCount()).toBe(1);
    deadline.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
