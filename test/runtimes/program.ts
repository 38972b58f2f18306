// Programs that tests start as people do, and the tile that each of them has to serve.

import { spawn } from "node:child_process";
import { expect } from "vitest";

export interface Program {
  /** All that it wrote so far. */
  output(): string;
  /** Resolves when it has written what matches; rejects with its output if it ends before. */
  said(pattern: RegExp): Promise<void>;
  /** Exit code, once it has ended and all that it wrote is here. */
  readonly ended: Promise<number | null>;
  isRunning(): boolean;
  /** To it and all that it has started, as a terminal does it. Nothing if it has ended. */
  signal(name: NodeJS.Signals): void;
}

/** Starts a command in a separate process group. */
export function startProgram(
  [program = "", ...args]: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Program {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    output: () => output,
    ended,
    isRunning,
    async said(pattern) {
      await expect.poll(() => pattern.test(output) || !isRunning()).toBe(true);
      expect(output).toMatch(pattern);
    },
    signal(name) {
      if (isRunning()) process.kill(-(child.pid as number), name);
    },
  };
}

/** Checks that a path is a JPEG. */
export async function expectJpeg(url: string): Promise<void> {
  const response = await fetch(url);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect([...new Uint8Array(await response.arrayBuffer()).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
}
