// The order of a stop, with the clock in hand; test/runtimes/stop.test.ts stops real servers.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDraining, lingerMs } from "../../../../src/server/platform/server/draining.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A draining server, and what happened to it, in order. */
function started(finish: () => Promise<void> = async () => {}) {
  const log: string[] = [];
  const draining = createDraining(async () => new Response("whole"));
  const request = async (name: string) => {
    const response = await draining.fetch(new Request("http://a.example/"));
    log.push(`${name} ${response.headers.get("connection")}`);
  };
  const stop = async (graceMs: number) => {
    await draining.stop(graceMs, () => {
      log.push("closed");
      return finish();
    });
    log.push("stopped");
  };
  return { log, request, stop };
}

test("responses leave for half a second, and then only when the listener is closed", async () => {
  const { log, request, stop } = started();
  await request("before");
  void stop(60_000);
  await request("early");
  await vi.advanceTimersByTimeAsync(lingerMs);
  void request("late");
  await vi.advanceTimersByTimeAsync(29);
  expect(log).toEqual(["before null", "early close"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(log.slice(2)).toEqual(["closed", "late close", "stopped"]);
});

test("the listener stays open as long as requests arrive, but no longer than another half second", async () => {
  for (const [requests, closedAt] of [
    [10, 120],
    [200, 500],
  ] as const) {
    const { log, request, stop } = started();
    void stop(60_000);
    await vi.advanceTimersByTimeAsync(lingerMs);
    for (let ms = 0; ms < closedAt - 1; ms++) {
      if (ms % 10 === 5 && ms / 10 < requests) void request("late");
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(log).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(log[0]).toBe("closed");
    await vi.advanceTimersByTimeAsync(1000);
    expect(log.at(-1)).toBe("stopped");
  }
});

test("a stop ends with its grace period, and has closed the listener by then", async () => {
  const { log, stop } = started(() => new Promise(() => {}));
  void stop(100);
  await vi.advanceTimersByTimeAsync(99);
  expect(log).toEqual(["closed"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(log).toEqual(["closed", "stopped"]);
  const short = started();
  void short.stop(10);
  await vi.advanceTimersByTimeAsync(10);
  expect(short.log).toEqual(["closed", "stopped"]);
});
