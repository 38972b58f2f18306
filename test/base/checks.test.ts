// Checks of what the service depends on: their results, and what is logged.

import { afterEach, describe, expect, test, vi } from "vitest";
import { type Check, type CheckResult, checkLog, runChecks, startResults } from "../../src/base/checks.ts";

const check = (name: string, run: () => Promise<void>, more: Partial<Check> = {}): Check => ({
  part: "sources",
  name,
  backend: "http",
  key: "sources.0.url",
  neededFor: "answers",
  run,
  ...more,
});

const fine = async () => {};

describe("checks", () => {
  afterEach(() => void vi.useRealTimers());

  test("are all run, each with its problem, URLs masked", async () => {
    const results = await runChecks([
      check("a", fine),
      check("b", async () => {
        throw new Error("http://user:hunter2@example.org does not answer.");
      }),
      check("c", () => {
        throw "text";
      }),
    ]);
    expect(results.map(({ check: { name }, problem }) => [name, problem])).toEqual([
      ["a", undefined],
      ["b", "http://***@example.org does not answer."],
      ["c", "not usable"],
    ]);
    for (const { latencyMs } of results) expect(latencyMs).toBeGreaterThanOrEqual(0);
  });

  test("that hang fail after two seconds, and delay no others", async () => {
    vi.useFakeTimers();
    const others: string[] = [];
    const checks = [
      check("silent", () => new Promise(() => {})),
      check("quick", async () => void others.push("quick")),
    ];
    const found = runChecks(checks);
    await vi.advanceTimersByTimeAsync(1999);
    expect(others).toEqual(["quick"]);
    await vi.advanceTimersByTimeAsync(10);
    expect((await found).map(({ problem }) => problem)).toEqual(["no response within 2000 ms", undefined]);
  });
});

describe("at a start", () => {
  /** Starts one check that fails that many times; returns its results and the number of calls. */
  const startWith = async (failures: number, neededFor: Check["neededFor"]) => {
    let asked = 0;
    const one = check(
      "one",
      async () => {
        if (++asked <= failures) throw new Error("slow");
      },
      { neededFor },
    );
    const [finding] = await startResults(() => runChecks([one]));
    return { asked, problem: finding?.problem };
  };

  test.each([
    [0, "logins", { asked: 1, problem: undefined }],
    [1, "logins", { asked: 2, problem: undefined }],
    [2, "logins", { asked: 2, problem: "slow" }],
    [1, "start", { asked: 2, problem: undefined }],
    [1, "answers", { asked: 1, problem: "slow" }],
    [1, "new logins", { asked: 1, problem: "slow" }],
  ] as const)("%i failures of dependencies for %s", async (failures, neededFor, found) => {
    expect(await startWith(failures, neededFor)).toEqual(found);
  });
});

describe("the log of checks", () => {
  const far = check("far", fine);
  const logged = (...rounds: readonly (readonly CheckResult[])[]) => {
    const lines: unknown[] = [];
    const log = checkLog({
      warn: (message, fields) => lines.push(["warn", message, fields]),
      info: (message, fields) => lines.push(["info", message, fields]),
    });
    for (const results of rounds) log(results);
    return lines;
  };
  const broken = { check: far, latencyMs: 1, problem: "It is away." };
  const whole = { check: far, latencyMs: 1 };

  test("reports a failure once, and its recovery once", () => {
    expect(logged([whole], [broken], [broken], [whole], [whole])).toEqual([
      ["warn", "a source cannot be used at the moment", { source: "far", error: "It is away." }],
      ["info", "a source can be used again", { source: "far" }],
    ]);
  });

  test("omits checks that log on their own", () => {
    const own = check("render", fine, { part: "caches", logs: true });
    expect(logged([{ check: own, latencyMs: 1, problem: "full" }])).toEqual([]);
  });
});
