#!/usr/bin/env node
// Entry of Node, Deno and Bun. No default export: Bun would serve it by itself.

import { run } from "./cli.ts";
import { detectPlatform } from "./platform/detect.ts";

await run(await detectPlatform(new URL("./", import.meta.url)), process.argv.slice(2));
