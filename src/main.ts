#!/usr/bin/env node
// Entry of Node, Deno and Bun. No default export: Bun would serve it by itself.

import { run } from "./cli.ts";
import { detectPlatform, runtimeProblem } from "./platform/detect.ts";

const problem = runtimeProblem(process.versions.node);
if (problem) {
  process.stderr.write(`smalti: ${problem}\n`);
  process.exitCode = 1;
} else await run(await detectPlatform(new URL("./", import.meta.url)), process.argv.slice(2));
