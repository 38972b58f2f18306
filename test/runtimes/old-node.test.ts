// A Node that is too old.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nodeOf } from "./runtimes.ts";

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

test.each([[["version"]], [[]]])("Node 18 gets one line and exit code 1, for %j", (args) => {
  const { status, stdout, stderr } = spawnSync(nodeOf("node18-linux-x64"), [main, ...args], {
    encoding: "utf8",
  });
  expect([status, stdout, stderr]).toEqual([
    1,
    "",
    "smalti: expected Node 20.9 or newer, received 18.20.8; install a newer Node, or run it with Deno or Bun\n",
  ]);
});
