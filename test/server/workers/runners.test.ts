import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Runner } from "../../../src/server/workers/runner.ts";
import { createRunners } from "../../../src/server/workers/runners.ts";

const MiB = 1024 * 1024;

/** Runners without workers, which report `held` bytes; `log`: what happened to each, by its number. */
function runnersOf({ size = 3, held = 0, linger = true, full = false } = {}) {
  const log: string[] = [];
  let last = 0;
  const state = { held, full };
  const start = ({ warm }: { warm: boolean }): Runner => {
    if (state.full) throw new Error("no more threads");
    const number = ++last;
    log.push(`start ${number}${warm ? " warm" : ""}`);
    return {
      run: () => Promise.reject(new Error("does not run")),
      memory: async () => state.held,
      alive: () => true,
      waits: () => false,
      kill: () => void log.push(`end ${number}`),
    };
  };
  return { runners: createRunners({ size, linger, start }), log, state };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("idle runners", () => {
  it("end after ten seconds, and the one that worked last stays", async () => {
    const { runners, log } = runnersOf();
    const [first, second, third] = [runners.take()!, runners.take()!, runners.take()!];
    for (const runner of [third, first]) runners.release(runner, true);
    await vi.advanceTimersByTimeAsync(6000);
    runners.release(second, true);
    await vi.advanceTimersByTimeAsync(3999);
    expect(runners.status().workers).toBe(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(log.slice(3)).toEqual(["end 3", "end 1"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toHaveLength(5);
    expect(runners.take()).toBe(second);
  });

  it("all end while another one works", async () => {
    const { runners, log } = runnersOf();
    const [, idle] = [runners.take()!, runners.take()!];
    runners.release(idle, true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(log.slice(2)).toEqual(["end 2"]);
    expect(runners.status()).toMatchObject({ workers: 1, busy: 1 });
  });

  it("stay if jobs arrive in between", async () => {
    const { runners, log } = runnersOf();
    const [first, second] = [runners.take()!, runners.take()!];
    for (let n = 0; n < 4; n++) {
      runners.release(first, true);
      runners.release(second, true);
      await vi.advanceTimersByTimeAsync(9000);
      expect([runners.take(), runners.take()]).toEqual([second, first]);
    }
    expect(log).toEqual(["start 1", "start 2"]);
  });

  it("are replaced by a new one if the last holds more than 64 MiB, once for each time it works", async () => {
    const { runners, log, state } = runnersOf({ held: 64 * MiB + 1 });
    runners.release(runners.take()!, true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(log).toEqual(["start 1", "start 2 warm", "end 1"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toHaveLength(3);
    state.held = 64 * MiB;
    runners.release(runners.take()!, true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toHaveLength(3);
  });

  it("stay if no new one can be started", async () => {
    const { runners, log, state } = runnersOf({ held: 65 * MiB });
    const only = runners.take()!;
    runners.release(only, true);
    state.full = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual(["start 1"]);
    expect(runners.take()).toBe(only);
  });

  it("stay on a platform without timers, up to their number", async () => {
    const { runners, log } = runnersOf({ linger: false, size: 2, held: 65 * MiB });
    const [first, second] = [runners.take()!, runners.take()!];
    runners.release(first, true);
    runners.release(second, true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual(["start 1", "start 2"]);
  });
});
