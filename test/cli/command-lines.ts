// Command lines of the built program in one process, which loads the program once.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Output {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Starts a process for command lines of the program `main`. It has none of the variables of this one. */
export function startCommandLines(main: string) {
  const script = fileURLToPath(new URL("command-lines.mjs", import.meta.url));
  const child = fork(script, [main], { execArgv: [], env: {} });
  let last: Promise<unknown> = Promise.resolve();
  let lastLine = "none";
  /** Resolves with what has happened when the process is gone. */
  const gone = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(`ended by ${signal ?? `exit code ${code}`} in: ${lastLine}`),
    );
  });

  async function send(line: CommandLine): Promise<Output> {
    const output = new Promise<Output>((resolve) =>
      child.once("message", (value) => resolve(value as Output)),
    );
    if (child.connected) {
      lastLine = line.args.join(" ");
      child.send(line);
    }
    const end = await Promise.race([output, gone]);
    if (typeof end === "string") throw new Error(`the process of command lines is gone: ${end}`);
    return end;
  }

  return {
    /** Runs one when those before have ended. Rejects if the process is gone. */
    run(line: CommandLine): Promise<Output> {
      const ended = last.then(() => send(line));
      last = ended.catch(() => {});
      return ended;
    },
    end: () => void child.kill("SIGKILL"),
  };
}
