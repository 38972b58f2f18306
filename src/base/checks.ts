// Health checks of the service's dependencies (folders, servers): run at start, by `smalti check` and by
// /ready.

import { withDeadline } from "./concurrency/bounded-wait.ts";
import type { Finding } from "./findings/finding.ts";
import type { Log } from "./telemetry/log.ts";
import { maskUrls } from "./telemetry/mask.ts";

/** The kinds of parts as /ready lists them, and what one of each is called. */
export const checkedParts = {
  sources: "source",
  caches: "cache",
  hooks: "hook",
  overlays: "overlay",
  sessions: "session store",
  passwords: "password file",
  bookmarks: "store of content states",
  providers: "login provider",
  crawlers: "list of crawlers",
  visitors: "store of visitors",
} as const;

export type CheckedPart = keyof typeof checkedParts;

/** A check that a part contributes. */
export interface Check {
  readonly part: CheckedPart;
  readonly name: string;
  readonly backend: string;
  /** The key of the configuration to look at. */
  readonly key: string;
  /** Folder, URL or bucket, for the operator alone. Holds no secret. */
  readonly location?: string;
  /**
   * `start`: the service does not start without it. `answers`: it starts, but is not ready. `speed`: it is
   * slower. `changes`: it responds as before, but changes of the operator have no effect. `logins`: the
   * service does not start without it; if it fails later, only logged-in readers are affected. `new logins`:
   * only new logins fail.
   */
  readonly neededFor: "start" | "answers" | "speed" | "changes" | "logins" | "new logins";
  /** Resolves when it can be used; throws with the reason, in words for the operator. */
  run(): Promise<void>;
  /** Checks without leaving anything behind, for `smalti check`; absent if {@link run} never does. */
  dryRun?(): Promise<void>;
  /** True if it logs its own failures. */
  readonly logs?: true;
}

/** Result of a check. */
export interface CheckResult {
  readonly check: Check;
  readonly latencyMs: number;
  /** Why it is unusable, without paths and secrets; absent if it is usable. */
  readonly problem?: string;
}

/** A check that takes longer fails. */
const limitMs = 2000;

/** Runs checks in parallel, for at most two seconds. Never rejects. */
export function runChecks(
  checks: readonly Check[],
  run = (check: Check): Promise<void> => check.run(),
): Promise<readonly CheckResult[]> {
  return Promise.all(
    checks.map(async (check) => {
      const began = performance.now();
      const result = () => ({ check, latencyMs: Math.round((performance.now() - began) * 10) / 10 });
      try {
        await withDeadline(limitMs, () => run(check));
        return result();
      } catch (error) {
        const problem = error instanceof Error ? maskUrls(error.message) : "not usable";
        return { ...result(), problem };
      }
    }),
  );
}

/** True if the service does not start while the check fails. */
const preventsStart = ({ neededFor }: Check): boolean => neededFor === "start" || neededFor === "logins";

/** Returns the failure of a check, about a part such as `source "scans"`; empty if it passed. */
export function failureOf({ check: { part, name, location }, problem }: CheckResult): readonly Finding[] {
  if (problem === undefined) return [];
  const text = location === undefined ? problem : `${location}: ${problem}`;
  return [{ level: "problem", where: `${checkedParts[part]} "${name}"`, text }];
}

/** Returns the problems that prevent a start, a line for each part. */
export const startProblems = (results: readonly CheckResult[]): string[] =>
  results
    .filter(({ check }) => preventsStart(check))
    .flatMap(failureOf)
    .map(({ where, text }) => `${where} at ${text}`);

/**
 * Returns the results of a start. A failed check that prevents the start is repeated once: a store may be
 * slow at its first request.
 */
export async function startResults(
  check: () => Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  const results = await check();
  return startProblems(results).length > 0 ? check() : results;
}

/** Returns a function that logs which parts can no longer be used, or again, since it was last called. */
export function checkLog(log: Pick<Log, "info" | "warn">): (results: readonly CheckResult[]) => void {
  const unusable = new Set<Check>();
  return (results) => {
    for (const { check, problem } of results) {
      if (check.logs || (problem !== undefined) === unusable.has(check)) continue;
      const what = checkedParts[check.part];
      if (problem === undefined) {
        unusable.delete(check);
        log.info(`a ${what} can be used again`, { [what]: check.name });
      } else {
        unusable.add(check);
        log.warn(`a ${what} cannot be used at the moment`, { [what]: check.name, error: problem });
      }
    }
  };
}
