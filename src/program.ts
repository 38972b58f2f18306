// The command line on Node, Deno and Bun, once main.ts has seen that the runtime is new enough.

import { run } from "./cli/cli.ts";
import { detectPlatform } from "./server/platform/detect.ts";

await run(await detectPlatform(new URL("./", import.meta.url)), process.argv.slice(2));
