#!/usr/bin/env node
// Entry of Node, Deno and Bun: checks the version before loading anything that an old Node cannot read, and
// the settings of the process. No default export: Bun would serve it.

import { fileURLToPath } from "node:url";
import { runtimeProblem } from "./server/platform/oldest-node.ts";
import { restartWithOwnSettings } from "./server/platform/process/own-settings.ts";

const problem = runtimeProblem(process.versions.node);
if (problem) {
  process.stderr.write(`smalti: ${problem}\n`);
  process.exitCode = 1;
} else {
  restartWithOwnSettings(fileURLToPath(import.meta.url));
  await import("./program.ts");
}
