// Combines the checks of all parts: whether the service can serve.

import { type CheckedPart, type CheckResult, checkedParts } from "../base/index.ts";

/** The body of `/ready`. */
export type Readiness = { readonly status: "ready" | "unready" } & {
  readonly [Part in Exclude<CheckedPart, OptionalPart>]: readonly Health[];
} & {
  /** Absent if there are none. */
  readonly [Part in OptionalPart]?: readonly Health[];
};

type OptionalPart = Exclude<CheckedPart, "sources" | "caches">;

export interface Health {
  readonly name: string;
  readonly backend: string;
  readonly healthy: boolean;
  readonly latencyMs: number;
  /** For the operator, without paths and secrets. */
  readonly error?: string;
}

/** Ready if no part fails that the start or responses need. */
export function readinessOf(results: readonly CheckResult[]): Readiness {
  const healthOf = ({ check: { name, backend }, latencyMs, problem }: CheckResult): Health => ({
    name,
    backend,
    healthy: problem === undefined,
    latencyMs,
    ...(problem !== undefined && { error: problem }),
  });
  const parts = Object.keys(checkedParts)
    .map((part) => [part, results.filter(({ check }) => check.part === part).map(healthOf)] as const)
    .filter(([part, health]) => part === "sources" || part === "caches" || health.length > 0);
  const lacking = results.some(
    ({ check: { neededFor }, problem }) =>
      problem !== undefined && (neededFor === "start" || neededFor === "answers"),
  );
  return { status: lacking ? "unready" : "ready", ...Object.fromEntries(parts) } as Readiness;
}
