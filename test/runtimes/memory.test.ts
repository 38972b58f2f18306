// The small version of bench/memory.mjs: memory under mixed requests and after them, aborts, and a stop.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test.runIf(process.platform === "linux")("memory, aborts and a stop keep to their goals", async () => {
  const args = ["bench/memory.mjs", "--small", "--parts", "mixed,webp,aborts,stop"];
  const run = promisify(execFile)(process.execPath, args, {
    cwd: new URL("../../", import.meta.url).pathname,
  });
  // If a goal is missed, the message has the table.
  const output = await run.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `failed\n${stdout}\n${stderr}`,
  );
  expect(output).toMatch(/^part +figure/);
});
