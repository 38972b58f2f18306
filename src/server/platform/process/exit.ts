// Ends a process of Node, Deno or Bun, even if something hangs.
//
// Node waits for every thread at its exit: forever for one that a dead mount blocks. A signal does not wait.

import type { ExitOptions } from "../../../base/index.ts";
import type { ProcessRuntime } from "./start-commands.ts";

/** Milliseconds for the output to be flushed and for threads to end, unless the caller allows more. */
const usualMs = 2000;
/** Milliseconds between two looks at what still runs. */
const lookMs = 10;

/** Calls of Node's threads that the operating system may never complete. */
const threadCalls = /^(FSReq|GetAddrInfo|GetNameInfo)/;

/** Workers that have not ended; only of Node. */
export const liveWorkers = new Set<object>();

/** Returns calls that an exit would wait for. */
function hangingCalls(): string[] {
  const calls = process.getActiveResourcesInfo().filter((name) => threadCalls.test(name));
  return [...calls, ...[...liveWorkers].map(() => "Worker")];
}

/**
 * Ends the process with a code when its output is flushed. If threads hang for `patienceMs` (two seconds) it
 * ends by SIGTERM instead, after `tell` was called with their calls, by Node's names.
 */
export function endProcess(
  runtime: ProcessRuntime,
  code: number,
  { patienceMs = usualMs, tell }: ExitOptions = {},
): void {
  const exit = () => {
    const calls = runtime === "node" ? hangingCalls() : [];
    if (calls.length === 0) process.exit(code);
    if (performance.now() < end) return void setTimeout(exit, lookMs);
    tell?.(calls);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
    // The first process of a container ignores signals that it sends itself.
    process.abort();
  };
  const end = performance.now() + patienceMs;
  const late = setTimeout(exit, patienceMs);
  process.stdout.write("", () =>
    process.stderr.write("", () => {
      clearTimeout(late);
      exit();
    }),
  );
}
