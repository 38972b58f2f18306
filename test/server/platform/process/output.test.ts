// Output to readers that have gone, and to those that do not read. Both are processes behind a pipe.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { createOutput } from "../../../../src/server/platform/process/output.ts";

const readers: ChildProcess[] = [];
afterAll(() => {
  for (const child of readers) child.kill("SIGKILL");
});

/** Creates a process that never reads its pipe. */
function reader(): { readonly child: ChildProcess; readonly pipe: Writable } {
  const child = spawn("sleep", ["60"], { stdio: ["pipe", "ignore", "ignore"] });
  readers.push(child);
  return { child, pipe: child.stdin };
}

const mebibyte = "x".repeat(1024 * 1024);

test("a reader that has gone does not end the process", async () => {
  const { child, pipe } = reader();
  const { write } = createOutput(pipe, () => {});
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
  const { write } = createOutput(pipe, () => {});
  for (let i = 0; i < 40; i++) write(mebibyte);
  expect(pipe.writableLength).toBeGreaterThan(15 * 1024 * 1024);
  expect(pipe.writableLength).toBeLessThanOrEqual(17 * 1024 * 1024);
});

test("each text that is left out is counted", () => {
  const { pipe } = reader();
  let dropped = 0;
  const { write } = createOutput(pipe, () => dropped++);
  for (let i = 0; i < 40; i++) write(mebibyte, i % 2 === 0);
  const written = pipe.writableLength / mebibyte.length;
  expect(dropped).toBe(40 - written);
});

test("the output of a command is kept completely", () => {
  const { pipe } = reader();
  const { write } = createOutput(pipe);
  for (let i = 0; i < 40; i++) write(mebibyte);
  expect(pipe.writableLength).toBeGreaterThan(39 * 1024 * 1024);
});

describe("texts that may wait", () => {
  /** Records what is written, by calls. */
  function writes(isTTY = false) {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk));
        done();
      },
    });
    return { written, output: createOutput(Object.assign(stream, { isTTY })) };
  }

  test("are written together and in order, the first of them immediately", async () => {
    const { written, output } = writes();
    for (const text of ["a", "b", "c"]) output.write(text, true);
    expect(written).toEqual(["a"]);
    await expect.poll(() => written).toEqual(["a", "bc"]);
    output.write("d", true);
    await expect.poll(() => written.join("")).toBe("abcd");
  });

  test("are written before one that may not wait", () => {
    const { written, output } = writes();
    for (const text of ["a", "b", "c"]) output.write(text, true);
    output.write("urgent");
    expect(written).toEqual(["a", "bcurgent"]);
  });

  test("are written at the end", () => {
    const { written, output } = writes();
    for (const text of ["a", "b"]) output.write(text, true);
    output.flush();
    output.flush();
    expect(written).toEqual(["a", "b"]);
  });

  test("do not wait at a terminal", () => {
    const { written, output } = writes(true);
    for (const text of ["a", "b"]) output.write(text, true);
    expect(written).toEqual(["a", "b"]);
  });

  test("are built when they are written, and in order", () => {
    const { written, output } = writes();
    const made: string[] = [];
    const line = (text: string) => () => {
      made.push(text);
      return text;
    };
    for (const text of ["a", "b", "c"]) output.write(line(text), true);
    expect(made).toEqual(["a"]);
    output.write("d", true);
    output.write(line("e"), true);
    expect(made).toEqual(["a"]);
    output.flush();
    expect(made).toEqual(["a", "b", "c", "e"]);
    expect(written).toEqual(["a", "bcde"]);
  });

  test("are built in time if there are many", () => {
    const { output } = writes();
    let made = 0;
    const line = () => {
      made++;
      return "line";
    };
    for (let i = 0; i < 100; i++) output.write(line, true);
    expect(made).toBe(97);
  });

  test("of any length are written completely", () => {
    const { written, output } = writes();
    const texts = ["a", "é".repeat(80_000), "漢".repeat(90_000), "b"];
    for (const text of texts) output.write(text, true);
    output.flush();
    expect(written.join("")).toBe(texts.join(""));
  });

  test("do not wait if there are many", () => {
    const { written, output } = writes();
    for (let i = 0; i < 34; i++) output.write("x", true);
    expect(written.map(({ length }) => length)).toEqual([1, 32]);
  });
});
