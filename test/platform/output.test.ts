// Output to readers that have gone, and to those that do not read. Both are processes behind a pipe.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createOutput } from "../../src/platform/output.ts";

const readers: ChildProcess[] = [];
afterAll(() => {
  for (const child of readers) child.kill("SIGKILL");
});

/** A process that never reads what is written to its pipe. */
function reader(): { readonly child: ChildProcess; readonly pipe: Writable } {
  const child = spawn("sleep", ["60"], { stdio: ["pipe", "ignore", "ignore"] });
  readers.push(child);
  return { child, pipe: child.stdin };
}

const mebibyte = "x".repeat(1024 * 1024);

test("a reader that has gone does not end the process", async () => {
  const { child, pipe } = reader();
  const write = createOutput(pipe, true);
  write("one\n");
  child.kill("SIGKILL");
  await once(child, "exit");
  for (let i = 0; i < 3; i++) {
    expect(() => write("two\n")).not.toThrow();
    await sleep(10); // an error of the stream comes later, and would fail the run
  }
});

test("a log whose reader does not read keeps 16 MiB", () => {
  const { pipe } = reader();
  const write = createOutput(pipe, true);
  for (let i = 0; i < 40; i++) write(mebibyte);
  expect(pipe.writableLength).toBeGreaterThan(15 * 1024 * 1024);
  expect(pipe.writableLength).toBeLessThanOrEqual(17 * 1024 * 1024);
});

test("what a command prints is kept whole", () => {
  const { pipe } = reader();
  const write = createOutput(pipe, false);
  for (let i = 0; i < 40; i++) write(mebibyte);
  expect(pipe.writableLength).toBeGreaterThan(39 * 1024 * 1024);
});
