// The checker of Prometheus (Debian package prometheus).

import { spawnSync } from "node:child_process";

/** True if promtool is installed; without it in CI its tests fail instead of being skipped. */
export const hasPromtool =
  spawnSync("sh", ["-c", "command -v promtool"]).status === 0 || process.env.CI !== undefined;

/** Runs it to its end; all that it says. */
export function promtool(args: readonly string[], input = ""): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}
