// The built program as an operator runs it: dist/ in a separate folder, command lines and servers as
// processes.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Output, startCommandLines } from "./command-lines.ts";

export type { Output };

export interface Program {
  readonly status: () => { readonly out: string; readonly err: string };
  readonly process: ChildProcess;
  readonly ended: Promise<Output>;
  /** Waits until the standard output or error matches. Throws with both if the program ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of the runtime. */
  readonly flags?: readonly string[];
  readonly uid?: number;
  /** Most blocks of 1024 bytes that a file may have that the process writes. */
  readonly fileBlocks?: number;
  /** Contents of its standard input; nothing if absent. */
  readonly input?: string;
}

export type CommandOptions = Pick<ProgramOptions, "cwd" | "env" | "input">;

export interface Built {
  readonly dist: string;
  start(args: readonly string[], options?: ProgramOptions): Program;
  /** Runs a command line to its end. */
  run(args: readonly string[], options?: ProgramOptions): Promise<Output>;
  /**
   * Runs a command line to its end in a process that all of these share, which takes a twentieth of the time.
   * Its output and exit code are those that the program gives to Node; `run` shows what a shell receives.
   */
  command(args: readonly string[], options?: CommandOptions): Promise<Output>;
  /** Serves on a free port of 127.0.0.1 and waits until it listens. */
  serve(args: readonly string[], options?: ProgramOptions): Promise<Program & { readonly url: string }>;
  remove(): void;
}

/** The build that test/fresh-dist.ts has made for the suite; without it one in a temporary folder. */
export async function buildProgram(): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), "smalti-built-"));
  const dist = process.env.TEST_DIST ?? join(folder, "dist");
  if (!process.env.TEST_DIST) {
    // Only then, since it loads for a second.
    const { build } = await import("../../scripts/build.mjs");
    await build({ outdir: dist, quiet: true });
  }
  const running = new Set<ChildProcess>();
  const usual = { PATH: process.env.PATH ?? "", HOME: folder };
  let lines: ReturnType<typeof startCommandLines> | undefined;

  const start: Built["start"] = (
    args,
    { cwd = folder, env = {}, flags = [], uid, fileBlocks, input } = {},
  ) => {
    const line = [process.execPath, ...flags, join(dist, "main.js"), ...args];
    const limited =
      fileBlocks === undefined ? [] : ["bash", "-c", `ulimit -f ${fileBlocks}; exec "$@"`, "bash"];
    const [command = "", ...rest] = [...limited, ...line];
    const child = spawn(command, rest, {
      cwd,
      env: { ...usual, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    running.add(child);
    child.stdin?.end(input);
    let out = "";
    let err = "";
    const listeners = new Set<() => void>();
    const tell = () => {
      for (const listener of listeners) listener();
    };
    child.stdout?.on("data", (text) => {
      out += text;
      tell();
    });
    child.stderr?.on("data", (text) => {
      err += text;
      tell();
    });
    let over = false;
    const ended = new Promise<Output>((resolve) => {
      child.once("close", (code) => {
        running.delete(child);
        over = true;
        resolve({ code, out, err });
        tell();
      });
    });
    return {
      process: child,
      status: () => ({ out, err }),
      ended,
      said: (pattern) =>
        new Promise((resolve, reject) => {
          const look = () => {
            const found = pattern.exec(out) ?? pattern.exec(err);
            if (!found && !over) return;
            listeners.delete(look);
            if (found) resolve(found);
            else reject(new Error(`ended without ${pattern}: ${out}\n${err}`));
          };
          listeners.add(look);
          look();
        }),
    };
  };

  return {
    dist,
    start,
    run: (args, options) => start(args, options).ended,
    command(args, { cwd = folder, env, ...input } = {}) {
      lines ??= startCommandLines(join(dist, "main.js"));
      return lines.run({ args, cwd, env: { ...usual, ...env }, ...input });
    },
    async serve(args, options = {}) {
      const program = start(args, { ...options, env: { SERVICE_ADDR: "127.0.0.1:0", ...options.env } });
      const [, url = ""] = await program.said(/(?:start page +|"urls":\[")(http:\/\/127\.0\.0\.1:\d+)/);
      return { ...program, url };
    },
    remove() {
      for (const child of running) child.kill("SIGKILL");
      lines?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
