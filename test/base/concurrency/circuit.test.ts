import { describe, expect, it } from "vitest";
import { createCircuit } from "../../../src/base/concurrency/circuit.ts";

describe("a circuit", () => {
  const setup = () => {
    const state = { time: 0, calls: 0, broken: true };
    const circuit = createCircuit({ failures: 3, pauseMs: 100, maxPauseMs: 350, now: () => state.time });
    const call = () =>
      circuit
        .run(async () => {
          state.calls++;
          if (state.broken) throw new Error(`failure ${state.calls}`);
          return "done";
        })
        .catch((error: Error) => error.message);
    return { state, circuit, call };
  };

  it("calls nothing after a few failures in a row, and reports the last of them", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 3; i++) expect(await call()).toBe(`failure ${i + 1}`);
    for (let i = 0; i < 5; i++) expect(await call()).toBe("failure 3");
    expect(state.calls).toBe(3);
  });

  it("counts failures in a row only", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 10; i++) {
      state.broken = i % 3 !== 2;
      await call();
    }
    expect(state.calls).toBe(10);
  });

  it("tries once after a pause, which grows up to its bound while trials fail", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 3; i++) await call();
    for (const [pause, calls] of [
      [100, 4],
      [200, 5],
      [350, 6],
      [350, 7],
    ] as const) {
      state.time += pause - 1;
      await call();
      expect(state.calls).toBe(calls - 1);
      state.time += 1;
      await Promise.all([call(), call(), call()]);
      expect(state.calls).toBe(calls);
    }
  });

  it("is reset after a successful trial", async () => {
    const { state, call } = setup();
    for (let i = 0; i < 3; i++) await call();
    state.time += 100;
    state.broken = false;
    expect(await call()).toBe("done");
    state.broken = true;
    for (let i = 0; i < 5; i++) await call();
    expect(state.calls).toBe(7);
    state.time += 100;
    await call();
    expect(state.calls).toBe(8);
  });

  it("is not opened longer by failures of earlier calls", async () => {
    const { state, circuit, call } = setup();
    let fail!: (error: Error) => void;
    const slow = circuit.run(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    for (let i = 0; i < 3; i++) await call();
    state.time += 99;
    fail(new Error("slow"));
    await expect(slow).rejects.toThrow("slow");
    state.time += 1;
    state.broken = false;
    expect(await call()).toBe("done");
  });

  it("reports when it is open, and ignores neutral results", async () => {
    let time = 0;
    let calls = 0;
    const circuit = createCircuit({
      failures: 2,
      pauseMs: 100,
      now: () => time,
      counts: (error) => (error as Error).message === "away",
    });
    const call = (message: string) =>
      circuit
        .run(async () => {
          calls++;
          throw new Error(message);
        })
        .catch((error: Error) => error.message);
    await call("away");
    for (let i = 0; i < 5; i++) await call("left");
    expect(circuit.isPausing()).toBe(false);
    await call("away");
    expect(circuit.isPausing()).toBe(true);
    expect([await call("left"), calls]).toEqual(["away", 7]);
    time = 100;
    expect(circuit.isPausing()).toBe(false);
    // A trial that said nothing leaves room for the next.
    expect([await call("left"), await call("left"), calls]).toEqual(["left", "left", 9]);
  });
});
