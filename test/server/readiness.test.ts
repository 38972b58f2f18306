// The responses of /ready, from the results of the checks.

import { expect, test } from "vitest";
import type { Check, CheckResult } from "../../src/base/checks.ts";
import { readinessOf } from "../../src/server/readiness.ts";

const found = (part: Check["part"], neededFor: Check["neededFor"], problem?: string): CheckResult => ({
  check: { part, name: `one of ${part}`, backend: "filesystem", key: part, neededFor, run: async () => {} },
  latencyMs: 1.5,
  ...(problem !== undefined && { problem }),
});

test.each([
  ["start", "unready"],
  ["answers", "unready"],
  ["speed", "ready"],
  ["changes", "ready"],
  ["logins", "ready"],
  ["new logins", "ready"],
] as const)("if a failing dependency is needed for %s, the service is %s", (neededFor, status) => {
  const results = [found("sources", "answers"), found("caches", neededFor, "no such folder")];
  expect(readinessOf(results).status).toBe(status);
});

test("sources and caches are listed even if there are none, other parts are not", () => {
  expect(readinessOf([])).toEqual({ status: "ready", sources: [], caches: [] });
  expect(Object.keys(readinessOf([found("hooks", "changes")]))).toEqual([
    "status",
    "sources",
    "caches",
    "hooks",
  ]);
});

test("each part has its name, backend, health and latency, and the reason if it cannot be used", () => {
  const { sources } = readinessOf([found("sources", "answers"), found("sources", "answers", "it is away")]);
  const part = { name: "one of sources", backend: "filesystem", latencyMs: 1.5 };
  expect(sources).toEqual([
    { ...part, healthy: true },
    { ...part, healthy: false, error: "it is away" },
  ]);
});
