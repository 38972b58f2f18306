// The settings that the program wants of Node and of the C library, which are read when a process starts.
// docs/reference/runtimes.md, "Settings of the process", says what each is for. main.ts loads this file on
// any Node: it uses no syntax that Node 16 lacks.

import { realpathSync } from "node:fs";
import type { Env } from "../../../base/index.ts";

/** Flags of Node. */
export const nodeFlags = ["--max-semi-space-size=4", "--no-allocation-site-pretenuring"] as const;

/** Variables of glibc's allocator: thresholds in bytes, which it would otherwise raise as it runs. */
export const allocatorVariables: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: "262144",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/**
 * Returns the flags and variables that a process lacks; undefined if it has all of them. Other values that
 * the operator has chosen count.
 */
export function missingSettings(
  execArgv: readonly string[],
  env: Env,
): { readonly flags: readonly string[]; readonly env: Env } | undefined {
  const given = [...execArgv, ...(env.NODE_OPTIONS || "").split(/\s+/)].map(nameOf);
  const flags = nodeFlags.filter((flag) => !given.includes(nameOf(flag)));
  const variables = Object.entries(allocatorVariables).filter(([name]) => env[name] === undefined);
  if (flags.length + variables.length === 0) return undefined;
  return { flags, env: Object.fromEntries(variables) };
}

/** Returns the name of a flag: Node takes underscores for hyphens, and `no-` negates. */
const nameOf = (flag: string) =>
  flag
    .replace(/=.*/, "")
    .replace(/_/g, "-")
    .replace(/^--no-/, "--");

/**
 * Replaces the process by one with the missing settings, which keeps its number, its folder and its streams.
 * Does so only on Linux, on a Node that can (22.15 and newer), if `script` is the file that Node was asked to
 * run, and if no parent process talks to this one.
 */
export function restartWithOwnSettings(script: string): void {
  const { execve } = process as { execve?(file: string, args: readonly string[], env: Env): never };
  const { bun, deno } = process.versions as Readonly<Record<string, string | undefined>>;
  if (!execve || bun || deno || process.platform !== "linux" || process.connected) return;
  // The number stays; glibc may remove the variables again, as from a program with capabilities.
  if (process.env[restartedAs] === String(process.pid)) return;
  const missing = missingSettings(process.execArgv, process.env);
  if (!missing || !isSameFile(process.argv[1], script)) return;
  const args = [process.execPath, ...process.execArgv, ...missing.flags, ...process.argv.slice(1)];
  execve.call(process, process.execPath, args, {
    ...process.env,
    ...missing.env,
    [restartedAs]: String(process.pid),
  });
}

/** Variable with the number of the process that has been replaced. */
const restartedAs = "SMALTI_RESTARTED";

function isSameFile(path: string | undefined, other: string): boolean {
  try {
    return path !== undefined && realpathSync(path) === realpathSync(other);
  } catch {
    return false; // Node completes names, as in `node dist/main`
  }
}
