// Memory and processors that this process may use, including container limits (cgroup v2 and v1).

import { readFileSync } from "node:fs";
import { availableParallelism, constants, cpus, hostname, setPriority, totalmem } from "node:os";
import type { Platform } from "../../../base/index.ts";
import type { ProcessRuntime } from "./start-commands.ts";

/** First readable file's text, trimmed. */
function firstText(...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    try {
      return readFileSync(path, "utf8").trim();
    } catch {
      // not this cgroup version, or no permission: the machine's own figure counts
    }
  }
  return undefined;
}

/** Returns usable bytes: the container's limit if it is below the machine's memory. */
export function usableMemory(): number {
  const limit = Number(
    firstText("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes") ?? "max",
  );
  const machine = totalmem();
  return limit > 0 && limit < machine ? limit : machine;
}

/** Returns the maximum of simultaneous file calls of the runtime; further ones wait. */
export function fileThreads(runtime: ProcessRuntime, env: Platform["env"]): number {
  // Deno always has this many threads for blocking calls.
  if (runtime === "deno") return 32;
  const set = Number(env.UV_THREADPOOL_SIZE);
  if (set >= 1) return Math.min(1024, Math.floor(set));
  return runtime === "node" ? 4 : Math.max(2, usableProcessors());
}

/** Processors that may be used, at least 1: a quota of 1.5 processors counts as 2. */
export function usableProcessors(): number {
  const available = typeof availableParallelism === "function" ? availableParallelism() : cpus().length;
  const quota = processorQuota();
  return Math.max(1, Math.min(available, quota === undefined ? available : Math.ceil(quota)));
}

function processorQuota(): number | undefined {
  const [max, period] = (firstText("/sys/fs/cgroup/cpu.max") ?? "").split(" ").map(Number);
  if (max && period) return max / period;
  const v1 = Number(firstText("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") ?? "");
  const v1Period = Number(firstText("/sys/fs/cgroup/cpu/cpu.cfs_period_us") ?? "");
  return v1 > 0 && v1Period > 0 ? v1 / v1Period : undefined;
}

/** Returns machine name and process number, as `host:4711`; only the number if the runtime hides the name. */
export function instanceName(): string {
  try {
    return `${hostname()}:${process.pid}`;
  } catch {
    return `process ${process.pid}`;
  }
}

/** Lowers the priority of the process and of threads that start later, if the system allows it. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Slower for others, but not wrong.
  }
}
