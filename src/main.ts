#!/usr/bin/env node
// Entry of Node, Deno and Bun: checks the version before loading anything that an old Node cannot read. No
// default export: Bun would serve it.

import { runtimeProblem } from "./platform/oldest-node.ts";

const problem = runtimeProblem(process.versions.node);
if (problem) {
  process.stderr.write(`smalti: ${problem}\n`);
  process.exitCode = 1;
} else await import("./program.ts");
